//! Structs: copied member by member, passed and returned.

use super::place::Spot;
use super::*;
use make::*;

impl<'a> Lower<'_, 'a> {
    /// `to = from;` of structs. What a call returns goes by way of memory of its own: the reverse sweep may need what it
    /// overwrites, some members and not others.
    pub fn struct_assignment(&mut self, to: &'a Node<'a>, from: &'a Node<'a>) -> Result<()> {
        let to_spot = self.place(to)?;
        self.struct_copied(to_spot, from)
    }

    /// Puts the value of a struct expression into a place that holds nothing yet.
    pub fn struct_into(&mut self, to: Spot, from: &'a Node<'a>) -> Result<()> {
        let bare = from.bare();
        if bare.kind == "CallExpr"
            && let Spot::Memory(place) = &to
            && let Some(id) = self.struct_callee(bare)?
        {
            return self.call_into(bare, id, place.clone());
        }
        self.struct_copied(to, from)
    }

    fn struct_copied(&mut self, to: Spot, from: &'a Node<'a>) -> Result<()> {
        let aside = self.begin_operand();
        let from_spot = self.place(from)?;
        self.end_operand(aside, from)?;
        self.copy_spot(to, from_spot, from)
    }

    fn struct_callee(&mut self, call: &'a Node<'a>) -> Result<Option<ProcId>> {
        let Some((unit, name)) = self.called(call) else { return Ok(None) };
        let given = self.given(unit, &name, call);
        Ok(self.reader.procedure(unit, &name, false, given))
    }

    fn copy_spot(&mut self, to: Spot, from: Spot, node: &'a Node<'a>) -> Result<()> {
        match (to, from) {
            (Spot::Memory(to), Spot::Memory(from)) => self.copy_struct(to, from, node),
            (Spot::Overlay(array, at, ty), from) => {
                self.copy_numbers(&Spot::Overlay(array, at, ty.clone()), &from, &ty, node)
            }
            (to, Spot::Overlay(array, at, ty)) => {
                self.copy_numbers(&to, &Spot::Overlay(array, at, ty.clone()), &ty, node)
            }
            (Spot::Split(id, members), from) => {
                for (index, member) in members.into_iter().enumerate() {
                    let from = self.part(&from, id, index, node)?;
                    let to = self.spot_of(member, id, index);
                    self.copy_spot(to, from, node)?;
                }
                Ok(())
            }
            (to, Spot::Split(id, members)) => {
                for (index, member) in members.into_iter().enumerate() {
                    let from = self.spot_of(member, id, index);
                    let to = self.part(&to, id, index, node)?;
                    self.copy_spot(to, from, node)?;
                }
                Ok(())
            }
            (to, from) => {
                let value = self.read(from, node)?;
                self.write(to, value, node)
            }
        }
    }

    /// A member of a struct in either form.
    fn part(&mut self, whole: &Spot, id: StructId, index: usize, node: &'a Node<'a>) -> Result<Spot> {
        match whole {
            Spot::Split(id, members) => match members.get(index) {
                Some(member) => Ok(self.spot_of(member.clone(), *id, index)),
                None => self.unknown(node),
            },
            Spot::Memory(place) => Ok(Spot::Memory(self.field(place, id, index))),
            _ => self.unknown(node),
        }
    }

    pub fn spot_of(&mut self, binding: Binding, id: StructId, index: usize) -> Spot {
        match binding {
            Binding::Var(var) => Spot::Var(var),
            Binding::Split(id, members) => Spot::Split(id, members),
            Binding::Object(object) => {
                let ty = self.reader.structs.types.structs[id].fields[FieldId::new(index)].ty.clone();
                Spot::Memory(Place { base: Base::Object(object), path: Vec::new(), ty })
            }
            Binding::Global(_) | Binding::Constant(_) | Binding::Stream(_) => Spot::Constant(0, Type::int()),
        }
    }

    pub fn field(&self, place: &Place, id: StructId, index: usize) -> Place {
        let mut place = place.clone();
        place.path.push(Step::Field(FieldId::new(index)));
        place.ty = self.reader.structs.types.structs[id].fields[FieldId::new(index)].ty.clone();
        place
    }

    /// Whether a struct is taken for an array of its numbers.
    pub fn is_view(&self, id: StructId) -> bool {
        !self.reader.structs.types.structs[id].parts.is_empty()
    }

    /// Copies a scalar, struct or array, element by element.
    pub fn copy_struct(&mut self, to: Place, from: Place, node: &'a Node<'a>) -> Result<()> {
        match to.ty.clone() {
            Type::Struct(id) if self.is_view(id) => {
                let ty = to.ty.clone();
                self.copy_numbers(&Spot::Memory(to), &Spot::Memory(from), &ty, node)
            }
            Type::Struct(id) => {
                for index in 0..self.reader.structs.types.structs[id].fields.len() {
                    self.copy_struct(self.field(&to, id, index), self.field(&from, id, index), node)?;
                }
                Ok(())
            }
            Type::Array(row) => {
                let Some(extent) = row.extent else { return Ok(()) };
                let count = place::extent_constant(extent);
                let dim = Dim::of(count.clone());
                let to = address(self.first_element(to, dim.clone(), row.elem.clone()));
                let from = address(self.first_element(from, dim, row.elem.clone()));
                self.each(count, false, &mut |this, at| {
                    this.copy_struct(element(to.clone(), at.clone()), element(from.clone(), at), node)
                })
            }
            _ => {
                let value = self.read(Spot::Memory(from), node)?;
                self.write(Spot::Memory(to), value, node)
            }
        }
    }

    /// Sets a scalar, struct or array to zero.
    pub fn clear(&mut self, to: Place, node: &'a Node<'a>) -> Result<()> {
        match to.ty.clone() {
            Type::Struct(id) => {
                for index in 0..self.reader.structs.types.structs[id].fields.len() {
                    self.clear(self.field(&to, id, index), node)?;
                }
                Ok(())
            }
            Type::Array(row) => {
                let Some(extent) = row.extent else { return Ok(()) };
                let count = place::extent_constant(extent);
                let dim = Dim::of(count.clone());
                let to = address(self.first_element(to, dim, row.elem.clone()));
                self.each(count, false, &mut |this, at| this.clear(element(to.clone(), at), node))
            }
            ty => self.write(Spot::Memory(to), zero(&ty), node),
        }
    }

    /// Memory that holds the value of a struct expression.
    pub fn struct_place(&mut self, node: &'a Node<'a>) -> Result<Place> {
        match self.place(node)? {
            Spot::Memory(place) => Ok(place),
            spot => {
                let into = self.struct_temporary(node)?;
                self.copy_spot(Spot::Memory(into.clone()), spot, node)?;
                Ok(into)
            }
        }
    }

    /// Fresh memory for a struct.
    pub fn struct_temporary(&mut self, node: &Node) -> Result<Place> {
        let ty = self.ir_type(node);
        let name = self.unique("value");
        let (life, span) = (Life::Region(self.b.region()), self.span(node));
        let object = Object { name, elem: ty.clone(), shape: Vec::new(), life, constant: false, span };
        let object = self.b.object(object);
        self.private.insert(object);
        self.b.emit(ItemKind::Declare { object });
        Ok(Place { base: Base::Object(object), path: Vec::new(), ty })
    }

    /// A struct that an expression computes: a call, a choice, an assignment.
    pub fn struct_value(&mut self, node: &'a Node<'a>) -> Result<Spot> {
        if !matches!(self.ctype(node).ty, CType::Struct(_)) {
            return self.unknown(node);
        }
        match (node.kind, &node.inner[..]) {
            ("CallExpr", _) => {
                let Some(id) = self.struct_callee(node)? else {
                    self.call(node, true)?;
                    return self.unknown(node);
                };
                let into = self.struct_temporary(node)?;
                self.call_into(node, id, into.clone())?;
                Ok(Spot::Memory(into))
            }
            ("BinaryOperator", [left, right]) if node.operator == "=" => {
                self.struct_assignment(left, right)?;
                self.place(left)
            }
            ("BinaryOperator", [left, right]) if node.operator == "," => {
                self.effect(left)?;
                self.place(right)
            }
            ("ConditionalOperator", [on, then, otherwise]) => {
                let on = self.truth(on)?;
                let into = self.struct_temporary(node)?;
                self.b.begin_branch(on);
                self.struct_into(Spot::Memory(into.clone()), then)?;
                self.b.otherwise();
                self.struct_into(Spot::Memory(into.clone()), otherwise)?;
                self.b.end_branch();
                Ok(Spot::Memory(into))
            }
            _ => self.unknown(node),
        }
    }

    /// `(struct point){1, 2}`, `(double[]){1, 2}`
    pub fn compound_literal(&mut self, node: &'a Node<'a>) -> Result<Spot> {
        let place = match self.ctype(node).ty {
            CType::Struct(_) => self.struct_temporary(node)?,
            ty @ CType::Array(..) => {
                let name = self.unique("literal");
                let object = self.array_object(name, &ty, node)?;
                self.b.emit(ItemKind::Declare { object });
                Place { base: Base::Object(object), path: Vec::new(), ty: ty.ir() }
            }
            _ => return self.unknown(node),
        };
        self.initialise(place.clone(), node.only())?;
        Ok(Spot::Memory(place))
    }
}
