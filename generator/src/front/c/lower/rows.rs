//! Pointers to rows whose extent is a value.
//!
//! ```text
//!   double (*u)[m] = malloc(n * sizeof *u);    ──►    double *u = malloc(n * m * sizeof *u);
//!   u[i][j] = x;                                      u[i * m + j] = x;
//!   g(m, u + 1);                                      g(m, (double (*)[])(u + m));
//! ```
//!
//! No type of the intermediate representation has an extent that is a value. So such a pointer leads to elements here,
//! and what it moves by are elements. Only a parameter keeps its type, which the user's prototype declares; what is
//! computed from it and kept is a pointer to elements, too, and so is a parameter that the function assigns.

use super::place::Spot;
use super::*;
use make::*;

impl<'a> Lower<'_, 'a> {
    /// The type that a variable has here.
    pub fn variable_type(&self, ty: &CType) -> Type {
        ty.elements_of_rows().map_or_else(|| ty.ir(), Type::pointer)
    }

    /// A pointer as a variable of its type holds it: one to rows of variable extent leads to their first element.
    pub fn flat_pointer(&mut self, pointer: Expr, ty: &CType, node: &Node) -> Result<Expr> {
        let (CType::Pointer(to), Some(elem)) = (ty, ty.elements_of_rows()) else { return Ok(pointer) };
        if !leads_to_rows(&pointer) {
            return Ok(pointer);
        }
        if pointer.kind == ExprKind::Null {
            return Ok(zero(&Type::pointer(elem)));
        }
        let (mut place, mut row) = (element(pointer, Expr::int(0)), &to.ty);
        while let CType::Array(elem, extent) = row {
            let dim = self.dim(extent, node)?;
            place = self.first_element(place, dim, elem.ty.ir());
            row = &elem.ty;
        }
        Ok(address(place))
    }

    /// A parameter that the function moves over rows: a variable of its own stands for it.
    pub fn moved_rows(&mut self, node: &'a Node<'a>, param: VarId) -> Result<()> {
        let ty = self.ctype(node).ty;
        if ty.elements_of_rows().is_none() || !self.assigned.contains(&node.id) || self.addressed.contains(&node.id) {
            return Ok(());
        }
        let (name, elements, span) = (self.unique(&node.name), self.variable_type(&ty), self.span(node));
        let var = self.b.var(&name, elements, VarKind::Renamed, span);
        self.b.emit(ItemKind::DeclareVar { var });
        let rows = self.b.get(param);
        let first = self.flat_pointer(rows, &ty, node)?;
        self.b.assign(var, first);
        self.bind(node.id, Binding::Var(var));
        Ok(())
    }

    /// Memory behind a pointer: the element, or the row, at a subscript.
    pub fn behind(&mut self, pointer: Expr, at: Expr, node: &Node) -> Result<Spot> {
        self.check_access(node)?;
        match pointee(&pointer.ty) {
            Some(Type::Void | Type::Opaque(_)) | None => self.refuse(
                node,
                Class::Pointer,
                format!("memory of type '{}' is accessed", node.written_type),
                "access it through a pointer to its own type",
            ),
            Some(_) => {
                let row = self.ctype(node).ty;
                let at = self.moved_by(&pointer, at, &row, node)?;
                Ok(Spot::Memory(element(pointer, at)))
            }
        }
    }

    /// How far a pointer moves, in what it leads to here, when it moves by so many rows.
    pub fn moved_by(&mut self, pointer: &Expr, by: Expr, row: &CType, node: &Node) -> Result<Expr> {
        if !row.is_open() || leads_to_rows(pointer) {
            return Ok(by);
        }
        let (mut by, mut row) = (cast(by, long()), row);
        while let CType::Array(elem, extent) = row {
            let Dim { extent: Some(extent), .. } = self.dim(extent, node)? else { return self.unknown(node) };
            by = binary(Binary::Multiply, by, cast(*extent, long()), long());
            row = &elem.ty;
        }
        Ok(by)
    }

    /// A pointer to rows whose extents are constant as a pointer to the first element.
    pub fn first_of_rows(&mut self, mut pointer: Expr) -> Expr {
        while let Some(Type::Array(row)) = pointee(&pointer.ty).cloned() {
            let dim = Dim::from(row.extent.map(place::extent_constant));
            let first = element(pointer, Expr::int(0));
            pointer = address(self.first_element(first, dim, row.elem.clone()));
        }
        pointer
    }

    /// Whether the operands of an operator are pointers to rows of variable extent.
    pub fn moves_by_rows(&mut self, node: &Node) -> bool {
        node.inner.iter().any(|operand| self.ctype(operand).ty.elements_of_rows().is_some())
    }

    /// An argument as a parameter of its type takes it.
    pub fn row_argument(&mut self, arg: Expr, node: &'a Node<'a>) -> Result<Expr> {
        let found = self.ctype(node).ty;
        if found.elements_of_rows().is_none() || arg.kind == ExprKind::Null {
            return Ok(arg);
        }
        // Sweeps have flat subscripts, so they cannot name a row of an array that a pointer leads to.
        let is_row = match &arg.kind {
            ExprKind::Address(place) => matches!(place.base, Base::At(_)),
            _ => false,
        };
        if leads_to_rows(&arg) && !is_row {
            return Ok(arg);
        }
        let first = self.flat_pointer(arg, &found, node)?;
        Ok(cast(first, found.ir()))
    }
}

/// Whether a pointer leads to arrays.
pub fn leads_to_rows(pointer: &Expr) -> bool {
    matches!(pointee(&pointer.ty), Some(Type::Array(_)))
}
