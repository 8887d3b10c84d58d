//! What can stand left of `=`: variables and memory.

use super::*;
use crate::front::c::types::Extent;
use make::*;

/// Numbers of a struct that are copied one by one.
const MOST_COPIED: u64 = 64;

/// What an lvalue names.
#[derive(Clone, Debug)]
pub enum Spot {
    /// A scalar in SSA form.
    Var(VarId),
    /// Memory.
    Memory(Place),
    /// Numbers of an array, from one of them on, as a member has them that is another name for them.
    Overlay(Place, Expr, Type),
    /// A struct that is kept as scalars.
    Split(StructId, Vec<Binding>),
    /// A number that never changes.
    Constant(i128, Type),
    /// Text that only passes through.
    Text(String, Type),
}

impl<'a> Lower<'_, 'a> {
    /// An lvalue, or the memory in which a struct value stands.
    pub fn place(&mut self, node: &'a Node<'a>) -> Result<Spot> {
        match node.kind {
            "ParenExpr" => self.place(node.only()),
            "DeclRefExpr" => self.named(node),
            "ArraySubscriptExpr" => {
                let [base, index] = &node.inner[..] else { return self.unknown(node) };
                let (base, index) = if self.is_pointer(base) { (base, index) } else { (index, base) };
                if let Some(overlaid) = self.overlaid_array(base)? {
                    let aside = self.begin_operand();
                    let index = self.value(index)?;
                    self.end_operand(aside, base)?;
                    let (array, at, elem) = overlaid;
                    return Ok(self.overlaid_element(array, at, elem, index));
                }
                let pointer = self.value(base)?;
                let aside = self.begin_operand();
                let at = self.value(index)?;
                self.end_operand(aside, index)?;
                self.behind(pointer, at, node)
            }
            "UnaryOperator" if node.operator == "*" && scan::is_errno(node) => {
                let binding = self.errno(node);
                self.bound(binding, node)
            }
            "UnaryOperator" if node.operator == "*" => {
                let pointer = self.value(node.only())?;
                self.behind(pointer, Expr::int(0), node)
            }
            "UnaryOperator" if node.operator == "__extension__" => self.place(node.only()),
            "MemberExpr" => self.member(node),
            "ImplicitCastExpr" if matches!(node.operator.as_ref(), "LValueToRValue" | "NoOp") => {
                self.place(node.only())
            }
            "CompoundLiteralExpr" => self.compound_literal(node),
            "StringLiteral" => Ok(Spot::Text(node.value.to_string(), Type::Opaque("text".into()))),
            "PredefinedExpr" => Ok(Spot::Text(node.name.to_string(), Type::Opaque("text".into()))),
            "CallExpr" | "ConditionalOperator" | "BinaryOperator" | "StmtExpr" => self.struct_value(node),
            _ => self.unknown(node),
        }
    }

    fn is_pointer(&mut self, node: &Node) -> bool {
        matches!(self.ctype(node).ty, CType::Pointer(_))
    }

    /// Refuses what may not be touched, whatever the access: volatile memory, unions, bit-fields.
    pub fn check_access(&mut self, node: &Node) -> Result<()> {
        let found = self.ctype(node);
        let (what, help) = match &found.ty {
            _ if found.is_volatile() && matches!(self.bindings.get(&node.refers), Some(Binding::Var(_))) => {
                return Ok(());
            }
            _ if found.is_volatile() => ("volatile memory is accessed".to_string(), "remove volatile"),
            CType::Opaque(name) if name.contains("bit-field") => {
                ("a bit-field is accessed".to_string(), "use a member of an integer type")
            }
            CType::Opaque(name) if name.contains("union") => {
                (format!("'{name}' is accessed: its members share memory"), "use a struct")
            }
            CType::Opaque(name) if name.contains("volatile") => {
                ("volatile memory is accessed".to_string(), "remove volatile")
            }
            CType::Opaque(name) => {
                (format!("a value of type '{name}' is used"), "use float, double, integers and structs")
            }
            _ => return Ok(()),
        };
        self.refuse(node, Class::Type, what, help)
    }

    fn named(&mut self, node: &'a Node<'a>) -> Result<Spot> {
        if let Some(refusal) = self.refused.get(&node.refers) {
            // One reason is enough: the use of what was refused where it is declared is not another one.
            return Err(refusal.clone());
        }
        let binding = match self.bindings.get(&node.refers) {
            Some(binding) => binding.clone(),
            None => self.global(node)?,
        };
        self.bound(binding, node)
    }

    fn bound(&mut self, binding: Binding, node: &Node) -> Result<Spot> {
        Ok(match binding {
            Binding::Var(var) => Spot::Var(var),
            Binding::Constant(value) => Spot::Constant(value, self.ir_type(node)),
            Binding::Stream(name) => Spot::Text(name, self.ir_type(node)),
            Binding::Split(id, members) => Spot::Split(id, members),
            Binding::Object(object) => {
                self.check_access(node)?;
                Spot::Memory(Place { base: Base::Object(object), path: Vec::new(), ty: self.ir_type(node) })
            }
            Binding::Global(global) => {
                self.check_access(node)?;
                Spot::Memory(Place { base: Base::Global(global), path: Vec::new(), ty: self.ir_type(node) })
            }
        })
    }

    fn member(&mut self, node: &'a Node<'a>) -> Result<Spot> {
        let base_node = node.only();
        let base = if node.flag {
            let pointer = self.value(base_node)?;
            match pointee(&pointer.ty) {
                Some(Type::Struct(_)) => Spot::Memory(element(pointer, Expr::int(0))),
                _ => return self.no_member(node, base_node),
            }
        } else {
            self.place(base_node)?
        };
        if let Some((first, ty)) = self.reader.units[self.unit].overlays.get(&node.refers).cloned() {
            let first = extent_constant(first);
            let array = match base {
                Spot::Overlay(array, at, _) => return Ok(self.overlaid(array, sum(at, first), ty)),
                Spot::Split(id, members) if members.len() == 1 => self.spot_of(members[0].clone(), id, 0),
                Spot::Memory(place) => match place.ty {
                    Type::Struct(id) => Spot::Memory(self.field(&place, id, 0)),
                    _ => return self.no_member(node, base_node),
                },
                _ => return self.no_member(node, base_node),
            };
            let Spot::Memory(array) = array else { return self.no_member(node, base_node) };
            return Ok(self.overlaid(array, first, ty));
        }
        let Some(field) = self.reader.units[self.unit].fields.get(&node.refers).copied() else {
            return self.no_member(node, base_node);
        };
        match base {
            Spot::Overlay(array, at, Type::Struct(id)) => {
                let types = &self.reader.structs.types;
                let fields = &types.structs[id].fields;
                let before = fields.iter().take(field.index()).map(|field| types.numbers(&field.ty));
                let before: Option<u64> = before.map(|numbers| Some(numbers?.1)).sum();
                let (Some(before), Some(this)) = (before, fields.get(field.index())) else { return self.unknown(node) };
                let ty = this.ty.clone();
                Ok(self.overlaid(array, sum(at, extent_constant(before)), ty))
            }
            Spot::Split(_, members) => match members.get(field.index()) {
                Some(binding) => self.bound(binding.clone(), node),
                None => self.unknown(node),
            },
            Spot::Memory(mut place) => {
                let Type::Struct(id) = place.ty else { return self.no_member(node, base_node) };
                let Some(declared) = self.reader.structs.types.structs[id].fields.get(field.index()) else {
                    return self.unknown(node);
                };
                let ty = declared.ty.clone();
                if let Type::Opaque(name) = &ty {
                    let name = name.clone();
                    return self.refuse(
                        node,
                        Class::Type,
                        format!("member '{}' is of a kind that is not supported: {name}", node.name),
                        "use members of type float, double, integer, pointer, array or struct",
                    );
                }
                place.path.push(Step::Field(field));
                place.ty = ty;
                self.check_access(node)?;
                Ok(Spot::Memory(place))
            }
            _ => self.no_member(node, base_node),
        }
    }

    /// Elements of an array, from one on, as a value of a type.
    pub fn overlaid(&mut self, array: Place, at: Expr, ty: Type) -> Spot {
        if ty == array.ty && known(&at) == Some(0) {
            return Spot::Memory(array);
        }
        if matches!(ty, Type::Array(_) | Type::Struct(_)) {
            return Spot::Overlay(array, at, ty);
        }
        Spot::Memory(self.element_of(array, at, ty))
    }

    /// The array that a subscript applies to, if it is overlaid: its numbers from one on, and its elements' type.
    fn overlaid_array(&mut self, base: &'a Node<'a>) -> Result<Option<(Place, Expr, Type)>> {
        let decays = |node: &Node| node.kind == "ImplicitCastExpr" && node.operator == "ArrayToPointerDecay";
        let array = Some(base.bare()).filter(|base| decays(base)).map(Node::only);
        let Some(array) = array.filter(|array| self.is_overlaid(array)) else { return Ok(None) };
        match self.place(array)? {
            Spot::Overlay(at, first, Type::Array(row)) => Ok(Some((at, first, row.elem.clone()))),
            Spot::Memory(Place { ty: Type::Array(row), base, path }) => {
                let elem = row.elem.clone();
                Ok(Some((Place { base, path, ty: Type::Array(row) }, Expr::int(0), elem)))
            }
            _ => self.unknown(base),
        }
    }

    /// Whether an array is another name for numbers of an array.
    fn is_overlaid(&mut self, array: &'a Node<'a>) -> bool {
        let array = array.bare();
        match (array.kind, &array.inner[..]) {
            ("MemberExpr", [base]) => {
                self.ctype(base);
                self.reader.units[self.unit].overlays.contains_key(&array.refers)
                    || (!array.flag && self.is_overlaid(base))
            }
            ("ArraySubscriptExpr", [base, _]) => {
                let base = base.bare();
                base.kind == "ImplicitCastExpr"
                    && base.operator == "ArrayToPointerDecay"
                    && self.is_overlaid(base.only())
            }
            _ => false,
        }
    }

    fn overlaid_element(&mut self, array: Place, first: Expr, elem: Type, index: Expr) -> Spot {
        let count = self.reader.structs.types.numbers(&elem).map_or(1, |(_, count)| count);
        let step = match known(&index) {
            Some(index) => Expr::int(index * i128::from(count)),
            None if count == 1 => index,
            None => {
                let ty = if matches!(index.ty, Type::Int { bits: 32.., signed: true, .. }) {
                    index.ty.clone()
                } else {
                    long()
                };
                binary(Binary::Multiply, cast(index, ty.clone()), constant(i128::from(count), ty.clone()), ty)
            }
        };
        self.overlaid(array, sum(first, step), elem)
    }

    /// The first number of a struct that is taken for an array, as a place of a number.
    pub fn first_number(&mut self, whole: Place) -> Option<Place> {
        let Type::Struct(id) = whole.ty else { return None };
        let [Field { ty: Type::Array(row), .. }] = &self.reader.structs.types.structs[id].fields.as_slice() else {
            return None;
        };
        let elem = row.elem.clone();
        let array = self.field(&whole, id, 0);
        Some(self.element_of(array, Expr::int(0), elem))
    }

    /// A number of a struct or array in either form, by its position.
    fn number_at(&mut self, whole: &Spot, at: u64, node: &Node) -> Result<Spot> {
        let (mut spot, mut at) = (whole.clone(), at);
        loop {
            let types = &self.reader.structs.types;
            let ty = match &spot {
                Spot::Overlay(_, _, ty) => ty.clone(),
                Spot::Memory(place) => place.ty.clone(),
                _ => return self.unknown(node),
            };
            spot = match (spot, ty) {
                (Spot::Overlay(array, first, ty), _) => {
                    let Some((number, _)) = types.numbers(&ty) else { return self.unknown(node) };
                    return Ok(Spot::Memory(self.element_of(array, sum(first, extent_constant(at)), number)));
                }
                (Spot::Memory(place), Type::Array(row)) => {
                    let Some((_, each)) = types.numbers(&row.elem) else { return self.unknown(node) };
                    let dim = Dim::from(row.extent.map(extent_constant));
                    let first = address(self.first_element(place, dim, row.elem.clone()));
                    let inner = element(first, extent_constant(at / each));
                    at %= each;
                    Spot::Memory(inner)
                }
                (Spot::Memory(place), Type::Struct(id)) => {
                    let fields = &types.structs[id].fields;
                    let mut index = 0;
                    for field in fields {
                        let Some((_, each)) = types.numbers(&field.ty) else { return self.unknown(node) };
                        if at < each {
                            break;
                        }
                        (at, index) = (at - each, index + 1);
                    }
                    Spot::Memory(self.field(&place, id, index))
                }
                (spot, _) => return Ok(spot),
            };
        }
    }

    /// Copies numbers one by one where a struct or array is another name for elements of an array.
    pub fn copy_numbers(&mut self, to: &Spot, from: &Spot, ty: &Type, node: &Node) -> Result<()> {
        match self.reader.structs.types.numbers(ty) {
            Some((_, count)) if count <= MOST_COPIED => (0..count).try_for_each(|at| {
                let (to, from) = (self.number_at(to, at, node)?, self.number_at(from, at, node)?);
                let value = self.read(from, node)?;
                self.write(to, value, node)
            }),
            _ => self.unknown(node),
        }
    }

    fn element_of(&mut self, array: Place, at: Expr, ty: Type) -> Place {
        let extent = if let Type::Array(row) = &array.ty { row.extent } else { None };
        let dim = Dim::from(extent.map(extent_constant));
        let mut place = self.first_element(array, dim, ty);
        if let Some(Step::Index(subscripts)) = place.path.last_mut()
            && let Some(last) = subscripts.last_mut()
        {
            last.at = at;
        }
        place
    }

    fn no_member<T>(&mut self, node: &Node, base: &Node) -> Result<T> {
        self.refuse(
            node,
            Class::Type,
            format!(
                "member '{}' of '{}' is accessed: only structs with a visible definition are supported",
                node.name, base.written_type
            ),
            "use a struct; a union's members share memory",
        )
    }

    /// The value of an lvalue.
    pub fn read(&mut self, spot: Spot, node: &Node) -> Result<Expr> {
        match spot {
            Spot::Var(var) => Ok(self.chosen(var)),
            Spot::Constant(value, ty) => Ok(constant(value, ty)),
            Spot::Text(text, ty) => Ok(Expr::verbatim(text, ty)),
            Spot::Memory(place) if self.is_errno(&place) => self.refuse(
                node,
                Class::Language,
                "'errno' is read, which any function of the library may have written",
                "test the arguments or the result of the function; errno may be written",
            ),
            Spot::Memory(place) if self.is_signgam(&place) => self.refuse(
                node,
                Class::Language,
                "'signgam' is read, which 'lgamma' writes and the reverse sweep does not bring back",
                "call lgamma_r, which gives the sign through a pointer",
            ),
            Spot::Memory(place) if matches!(place.ty, Type::Int { .. } | Type::Float { .. } | Type::Pointer(_)) => {
                self.touch(&place, false);
                Ok(load(place))
            }
            _ => self.unknown(node),
        }
    }

    /// Writes an lvalue.
    pub fn write(&mut self, spot: Spot, from: Expr, node: &Node) -> Result<()> {
        match spot {
            Spot::Var(var) => self.assign_variable(var, from, node),
            Spot::Memory(to) if matches!(to.ty, Type::Int { .. } | Type::Float { .. } | Type::Pointer(_)) => {
                self.touch(&to, true);
                let written = effects::Kinds::of(&to.ty, &self.reader.structs.types);
                let to = self.settled(to, written);
                self.b.emit(ItemKind::Store { to, from });
                Ok(())
            }
            _ => self.unknown(node),
        }
    }

    /// An array as a pointer to its first element.
    pub fn decayed(&mut self, node: &'a Node<'a>) -> Result<Expr> {
        let bare = node.bare();
        if matches!(bare.kind, "StringLiteral" | "PredefinedExpr") {
            let text = if bare.value.is_empty() { bare.name.to_string() } else { bare.value.to_string() };
            let text = if bare.kind == "PredefinedExpr" { format!("\"{}\"", self.b.proc().name) } else { text };
            let character = Type::char();
            return Ok(Expr::verbatim(text, Type::pointer(character)));
        }
        let found = self.ctype(node);
        let CType::Array(elem, extent) = found.ty else { return self.unknown(node) };
        let place = match self.place(node)? {
            // A row of variable extent: its first element.
            Spot::Memory(place) if !matches!(place.ty, Type::Array(_)) => return Ok(address(place)),
            Spot::Memory(place) => place,
            // A list of arguments.
            Spot::Text(text, _) => {
                let ty = Type::pointer(elem.ty.ir());
                return Ok(Expr::verbatim(text, ty));
            }
            Spot::Overlay(array, at, Type::Array(row)) if row.elem.is_number() => {
                return Ok(address(self.element_of(array, at, row.elem.clone())));
            }
            _ => return self.unknown(node),
        };
        let dim = self.dim(&extent, node)?;
        Ok(address(self.first_element(place, dim, elem.ty.ir())))
    }

    /// The first element of an array.
    pub fn first_element(&mut self, mut place: Place, dim: Dim, elem: Type) -> Place {
        let subscript = Subscript { at: Expr::int(0), dim };
        match place.path.last_mut() {
            Some(Step::Index(subscripts)) => subscripts.push(subscript),
            _ => place.path.push(Step::Index(vec![subscript])),
        }
        place.ty = elem;
        place
    }

    /// The dimension with an extent.
    pub fn dim(&mut self, extent: &Extent, node: &Node) -> Result<Dim> {
        let extent = match extent {
            Extent::Known(extent) => Some(extent_constant(*extent)),
            Extent::Unknown => None,
            Extent::Text(text) => match self.extents.get(text) {
                Some(expr) => Some(expr.clone()),
                None => {
                    return self.refuse(
                        node,
                        Class::Type,
                        format!("the extent '{text}' of an array is not known here"),
                        "declare the array with this extent in the same function",
                    );
                }
            },
        };
        Ok(Dim::from(extent))
    }

    /// `&e`
    pub fn address_of(&mut self, node: &'a Node<'a>) -> Result<Expr> {
        let inner = node.only();
        if inner.bare().kind == "DeclRefExpr" && inner.bare().refers_kind == "FunctionDecl" {
            if let Some(function) = self.function_name(node) {
                return Ok(function);
            }
            return self.refuse(
                node,
                Class::Control,
                "the address of a function is taken: what a function pointer calls is not known here",
                "call the function by its name",
            );
        }
        match self.place(inner)? {
            Spot::Memory(place) if !self.is_errno(&place) => Ok(address(place)),
            Spot::Constant(..) => match self.constant_memory(inner.bare())? {
                Some(place) => Ok(address(place)),
                None => self.no_address(node),
            },
            _ => self.no_address(node),
        }
    }

    fn no_address(&mut self, node: &Node) -> Result<Expr> {
        self.refuse(node, Class::Pointer, "the address of this is taken", "use a variable")
    }
}

/// A constant extent.
pub fn extent_constant(extent: u64) -> Expr {
    let ty = if i32::try_from(extent).is_ok() { Type::int() } else { long() };
    constant(i128::from(extent), ty)
}
