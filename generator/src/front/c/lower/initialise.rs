//! Initialisers.

use super::place::{Spot, extent_constant};
use super::*;
use make::*;

impl<'a> Lower<'_, 'a> {
    pub fn initialise_object(&mut self, node: &'a Node<'a>, ty: Type) -> Result<()> {
        let Some(Binding::Object(object)) = self.bindings.get(&node.id).cloned() else { return self.unknown(node) };
        let Some(init) = node.inner.iter().rfind(|_| node.has_init) else { return Ok(()) };
        self.initialise(Place { base: Base::Object(object), path: Vec::new(), ty }, init)
    }

    /// Gives memory its initial contents.
    pub fn initialise(&mut self, to: Place, init: &'a Node<'a>) -> Result<()> {
        match (init.kind, to.ty.clone()) {
            ("InitListExpr", Type::Struct(id)) if self.is_view(id) => self.initialise_view(to, id, init),
            ("InitListExpr", Type::Struct(id)) if self.reader.structs.types.structs[id].shared => self.unknown(init),
            ("InitListExpr", Type::Struct(id)) => {
                let fields = self.reader.structs.types.structs[id].fields.len();
                if init.inner.len() > fields {
                    return self.unknown(init);
                }
                for index in 0..fields {
                    let mut place = to.clone();
                    place.path.push(Step::Field(FieldId::new(index)));
                    place.ty = self.reader.structs.types.structs[id].fields[FieldId::new(index)].ty.clone();
                    match init.inner.get(index) {
                        Some(part) => self.initialise(place, part)?,
                        None => self.clear(place, init)?,
                    }
                }
                Ok(())
            }
            ("InitListExpr" | "StringLiteral", Type::Array(row)) if row.extent.is_some() => {
                let (elem, extent) = (row.elem.clone(), row.extent.unwrap_or_default());
                if init.kind == "StringLiteral" {
                    return self.initialise_text(to, init, elem, extent);
                }
                self.initialise_array(to, init, elem, extent)
            }
            ("ImplicitValueInitExpr", _) => self.clear(to, init),
            ("ParenExpr" | "ConstantExpr", _) => self.initialise(to, init.only()),
            ("CompoundLiteralExpr", Type::Array(_)) => self.initialise(to, init.only()),
            (_, Type::Struct(_)) => self.struct_into(Spot::Memory(to), init),
            (_, Type::Array(_) | Type::Opaque(_) | Type::Void) => self.unknown(init),
            _ => {
                let value = self.whole_value(init)?;
                self.write(Spot::Memory(to), value, init)
            }
        }
    }

    /// A struct that is taken for an array of its numbers.
    fn initialise_view(&mut self, to: Place, id: StructId, init: &'a Node<'a>) -> Result<()> {
        let array = self.field(&to, id, 0);
        let parts = self.reader.structs.types.structs[id].parts.clone();
        self.initialise_parts(&array, 0, &parts, init)
    }

    /// The members of a struct that lies in an array of numbers, from one of them on.
    fn initialise_parts(&mut self, array: &Place, at: u64, parts: &[Field], init: &'a Node<'a>) -> Result<()> {
        let mut at = at;
        for (index, part) in parts.iter().enumerate() {
            self.initialise_part(array, at, &part.ty, init.inner.get(index), init)?;
            at += self.reader.structs.types.numbers(&part.ty).map_or(0, |(_, count)| count);
        }
        Ok(())
    }

    /// Numbers of an array, from one of them on, as a value of a type; 0 where the list does not say.
    fn initialise_part(
        &mut self,
        array: &Place,
        at: u64,
        ty: &Type,
        given: Option<&'a Node<'a>>,
        list: &'a Node<'a>,
    ) -> Result<()> {
        let given = given.filter(|given| given.kind != "ImplicitValueInitExpr");
        let Some((_, count)) = self.reader.structs.types.numbers(ty) else { return self.unknown(list) };
        match (ty, given) {
            (Type::Struct(id), Some(init)) if init.kind == "InitListExpr" => {
                let parts = self.reader.structs.types.structs[*id].declared().to_vec();
                self.initialise_parts(array, at, &parts, init)
            }
            (Type::Array(row), Some(init)) if init.kind == "InitListExpr" && row.extent.is_some() => {
                let Some((_, each)) = self.reader.structs.types.numbers(&row.elem) else { return self.unknown(list) };
                let values = if init.has_filler { &init.inner[1..] } else { &init.inner[..] };
                (0..row.extent.unwrap_or_default()).try_for_each(|k| {
                    self.initialise_part(array, at + k * each, &row.elem, values.get(k as usize), init)
                })
            }
            (Type::Struct(_), Some(init)) => {
                self.struct_into(Spot::Overlay(array.clone(), extent_constant(at), ty.clone()), init)
            }
            (ty, Some(init)) if ty.is_number() => {
                let value = self.whole_value(init)?;
                let spot = self.overlaid(array.clone(), extent_constant(at), ty.clone());
                self.write(spot, value, init)
            }
            (_, Some(init)) => self.unknown(init),
            (ty, None) => {
                let Some((number, _)) = self.reader.structs.types.numbers(ty) else { return self.unknown(list) };
                (0..count).try_for_each(|k| {
                    let spot = self.overlaid(array.clone(), extent_constant(at + k), number.clone());
                    self.write(spot, zero(&number), list)
                })
            }
        }
    }

    fn initialise_array(&mut self, to: Place, init: &'a Node<'a>, elem: Type, extent: u64) -> Result<()> {
        let given = if init.has_filler { &init.inner[1..] } else { &init.inner[..] };
        if let [only] = given
            && only.bare().kind == "StringLiteral"
        {
            return self.initialise_text(to, only.bare(), elem, extent);
        }
        let dim = Dim::of(extent_constant(extent));
        let first = address(self.first_element(to, dim, elem));
        // Elements that the list leaves out are zero; a loop clears them if they are many.
        let named =
            given.iter().rposition(|part| part.kind != "ImplicitValueInitExpr").map_or(0, |last| last as u64 + 1);
        for (index, part) in given.iter().take(named as usize).enumerate() {
            self.initialise(element(first.clone(), Expr::int(index as i128)), part)?;
        }
        let rest = extent.saturating_sub(named);
        let start = Expr::int(i128::from(named));
        if rest <= 4 {
            for index in named..extent {
                self.clear(element(first.clone(), Expr::int(i128::from(index))), init)?;
            }
            return Ok(());
        }
        self.each(extent_constant(rest), false, &mut |this, at| {
            let at = sum(start.clone(), at);
            this.clear(element(first.clone(), at), init)
        })
    }

    fn initialise_text(&mut self, to: Place, init: &'a Node<'a>, elem: Type, extent: u64) -> Result<()> {
        let Some(bytes) = text_bytes(&init.value) else { return self.unknown(init) };
        let dim = Dim::of(extent_constant(extent));
        let first = address(self.first_element(to, dim, elem.clone()));
        for index in 0..extent {
            let byte = bytes.get(index as usize).copied().unwrap_or(0);
            let value = constant(wrap(i128::from(byte), &elem), elem.clone());
            let place = element(first.clone(), Expr::int(i128::from(index)));
            self.write(Spot::Memory(place), value, init)?;
        }
        Ok(())
    }

    pub fn initialise_split(&mut self, to: Binding, init: Option<&'a Node<'a>>) -> Result<()> {
        let Binding::Split(id, members) = to else { return Ok(()) };
        for (index, member) in members.into_iter().enumerate() {
            let ty = self.reader.structs.types.structs[id].fields[FieldId::new(index)].ty.clone();
            let given = init.and_then(|init| init.inner.get(index)).filter(|part| part.kind != "ImplicitValueInitExpr");
            match (member, given) {
                (Binding::Var(var), Some(part)) => {
                    let value = self.value(part)?;
                    self.b.assign(var, value);
                }
                (Binding::Var(var), None) => drop(self.b.assign(var, zero(&ty))),
                (Binding::Object(object), part) => {
                    let place = Place { base: Base::Object(object), path: Vec::new(), ty };
                    match (part, init) {
                        (Some(part), _) => self.initialise(place, part)?,
                        (None, Some(init)) => self.clear(place, init)?,
                        (None, None) => {}
                    }
                }
                (Binding::Split(id, members), Some(part)) if part.kind != "InitListExpr" => {
                    self.struct_into(Spot::Split(id, members), part)?;
                }
                (split, part) => self.initialise_split(split, part.or(init.filter(|_| false)))?,
            }
        }
        Ok(())
    }
}

/// The bytes of a string literal as clang prints it.
fn text_bytes(literal: &str) -> Option<Vec<u8>> {
    let inside = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::new();
    let mut rest = inside.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            digit @ b'0'..=b'7' => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    match rest.peek() {
                        Some(digit @ b'0'..=b'7') => value = value * 8 + u32::from(digit - b'0'),
                        _ => break,
                    }
                    rest.next();
                }
                value as u8
            }
            other @ (b'\\' | b'"' | b'\'' | b'?') => other,
            _ => return None,
        });
    }
    Some(bytes)
}
