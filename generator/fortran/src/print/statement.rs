//! Actions and constructs.

use super::expression::names;
use super::{Printer, list};
use crate::form::Label;
use crate::stack::deep;
use crate::tree::expression::Ident;
use crate::tree::statement::{
    Action, Arm, Block, Control, Do, Guard, Indices, Select, Selector, Statement, Stop, StopKind, Transfer,
};

impl Printer {
    pub fn block(&mut self, block: &Block) {
        for statement in block {
            deep(|| self.statement(statement));
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let name = statement.name.as_ref().map(|name| format!("{}: ", name.name)).unwrap_or_default();
        let start = |text: String| format!("{name}{text}");
        let label = statement.label;
        match &statement.action {
            Action::Declaration(declaration) => return self.declaration(declaration),
            Action::If(arms) => self.arms(label, &start(String::new()), ["if", "else if", "else"], " then", arms),
            Action::Where(arms) => {
                self.arms(label, &start(String::new()), ["where", "elsewhere", "elsewhere"], "", arms)
            }
            Action::Do(looped) => {
                let text = start(self.do_text(looped));
                self.line(label, &text);
                self.deeper(|printer| printer.block(&looped.body));
                if !looped.end_do {
                    return;
                }
            }
            Action::Select(select) => self.select(label, &start(String::new()), select),
            Action::Associate(pairs, block) => {
                let text = list(pairs, |(name, value)| format!("{} => {}", name.name, self.expr(value)));
                self.construct(label, &start(format!("associate ({text})")), block);
            }
            Action::Block(declarations, block) => {
                self.line(label, &start("block".to_owned()));
                self.deeper(|printer| {
                    printer.declarations(declarations);
                    printer.block(block);
                });
            }
            Action::Critical(arguments, block) => {
                let arguments =
                    if arguments.is_empty() { String::new() } else { format!(" ({})", self.arguments(arguments)) };
                self.construct(label, &start(format!("critical{arguments}")), block);
            }
            Action::Team(team, entities, arguments, block) => {
                let entities = entities.iter().map(|entity| self.entity(entity));
                let rest = entities.chain((!arguments.is_empty()).then(|| self.arguments(arguments)));
                let all: Vec<String> = [self.expr(team)].into_iter().chain(rest).collect();
                self.construct(label, &start(format!("change team ({})", all.join(", "))), block);
            }
            Action::Forall(indices, block) => {
                self.construct(label, &start(format!("forall {}", self.indices(indices))), block);
            }
            action => {
                let text = start(self.action(action));
                return self.line(label, &text);
            }
        }
        let word = end_word(&statement.action);
        let name = statement.name.as_ref().map(|name| format!(" {}", name.name)).unwrap_or_default();
        self.line(statement.end.and_then(|end| end.label), &format!("end {word}{name}"));
    }

    fn construct(&mut self, label: Option<Label>, text: &str, block: &Block) {
        self.line(label, text);
        self.deeper(|printer| printer.block(block));
    }

    fn arms(&mut self, label: Option<Label>, name: &str, words: [&str; 3], then: &str, arms: &[Arm]) {
        for (i, arm) in arms.iter().enumerate() {
            let word = words[i.min(1)];
            let text = match &arm.condition {
                Some(condition) => format!("{word} ({}){then}", self.expr(condition)),
                None => words[2].to_owned(),
            };
            let (label, name) = if i == 0 { (label, name) } else { (None, "") };
            self.construct(label, &format!("{name}{text}"), &arm.block);
        }
    }

    fn select(&mut self, label: Option<Label>, name: &str, select: &Select) {
        let (word, arm) = match select.by {
            Selector::Value => ("case", "case"),
            Selector::Type => ("type", "class"),
            Selector::Rank => ("rank", "rank"),
        };
        let alias = select.name.as_ref().map(|name| format!("{} => ", name.name)).unwrap_or_default();
        self.line(label, &format!("{name}select {word} ({alias}{})", self.expr(&select.selector)));
        for one in &select.arms {
            let text = match &one.guard {
                Guard::Values(values) => format!("{arm} ({})", self.arguments(values)),
                Guard::TypeIs(spec) => format!("type is ({})", self.type_name(spec)),
                Guard::ClassIs(spec) => format!("class is ({})", self.type_name(spec)),
                Guard::Default => format!("{arm} default"),
            };
            self.construct(None, &text, &one.block);
        }
    }

    fn do_text(&self, looped: &Do) -> String {
        let label = looped.label.map(|label| format!(" {}", label.number)).unwrap_or_default();
        let control = match &looped.control {
            Control::Forever => String::new(),
            Control::While(condition) => format!(" while ({})", self.expr(condition)),
            Control::Count(count) => {
                let step = count.step.as_ref().map(|step| format!(", {}", self.expr(step))).unwrap_or_default();
                let variable = self.reference(&count.variable);
                format!(" {variable} = {}, {}{step}", self.expr(&count.from), self.expr(&count.to))
            }
            Control::Concurrent(indices, localities) => {
                let locality = |(word, listed): &(Box<str>, Vec<Ident>)| format!(" {word}({})", names(listed));
                let localities: String = localities.iter().map(locality).collect();
                format!(" concurrent {}{localities}", self.indices(indices))
            }
        };
        format!("do{label}{control}")
    }

    fn indices(&self, indices: &Indices) -> String {
        let spec = indices.spec.as_ref().map(|spec| format!("{} :: ", self.type_spec(spec))).unwrap_or_default();
        let each = indices.indices.iter().map(|(name, from, to, step)| {
            let step = step.as_ref().map(|step| format!(":{}", self.expr(step))).unwrap_or_default();
            format!("{} = {}:{}{step}", name.name, self.expr(from), self.expr(to))
        });
        let mask = indices.mask.as_ref().map(|mask| self.expr(mask));
        format!("({spec}{})", each.chain(mask).collect::<Vec<_>>().join(", "))
    }

    fn action(&self, action: &Action) -> String {
        let labels = |labels: &[Label]| list(labels, |label| label.number.to_string());
        let named = |word: &str, name: &Option<Ident>| match name {
            Some(name) => format!("{word} {}", name.name),
            None => word.to_owned(),
        };
        match action {
            Action::Assign(target, value) => format!("{} = {}", self.reference(target), self.expr(value)),
            Action::PointTo(target, value) => format!("{} => {}", self.reference(target), self.expr(value)),
            Action::Call(callee) => format!("call {}", self.reference(callee)),
            Action::IfAction(condition, inner) => {
                format!("if ({}) {}", self.expr(condition), self.action(&inner.action))
            }
            Action::IfSign(value, signs) => format!("if ({}) {}", self.expr(value), labels(signs)),
            Action::WhereAction(mask, inner) => format!("where ({}) {}", self.expr(mask), self.action(&inner.action)),
            Action::ForallAction(indices, inner) => {
                format!("forall {} {}", self.indices(indices), self.action(&inner.action))
            }
            Action::Goto(label) => format!("goto {}", label.number),
            Action::GotoComputed(targets, value) => format!("goto ({}), {}", labels(targets), self.expr(value)),
            Action::GotoAssigned(variable, targets) => match targets.as_slice() {
                [] => format!("goto {}", variable.name),
                targets => format!("goto {}, ({})", variable.name, labels(targets)),
            },
            Action::AssignLabel(label, variable) => format!("assign {} to {}", label.number, variable.name),
            Action::Cycle(name) => named("cycle", name),
            Action::Exit(name) => named("exit", name),
            Action::Return(None) => "return".to_owned(),
            Action::Return(Some(value)) => format!("return {}", self.expr(value)),
            Action::Stop(stop) => self.stop(stop),
            Action::Continue => "continue".to_owned(),
            Action::Transfer(transfer) => self.transfer(transfer),
            Action::Allocate(None, objects) => format!("allocate ({})", self.arguments(objects)),
            Action::Allocate(Some(spec), objects) => {
                format!("allocate ({} :: {})", self.type_name(spec), self.arguments(objects))
            }
            Action::Deallocate(objects) => format!("deallocate ({})", self.arguments(objects)),
            Action::Nullify(objects) => format!("nullify ({})", list(objects, |object| self.reference(object))),
            Action::Images(words, arguments) => match arguments.as_slice() {
                [] => words.to_string(),
                arguments => format!("{words} ({})", self.arguments(arguments)),
            },
            Action::Unread => "! unread".to_owned(),
            Action::If(_)
            | Action::Do(_)
            | Action::Select(_)
            | Action::Associate(..)
            | Action::Block(..)
            | Action::Critical(..)
            | Action::Team(..)
            | Action::Where(_)
            | Action::Forall(..)
            | Action::Declaration(_) => String::new(),
        }
    }

    fn stop(&self, stop: &Stop) -> String {
        let word = match stop.kind {
            StopKind::Stop => "stop",
            StopKind::Error => "error stop",
            StopKind::Pause => "pause",
        };
        let code = stop.code.as_ref().map(|code| format!(" {}", self.expr(code))).unwrap_or_default();
        let quiet = stop.quiet.as_ref().map(|quiet| format!(", quiet = {}", self.expr(quiet))).unwrap_or_default();
        format!("{word}{code}{quiet}")
    }

    fn transfer(&self, transfer: &Transfer) -> String {
        let word = transfer.kind.word();
        let controls = self.arguments(&transfer.controls);
        let items = self.exprs(&transfer.items);
        match (transfer.parenthesised, transfer.items.is_empty()) {
            (true, true) => format!("{word} ({controls})"),
            (true, false) => format!("{word} ({controls}) {items}"),
            (false, true) => format!("{word} {controls}"),
            (false, false) => format!("{word} {controls}, {items}"),
        }
    }
}

fn end_word(action: &Action) -> &'static str {
    match action {
        Action::If(_) => "if",
        Action::Where(_) => "where",
        Action::Do(_) => "do",
        Action::Select(_) => "select",
        Action::Associate(..) => "associate",
        Action::Block(..) => "block",
        Action::Critical(..) => "critical",
        Action::Team(..) => "team",
        Action::Forall(..) => "forall",
        _ => "",
    }
}
