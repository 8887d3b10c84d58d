//! Items of the text form.

use super::{Parsed, Parser, Token};
use crate::ir::*;

/// A value as the text names it, and the token.
struct Named {
    name: String,
    label: u32,
    at: usize,
}

impl Parser {
    /// The value of this name, whose variable must be known.
    pub(super) fn value_named(&mut self, name: String, label: u32) -> Parsed<ValueId> {
        let Some(&var) = self.vars.get(&name) else {
            return self.error(&format!("{name} has no type yet: declare it with 'var'"));
        };
        let value = self.values[&(name, label)];
        self.proc.values[value].var = var;
        Ok(value)
    }

    fn value(&mut self) -> Parsed<ValueId> {
        match self.peek().cloned() {
            Some(Token::Value(name, label)) => {
                let value = self.value_named(name, label)?;
                self.at += 1;
                Ok(value)
            }
            _ => self.error("expected a value"),
        }
    }

    /// A value that is defined here; its variable takes the type `ty` if it is new.
    fn definition(&mut self, named: Named, ty: Option<&Type>, def: Def) -> Parsed<ValueId> {
        let Named { name, label, at } = named;
        let behind = std::mem::replace(&mut self.at, at);
        if let (None, Some(ty)) = (self.vars.get(&name), ty) {
            self.new_var(&name, ty.clone(), VarKind::User, Span::default())?;
        }
        let value = self.value_named(name.clone(), label)?;
        if std::mem::replace(&mut self.defined[value.index()], true) {
            return self.error(&format!("{name}.{label} is defined twice"));
        }
        let known = &mut self.proc.values[value];
        known.def = def;
        known.region = self.region;
        self.at = behind;
        Ok(value)
    }

    /// The name of a value that will be defined.
    fn named(&mut self) -> Parsed<Named> {
        let Some(Token::Value(name, label)) = self.peek().cloned() else { return self.error("expected a value") };
        self.at += 1;
        Ok(Named { name, label, at: self.at - 1 })
    }

    /// Items up to what is none.
    pub(super) fn items(&mut self) -> Parsed<()> {
        while let Some(Token::Name(word)) = self.peek().cloned() {
            if word == "return" {
                return Ok(());
            }
            self.at += 1;
            if word == "undefined" {
                let named = self.named()?;
                self.definition(named, None, Def::Undefined)?;
                continue;
            }
            let id = ItemId::new(self.proc.items.len());
            let kind = ItemKind::Sweep(SweepItem::Nothing);
            self.proc.items.push(Item { kind, span: Span::default(), statement: None });
            self.proc.regions[self.region].items.push(id);
            let kind = self.item(&word, id)?;
            self.proc.items[id].kind = kind;
            if !matches!(word.as_str(), "if" | "loop") {
                self.origin(id);
            }
        }
        Ok(())
    }

    fn origin(&mut self, id: ItemId) {
        if let Some(Token::Number(n)) = self.peek() {
            self.proc.items[id].statement = Some(StatementId(*n));
            self.at += 1;
        }
        let span = self.span();
        self.proc.items[id].span = span;
        let defined = self.proc.items[id].kind.assigned();
        if let Some(value) = defined {
            self.proc.values[value].span = span;
        }
    }

    fn rehearsal(&mut self) -> Parsed<Rehearsal> {
        for (word, step) in [("begin", Rehearsal::Begin), ("end", Rehearsal::End), ("again", Rehearsal::Again)] {
            if self.eat_word(word) {
                return Ok(step);
            }
        }
        self.expect_word("compare")?;
        Ok(Rehearsal::Compare(self.number()?))
    }

    fn item(&mut self, word: &str, id: ItemId) -> Parsed<ItemKind> {
        Ok(match word {
            "let" => self.let_item(id)?,
            "store" => {
                let to = self.place()?;
                self.expect("=")?;
                if self.eat_word("call") {
                    let (callee, args) = self.call()?;
                    ItemKind::Call { callee, args, result: None, into: Some(to) }
                } else {
                    ItemKind::Store { to, from: self.expr()? }
                }
            }
            "call" => {
                let (callee, args) = self.call()?;
                ItemKind::Call { callee, args, result: None, into: None }
            }
            "if" => self.branch(id)?,
            "loop" => self.repetition(id)?,
            "declare" => {
                if let Some(Token::Name(name)) = self.peek()
                    && let Some(&var) = self.vars.get(name)
                {
                    self.at += 1;
                    ItemKind::DeclareVar { var }
                } else {
                    ItemKind::Declare { object: self.declaration(Life::Region(self.region))? }
                }
            }
            "alloc" => {
                let zeroed = self.eat_word("zeroed");
                let life = if self.eat_word("stable") { Life::Stable } else { Life::Heap };
                let object = self.declaration(life)?;
                self.expect(",")?;
                ItemKind::Alloc { object, count: self.expr()?, zeroed }
            }
            "free" => ItemKind::Free { pointer: self.expr()? },
            "given" => {
                self.expect("(")?;
                let args = self.list(")", Self::expr)?;
                self.expect_word("needs")?;
                self.expect("(")?;
                let needs = self.list(")", Self::expr)?;
                self.expect_word("for")?;
                self.expect("(")?;
                ItemKind::Given { args, needs, when: self.list(")", Self::expr)? }
            }
            "release" => {
                let contents = self.eat_word("contents");
                ItemKind::Sweep(SweepItem::Release { pointer: self.expr()?, contents })
            }
            "undo" => {
                let all = [("alloc", Undone::Alloc), ("release", Undone::Release), ("resize", Undone::Resize)];
                match all.into_iter().find(|(word, _)| self.eat_word(word)) {
                    Some((_, what)) => ItemKind::Sweep(SweepItem::Undo { what }),
                    None => return self.error("expected alloc, release or resize"),
                }
            }
            "clear" => {
                let name = self.name()?;
                ItemKind::Sweep(SweepItem::Clear { object: self.object_id(&name)? })
            }
            "accumulate" => {
                let to = self.place()?;
                self.expect("+=")?;
                ItemKind::Sweep(SweepItem::Accumulate { to, from: self.expr()? })
            }
            "push" => ItemKind::Sweep(SweepItem::Push { what: self.pushed()? }),
            "pop" => ItemKind::Sweep(SweepItem::Pop { what: self.popped(id)? }),
            "witness" | "note" => {
                let notes = word == "note";
                let site = self.number()?;
                self.expect(":")?;
                ItemKind::Sweep(SweepItem::Witness { notes, site, value: self.expr()? })
            }
            "rehearsal" => ItemKind::Sweep(SweepItem::Rehearsal { step: self.rehearsal()? }),
            "shadowed" => {
                let place = self.place()?;
                self.expect_word("by")?;
                ItemKind::Sweep(SweepItem::Shadowed { place, shadow: self.place()? })
            }
            "snapshot" => ItemKind::Sweep(SweepItem::Snapshot(Box::new(self.snapshot(id)?))),
            "nothing" => ItemKind::Sweep(SweepItem::Nothing),
            _ => {
                self.at -= 1;
                return self.error("expected an item");
            }
        })
    }

    fn let_item(&mut self, id: ItemId) -> Parsed<ItemKind> {
        let named = self.named()?;
        self.expect("=")?;
        if self.eat_word("call") {
            let (callee, args) = self.call()?;
            let ty = match &callee {
                Callee::Proc(id) => self.program.procs.find(*id).map(|proc| proc.result_type.clone()),
                _ => None,
            };
            let result = self.definition(named, ty.as_ref(), Def::Result(id))?;
            return Ok(ItemKind::Call { callee, args, result: Some(result), into: None });
        }
        let from = self.expr()?;
        let ty = from.ty.clone();
        let value = self.definition(named, Some(&ty), Def::Is(from))?;
        Ok(ItemKind::Let { value })
    }

    fn call(&mut self) -> Parsed<(Callee, Vec<Expr>)> {
        let callee = if self.eat_word("extern") {
            let returns = !self.eat_word("noreturn");
            let unknown = self.eat_word("unknown");
            Callee::External { function: self.external()?, returns, unknown }
        } else {
            match self.role() {
                Some(role) => Callee::Sweep(self.proc_named()?, role),
                None => Callee::Proc(self.proc_named()?),
            }
        };
        self.expect("(")?;
        Ok((callee, self.list(")", Self::expr)?))
    }

    fn external(&mut self) -> Parsed<External> {
        let Some(Token::Text(_)) = self.peek() else { return Ok(External::Named(self.name()?)) };
        Ok(match self.string()?.as_str() {
            "resize" => External::Resize,
            "volatile" => External::Volatile,
            "passive" => External::Passive { call: self.string()?, same: false },
            "constant" => External::Passive { call: self.string()?, same: true },
            "no memory" => External::Stop(Reason::NoMemory),
            "unnamed" => External::Stop(Reason::Unnamed(self.string()?)),
            other => return self.error(&format!("'{other}' is no function without source")),
        })
    }

    fn proc_named(&mut self) -> Parsed<ProcId> {
        let name = self.name()?;
        if let Some(Token::Number(n)) = self.peek() {
            let id = ProcId(*n);
            self.at += 1;
            return Ok(id);
        }
        match self.procs.iter().position(|known| *known == name) {
            Some(position) => Ok(ProcId::new(position)),
            None => self.error(&format!("there is no procedure {name}")),
        }
    }

    fn declaration(&mut self, life: Life) -> Parsed<ObjectId> {
        if self.eat_word("object") {
            let name = self.name()?;
            return self.object_id(&name);
        }
        self.new_object(life)
    }

    fn inside(&mut self, item: ItemId) -> Parsed<RegionId> {
        let outer = self.region;
        let region = RegionId::new(self.proc.regions.len());
        self.proc.regions.push(Region { parent: Some((outer, item)), items: Vec::new() });
        self.region = region;
        self.items()?;
        self.expect("}")?;
        self.region = outer;
        Ok(region)
    }

    fn branch(&mut self, id: ItemId) -> Parsed<ItemKind> {
        let on = self.expr()?;
        self.origin(id);
        self.expect("{")?;
        let then = self.inside(id)?;
        let otherwise = if self.eat_word("else") {
            self.expect("{")?;
            self.inside(id)?
        } else {
            self.proc.regions.push(Region { parent: Some((self.region, id)), items: Vec::new() });
            RegionId::new(self.proc.regions.len() - 1)
        };
        let mut joins = Vec::new();
        while self.eat_word("join") {
            let named = self.named()?;
            self.expect("=")?;
            let then = self.value()?;
            self.expect("|")?;
            let otherwise = self.value()?;
            let position = u32::try_from(joins.len()).unwrap_or(u32::MAX);
            let out = self.definition(named, Some(&self.proc.type_of(then).clone()), Def::Join(id, position))?;
            joins.push(Join { var: self.proc.values[out].var, then, otherwise, out });
        }
        Ok(ItemKind::Branch { on, then, otherwise, joins })
    }

    fn repetition(&mut self, id: ItemId) -> Parsed<ItemKind> {
        let at = if self.eat_word("after") {
            TestAt::After
        } else {
            self.expect_word("before")?;
            TestAt::Before
        };
        // The heads that the test reads come behind it: they are read first.
        let test_at = self.at;
        while !self.is("{") && !self.is_word("carry") {
            if self.peek().is_none() {
                return self.error("expected '{'");
            }
            self.at += 1;
        }
        let body = RegionId::new(self.proc.regions.len());
        let mut carried = Vec::new();
        while self.eat_word("carry") {
            carried.push(self.carry(id, body, u32::try_from(carried.len()).unwrap_or(u32::MAX))?);
        }
        let body_at = self.at;
        if at == TestAt::Before {
            self.at = test_at;
            let test = self.expr()?;
            self.origin(id);
            self.at = body_at;
            self.expect("{")?;
            let body = self.inside(id)?;
            return Ok(ItemKind::Loop { test, at, body, carried });
        }
        // A test at the end reads values of the body.
        self.expect("{")?;
        let body = self.inside(id)?;
        let behind = std::mem::replace(&mut self.at, test_at);
        let test = self.expr()?;
        self.origin(id);
        self.at = behind;
        Ok(ItemKind::Loop { test, at, body, carried })
    }

    /// `carry head = init | end -> out`.
    fn carry(&mut self, id: ItemId, body: RegionId, position: u32) -> Parsed<Carried> {
        let named = self.named()?;
        self.expect("=")?;
        let init = self.value()?;
        self.expect("|")?;
        let ty = self.proc.type_of(init).clone();
        let outer = std::mem::replace(&mut self.region, body);
        let head = self.definition(named, Some(&ty), Def::Head(id, position))?;
        self.region = outer;
        let end = self.value()?;
        self.expect("->")?;
        let named = self.named()?;
        let out = self.definition(named, Some(&ty), Def::Out(id, position))?;
        Ok(Carried { var: self.proc.values[head].var, init, head, end, out })
    }

    fn bits(&mut self) -> Parsed<u8> {
        self.expect("(")?;
        let bits = self.number()?;
        self.expect(")")?;
        Ok(bits)
    }

    fn pushed(&mut self) -> Parsed<Pushed> {
        if self.eat_word("bits") {
            let bits = self.bits()?;
            return Ok(Pushed::Bits { bits, value: self.expr()? });
        }
        if self.eat_word("count") {
            return Ok(Pushed::Count(self.expr()?));
        }
        if self.eat_word("elements") {
            let place = self.place()?;
            self.expect(",")?;
            return Ok(Pushed::Elements { place, count: self.expr()? });
        }
        if self.eat_word("pointer") {
            let value = self.expr()?;
            let bases = self.bracketed("from")?;
            self.expect_word("at")?;
            return Ok(Pushed::Pointer { value, bases, base: Box::new(self.expr()?) });
        }
        Ok(Pushed::Value(self.expr()?))
    }

    fn bracketed(&mut self, word: &str) -> Parsed<Vec<Expr>> {
        self.expect_word(word)?;
        self.expect("[")?;
        self.list("]", Self::expr)
    }

    fn popped(&mut self, id: ItemId) -> Parsed<Popped> {
        if self.eat_word("store") {
            return Ok(Popped::Memory(self.place()?));
        }
        if self.eat_word("elements") {
            let place = self.place()?;
            self.expect(",")?;
            return Ok(Popped::Elements { place, count: self.expr()? });
        }
        if self.eat_word("bits") {
            let bits = self.bits()?;
            return Ok(Popped::Bits { bits, value: self.popped_value(id)? });
        }
        if self.eat_word("count") {
            return Ok(Popped::Count(self.popped_value(id)?));
        }
        if self.eat_word("pointer") {
            let value = self.popped_value(id)?;
            let shadow = if self.eat(",") { Some(self.popped_value(id)?) } else { None };
            let bases = self.bracketed("from")?;
            let shadows = self.bracketed("shadows")?;
            return Ok(Popped::Pointer { value, shadow, bases, shadows });
        }
        Ok(Popped::Value(self.popped_value(id)?))
    }

    fn snapshot(&mut self, id: ItemId) -> Parsed<Snapshot> {
        let at = if self.eat_word("first") {
            SnapshotAt::First
        } else if self.eat_word("next") {
            SnapshotAt::Next
        } else {
            self.expect_word("head")?;
            let most = self.number()?;
            let passes = if self.eat_word("of") { Some(self.expr()?) } else { None };
            SnapshotAt::Head { most, passes }
        };
        let mut memory = Vec::new();
        while self.eat_word("elements") {
            let place = self.place()?;
            self.expect(",")?;
            memory.push((place, self.expr()?));
        }
        let from = self.bracketed("from")?;
        let (mut among, mut to) = (Vec::new(), Vec::new());
        while self.is_word("among") {
            among.push(self.bracketed("among")?);
        }
        while self.eat_word("to") {
            to.push(self.popped_value(id)?);
        }
        let more = if self.eat_word("more") { Some(self.popped_value(id)?) } else { None };
        if among.is_empty() {
            among = vec![Vec::new(); from.len().max(to.len())];
        }
        Ok(Snapshot { at, memory, from, among, to, more })
    }

    fn popped_value(&mut self, id: ItemId) -> Parsed<ValueId> {
        let named = self.named()?;
        self.definition(named, None, Def::Popped(id))
    }
}
