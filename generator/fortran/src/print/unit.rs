//! Program units.

use super::Printer;
use super::declaration::dummies;
use crate::form::Label;
use crate::tree::header::{Header, UnitKind};
use crate::tree::unit::Unit;

impl Printer {
    pub fn unit(&mut self, unit: &Unit) {
        self.header(&unit.header);
        self.deeper(|printer| {
            printer.declarations(&unit.declarations);
            printer.block(&unit.body);
        });
        if unit.contains {
            self.line(None, "contains");
        }
        self.deeper(|printer| {
            for contained in &unit.contained {
                printer.unit(contained);
            }
        });
        self.unit_end(&unit.header, unit.end.label);
    }

    pub fn header(&mut self, header: &Header) {
        let name = header.name.as_ref().map(|name| &*name.name).unwrap_or_default();
        let text = match &header.kind {
            UnitKind::Program if name.is_empty() => return,
            UnitKind::Program | UnitKind::Module => format!("{} {name}", header.kind.word()),
            UnitKind::BlockData => format!("block data {name}"),
            UnitKind::ModuleProcedure => format!("module procedure {name}"),
            UnitKind::Submodule(module, above) => {
                let above = above.as_ref().map(|name| format!(":{}", name.name)).unwrap_or_default();
                format!("submodule ({}{above}) {name}", module.name)
            }
            UnitKind::Subroutine | UnitKind::Function => self.procedure_header(header, name),
        };
        self.line(None, &text);
    }

    fn procedure_header(&self, header: &Header, name: &str) -> String {
        let mut text = String::new();
        for prefix in &header.prefixes {
            text.push_str(&format!("{} ", prefix.word()));
        }
        if let Some(spec) = &header.result_type {
            text.push_str(&format!("{} ", self.type_spec(spec)));
        }
        text.push_str(&format!("{} {name}({})", header.kind.word(), dummies(&header.arguments)));
        if let Some(result) = &header.result {
            text.push_str(&format!(" result({})", result.name));
        }
        if let Some(bind) = &header.bind {
            text.push_str(&format!(" {}", self.bind(bind)));
        }
        text
    }

    pub fn unit_end(&mut self, header: &Header, label: Option<Label>) {
        let name = header.name.as_ref().map(|name| format!(" {}", name.name));
        let text = match (&header.kind, name) {
            (UnitKind::Program, None) => "end".to_owned(),
            (kind, name) => format!("end {}{}", kind.word(), name.unwrap_or_default()),
        };
        self.line(label, &text);
    }
}
