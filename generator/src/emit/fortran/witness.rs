//! What the sweeps tell the check.

use super::expr::is_truth;
use super::state::Body;
use super::words::bind;
use crate::ir::*;

impl Body<'_> {
    /// A procedure of the check, which is used from its module.
    fn of_check(&self, word: &str) -> String {
        let name = format!("{}_{word}", self.unit.witness);
        self.uses.borrow_mut().insert((self.unit.check_module(), name.clone()));
        name
    }

    /// Notes an operand, or compares it with what was noted.
    pub fn witness(&mut self, notes: bool, site: u32, value: &Expr) {
        let (text, bytes) = match &value.ty {
            _ if is_truth(value) => (format!("merge(1_8, 0_8, {})", self.truth(value, bind::ANY)), 8),
            Type::Float { bits } => (format!("real({}, {})", self.number(value, bind::ANY), bits / 8), bits / 8),
            Type::Int { .. } => (format!("int({}, 8)", self.number(value, bind::ANY)), 8),
            Type::Void | Type::Pointer(_) | Type::Array(_) | Type::Struct(_) | Type::Opaque(_) => return,
        };
        let call = self.of_check(if notes { "note" } else { "compare" });
        self.statement(&format!("call {call}({}, {text}, {bytes}_8)", signed(site)));
    }

    /// Says where the adjoint of a place lies.
    pub fn shadowed(&mut self, place: &Place, shadow: &Place) {
        let Type::Float { bits } = place.ty else { return };
        let (place, shadow) = (self.place(place), self.place(shadow));
        let call = self.of_check("shadowed");
        self.statement(&format!("call {call}({place}, {shadow}, {bits})"));
    }

    /// Compares a pass that runs again with its first run.
    pub fn rehearsal(&mut self, step: Rehearsal) {
        let kind = || "integer(8)".to_string();
        match step {
            Rehearsal::Begin | Rehearsal::Again => {
                let notes = self.taken.fresh("notes");
                self.extra.insert((kind(), notes.clone()));
                let call = self.of_check("noted");
                self.statement(&format!("{notes} = {call}()"));
                let mut mark = String::new();
                if step == Rehearsal::Begin {
                    mark = self.taken.fresh("mark");
                    self.extra.insert(("type(adtape_mark)".into(), mark.clone()));
                    self.tape("adtape_mark");
                    let call = self.tape("mark_take");
                    self.statement(&format!("call {call}({mark})"));
                }
                self.rehearsals.push((notes, mark));
            }
            Rehearsal::End => {
                let Some((notes, mark)) = self.rehearsals.pop() else { return drop(self.problem("an end alone")) };
                let call = self.of_check("rehearsed");
                self.statement(&format!("call {call}({notes})"));
                let call = self.tape("mark_reset");
                self.statement(&format!("call {call}({mark})"));
            }
            Rehearsal::Compare(site) => {
                let Some((notes, _)) = self.rehearsals.pop() else { return drop(self.problem("an end alone")) };
                let call = self.of_check("repeated");
                self.statement(&format!("call {call}({}, {notes})", signed(site)));
            }
        }
    }

    /// Says that an array is the procedure's own.
    pub fn made(&mut self, id: ObjectId) {
        if !self.unit.checks || self.proc.role == Role::Tangent || self.proc.objects[id].shape.is_empty() {
            return;
        }
        let name = self.objects[id.index()].clone();
        let call = self.of_check("made");
        self.statement(&format!("call {call}(loc({name}), storage_size({name})/8*size({name}, kind=8))"));
    }
}

/// The number of a site as an integer of Fortran, which has a sign.
fn signed(site: u32) -> i32 {
    i32::from_ne_bytes(site.to_ne_bytes())
}
