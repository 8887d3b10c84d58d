//! Loops that run again from snapshots.
//!
//! A handle of the run-time library goes with the loop: it counts passes and says what is next. It lies on the tape
//! between the two sweeps, behind everything that the loop has there.

use super::state::Body;
use super::words::{bind, type_text};
use crate::ir::*;

impl<'a> Body<'a> {
    /// The snapshot that the passes of a loop begin with.
    fn begins_with(&self, body: RegionId) -> Option<&'a Snapshot> {
        let proc = self.proc;
        proc.regions[body].items.iter().find_map(|item| {
            let ItemKind::Sweep(SweepItem::Snapshot(snapshot)) = &proc.items[*item].kind else { return None };
            (snapshot.at != SnapshotAt::Next).then_some(&**snapshot)
        })
    }

    /// Makes the handle of a loop in front of it, or takes it from the tape. Whether the loop has one.
    pub fn begin_snapshots(&mut self, body: RegionId) -> bool {
        let Some(snapshot) = self.begins_with(body) else { return false };
        let handle = self.taken.fresh("passes");
        self.extra.insert(("integer(8)".into(), handle.clone()));
        let text = match &snapshot.at {
            SnapshotAt::Head { most, passes } => {
                let passes = passes.as_ref().map_or_else(|| "-1_8".into(), |passes| self.long(passes, bind::ANY));
                let create = self.of_passes("create");
                format!("{handle} = {create}({most}_8, {passes})")
            }
            SnapshotAt::First | SnapshotAt::Next => format!("call {}({handle})", self.tape("pop")),
        };
        self.statement(&text);
        self.handles.push(handle);
        true
    }

    /// Puts the handle on the tape behind the loop, or gives it up behind the reversed one.
    pub fn end_snapshots(&mut self) {
        let Some(handle) = self.handles.pop() else { return drop(self.problem("a loop without its handle")) };
        if self.proc.role == Role::Reverse {
            let destroy = self.of_passes("destroy");
            self.statement(&format!("call {destroy}({handle})"));
        } else {
            let (leave, push) = (self.of_passes("leave"), self.tape("push"));
            self.statement(&format!("call {leave}({handle})"));
            self.statement(&format!("call {push}({handle})"));
        }
    }

    fn of_passes(&self, word: &str) -> &'static str {
        self.unit.helper(&format!("passes_{word}")).unwrap_or_default()
    }

    /// Keeps a snapshot where the schedule says so, or brings one back.
    pub fn snapshot(&mut self, snapshot: &Snapshot) {
        let Some(handle) = self.handles.last().cloned() else {
            return drop(self.problem("a snapshot without a loop"));
        };
        if snapshot.among.iter().any(|among| !among.is_empty()) {
            return drop(self.problem("pointers in snapshots"));
        }
        let names = self.kept(snapshot);
        let is_head = matches!(snapshot.at, SnapshotAt::Head { .. });
        if is_head {
            let enter = self.of_passes("enter");
            self.statement(&format!("if ({enter}({handle})) then"));
        } else {
            self.assign_all(&names, &snapshot.from);
            let state = self.of_passes("state");
            self.statement(&format!("do while ({state}({handle}))"));
        }
        self.out.indent += 1;
        if is_head {
            self.assign_all(&names, &snapshot.from);
        }
        let moves = self.of_passes("move");
        for (place, count) in &snapshot.memory {
            let bytes = self.bytes(&place.ty);
            let place = self.place(place);
            let (guard, bytes) = match &count.kind {
                ExprKind::Int(1) => (String::new(), bytes.to_string()),
                _ => {
                    let number = self.long(count, bind::PRODUCT);
                    (format!("if ({number} > 0) "), format!("{number}*{bytes}"))
                }
            };
            self.statement(&format!("{guard}call {moves}({handle}, {place}, {bytes}_8)"));
        }
        for (name, ty) in &names {
            let bytes = self.bytes(ty);
            self.statement(&format!("call {moves}({handle}, {name}, {bytes}_8)"));
        }
        self.out.indent -= 1;
        self.statement(if is_head { "end if" } else { "end do" });
        if let Some(more) = snapshot.more {
            let (name, run) = (self.value(more), self.of_passes("run"));
            self.statement(&format!("{name} = merge(1, 0, {run}({handle}))"));
        }
    }

    /// The variables of a snapshot: new ones in a forward sweep, else those that come back.
    fn kept(&mut self, snapshot: &Snapshot) -> Vec<(String, Type)> {
        let mut names = Vec::new();
        for k in 0..snapshot.among.len() {
            names.push(match (snapshot.to.get(k), snapshot.from.get(k)) {
                (Some(value), _) => (self.values[value.index()].clone(), self.ty(*value).clone()),
                (None, from) => {
                    let ty = from.map(|from| from.ty.clone()).unwrap_or_default();
                    let name = self.taken.fresh("kept");
                    self.extra.insert((type_text(&ty), name.clone()));
                    (name, ty)
                }
            });
        }
        names
    }

    /// Assigns all at once: one may be what another one is computed from.
    fn assign_all(&mut self, names: &[(String, Type)], from: &[Expr]) {
        let texts = names.iter().zip(from).map(|((name, ty), from)| (name, ty, self.assigned(from, ty)));
        let open: Vec<(&String, &Type, String)> = texts.filter(|(name, _, text)| *name != text).collect();
        if let [(name, _, text)] = &open[..] {
            return self.statement(&format!("{name} = {text}"));
        }
        let mut behind = Vec::new();
        for (name, ty, text) in open {
            let next = self.taken.fresh("next");
            self.extra.insert((type_text(ty), next.clone()));
            self.statement(&format!("{next} = {text}"));
            behind.push(format!("{name} = {next}"));
        }
        behind.iter().for_each(|text| self.statement(text));
    }

    /// An integer of eight bytes.
    fn long(&self, e: &Expr, outer: u8) -> String {
        match e.ty {
            Type::Int { bits: 64, .. } => self.number(e, outer),
            _ => format!("int({}, 8)", self.number(e, bind::ANY)),
        }
    }

    /// The size of a scalar.
    fn bytes(&self, ty: &Type) -> u32 {
        match ty {
            Type::Float { bits } => u32::from(*bits) / 8,
            Type::Int { signed: false, .. } => 8,
            Type::Int { bits, .. } => u32::from(*bits).div_ceil(8),
            Type::Void | Type::Pointer(_) | Type::Array(_) | Type::Struct(_) | Type::Opaque(_) => {
                self.problem("a snapshot of something else than numbers");
                0
            }
        }
    }
}
