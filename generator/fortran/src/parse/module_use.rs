//! USE statements.

use super::cursor::{Cursor, Parsed};
use crate::lex::Sign;
use crate::tree::declaration::{GenericName, Use};

impl<'a> Cursor<'a> {
    /// Takes `use, intrinsic :: module, only: local => name`.
    pub fn module_use(&mut self) -> Parsed<Use> {
        self.keyword("use");
        let mut intrinsic = None;
        if self.eat(Sign::Comma) {
            intrinsic = Some(match (self.keyword("intrinsic"), self.keyword("non_intrinsic")) {
                (true, _) => true,
                (_, true) => false,
                _ => return Err(self.fault("`intrinsic` or `non_intrinsic` is missing")),
            });
        }
        if !self.eat_colons() && intrinsic.is_some() {
            return Err(self.fault("`::` is missing"));
        }
        let module = self.name()?;
        let (mut only, mut items) = (false, Vec::new());
        if self.eat(Sign::Comma) {
            let mut behind = *self;
            if behind.keyword("only") && behind.eat(Sign::Colon) {
                *self = behind;
                only = true;
            }
            while !self.is_done() {
                items.push(self.use_item()?);
                if !self.eat(Sign::Comma) {
                    break;
                }
            }
        }
        Ok(Use { intrinsic, module, only, items })
    }

    fn use_item(&mut self) -> Parsed<(GenericName, Option<GenericName>)> {
        let local = self.generic_name()?;
        let renamed = if self.eat(Sign::Points) { Some(self.generic_name()?) } else { None };
        Ok((local, renamed))
    }
}
