//! Statements that are an action by themselves.

use super::cursor::{Cursor, Parsed};
use super::keyword::{Class, Keyword, class};
use crate::form::Label;
use crate::lex::Sign;
use crate::tree::expression::Argument;
use crate::tree::statement::{Action, Stop, StopKind};

impl<'a> Cursor<'a> {
    /// Takes an action up to the end of the statement.
    pub fn action(&mut self) -> Parsed<Action> {
        let action = match class(*self) {
            Class::Assign => {
                let target = self.reference()?;
                self.expect(Sign::Assign)?;
                Action::Assign(target, self.expression()?)
            }
            Class::PointTo => {
                let target = self.reference()?;
                self.expect(Sign::Points)?;
                Action::PointTo(target, self.expression()?)
            }
            Class::Keyword(keyword) => self.action_of(keyword)?,
            _ => return Err(self.fault("no statement begins like this")),
        };
        self.end()?;
        Ok(action)
    }

    fn action_of(&mut self, keyword: Keyword) -> Parsed<Action> {
        use Keyword as K;
        match keyword {
            K::Call => {
                self.keyword("call");
                Ok(Action::Call(self.reference()?))
            }
            K::GoTo | K::Assign | K::Cycle | K::Exit | K::Return | K::Stop | K::ErrorStop | K::Pause | K::Continue => {
                self.jump(keyword)
            }
            K::Allocate => self.allocate(),
            K::Deallocate => {
                self.keyword("deallocate");
                Ok(Action::Deallocate(self.arguments()?))
            }
            K::Nullify => {
                self.keyword("nullify");
                self.expect(Sign::Open)?;
                let objects = self.list(Cursor::reference)?;
                self.expect(Sign::Close)?;
                Ok(Action::Nullify(objects))
            }
            K::If => self.if_sign(),
            K::Where => {
                self.keyword("where");
                let mask = self.condition()?;
                Ok(Action::WhereAction(mask, self.action_statement()?))
            }
            K::Forall => {
                self.keyword("forall");
                let indices = self.indices()?;
                Ok(Action::ForallAction(indices, self.action_statement()?))
            }
            K::SyncAll
            | K::SyncImages
            | K::SyncMemory
            | K::SyncTeam
            | K::EventPost
            | K::EventWait
            | K::Lock
            | K::Unlock
            | K::FailImage
            | K::FormTeam => self.images(keyword),
            _ => match self.transfer(keyword)? {
                Some(transfer) => Ok(Action::Transfer(transfer)),
                None => Err(self.fault("no action begins like this")),
            },
        }
    }

    fn jump(&mut self, keyword: Keyword) -> Parsed<Action> {
        use Keyword as K;
        match keyword {
            K::GoTo => self.go_to(),
            K::Assign => {
                self.keyword("assign");
                let label = self.label()?;
                if !self.keyword("to") {
                    return Err(self.fault("`to` is missing"));
                }
                Ok(Action::AssignLabel(label, self.name()?))
            }
            K::Cycle => {
                self.keyword("cycle");
                Ok(Action::Cycle(self.eat_name()))
            }
            K::Exit => {
                self.keyword("exit");
                Ok(Action::Exit(self.eat_name()))
            }
            K::Return => {
                self.keyword("return");
                Ok(Action::Return(if self.is_done() { None } else { Some(self.expression()?) }))
            }
            K::Stop => self.stop("stop", StopKind::Stop),
            K::ErrorStop => self.stop("errorstop", StopKind::Error),
            K::Pause => self.stop("pause", StopKind::Pause),
            _ => {
                self.keyword("continue");
                Ok(Action::Continue)
            }
        }
    }

    /// Takes `if (a) 10, 20, 30`, the only IF that is an action.
    fn if_sign(&mut self) -> Parsed<Action> {
        self.keyword("if");
        let condition = self.condition()?;
        match self.sign_labels()? {
            Some(labels) => Ok(Action::IfSign(condition, labels)),
            None => Err(self.fault("an action is missing: IF cannot follow IF (…)")),
        }
    }

    /// Takes `10, 20, 30`, if a label comes next.
    pub fn sign_labels(&mut self) -> Parsed<Option<[Label; 3]>> {
        let Some(first) = self.eat_label() else { return Ok(None) };
        self.expect(Sign::Comma)?;
        let second = self.label()?;
        self.expect(Sign::Comma)?;
        Ok(Some([first, second, self.label()?]))
    }

    fn labels(&mut self) -> Parsed<Vec<Label>> {
        self.expect(Sign::Open)?;
        let labels = self.list(Cursor::label)?;
        self.expect(Sign::Close)?;
        Ok(labels)
    }

    fn go_to(&mut self) -> Parsed<Action> {
        self.keyword("goto");
        if let Some(label) = self.eat_label() {
            return Ok(Action::Goto(label));
        }
        if self.at(Sign::Open) {
            let labels = self.labels()?;
            self.eat(Sign::Comma);
            return Ok(Action::GotoComputed(labels, self.expression()?));
        }
        let variable = self.name()?;
        self.eat(Sign::Comma);
        let labels = if self.at(Sign::Open) { self.labels()? } else { Vec::new() };
        Ok(Action::GotoAssigned(variable, labels))
    }

    fn stop(&mut self, word: &str, kind: StopKind) -> Parsed<Action> {
        self.keyword(word);
        let code = if self.is_done() || self.at(Sign::Comma) { None } else { Some(self.expression()?) };
        let mut quiet = None;
        if self.eat(Sign::Comma) {
            if !self.keyword("quiet") {
                return Err(self.fault("`quiet =` is missing"));
            }
            self.expect(Sign::Assign)?;
            quiet = Some(self.expression()?);
        }
        Ok(Action::Stop(Stop { kind, code, quiet }))
    }

    fn allocate(&mut self) -> Parsed<Action> {
        self.keyword("allocate");
        self.expect(Sign::Open)?;
        let typed = self.has_type_before_colons();
        let spec = if typed { Some(self.type_name()?) } else { None };
        if typed && !self.eat_colons() {
            return Err(self.fault("`::` is missing"));
        }
        let objects: Vec<Argument> = self.list(Cursor::argument)?;
        self.expect(Sign::Close)?;
        Ok(Action::Allocate(spec, objects))
    }

    fn images(&mut self, keyword: Keyword) -> Parsed<Action> {
        let words = match keyword {
            Keyword::SyncAll => "sync all",
            Keyword::SyncImages => "sync images",
            Keyword::SyncMemory => "sync memory",
            Keyword::SyncTeam => "sync team",
            Keyword::EventPost => "event post",
            Keyword::EventWait => "event wait",
            Keyword::Lock => "lock",
            Keyword::Unlock => "unlock",
            Keyword::FailImage => "fail image",
            _ => "form team",
        };
        self.keyword(&words.replace(' ', ""));
        let arguments = if self.at(Sign::Open) { self.arguments()? } else { Vec::new() };
        Ok(Action::Images(words.into(), arguments))
    }
}
