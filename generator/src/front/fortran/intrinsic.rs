//! Procedures that every compiler has.

use super::arrays::TRANSFORMED;
use super::expression::promoted;
use super::make::*;
use super::phrases::ASKING;
use super::reductions::REDUCING;
use super::state::{Lower, Memory, Result};
use super::types::{integer, logical};
use crate::ir::*;
use crate::refuse::Class;
use adtape_fortran::scope::value::Value as Constant;
use adtape_fortran::tree::expression::{ArgumentValue, Expr as Written, Part};

/// Names for one type, and the generic name.
const SPECIFIC: &[(&str, &str)] = &[
    ("alog", "log"),
    ("alog10", "log10"),
    ("amax0", "max"),
    ("amax1", "max"),
    ("amin0", "min"),
    ("amin1", "min"),
    ("amod", "mod"),
    ("dabs", "abs"),
    ("dacos", "acos"),
    ("dasin", "asin"),
    ("datan", "atan"),
    ("datan2", "atan2"),
    ("dcos", "cos"),
    ("dcosh", "cosh"),
    ("ddim", "dim"),
    ("derf", "erf"),
    ("derfc", "erfc"),
    ("dexp", "exp"),
    ("dint", "aint"),
    ("dlog", "log"),
    ("dlog10", "log10"),
    ("dmax1", "max"),
    ("dmin1", "min"),
    ("dmod", "mod"),
    ("dnint", "anint"),
    ("dsign", "sign"),
    ("dsin", "sin"),
    ("dsinh", "sinh"),
    ("dsqrt", "sqrt"),
    ("dtan", "tan"),
    ("dtanh", "tanh"),
    ("float", "real"),
    ("iabs", "abs"),
    ("idim", "dim"),
    ("idint", "int"),
    ("idnint", "nint"),
    ("ifix", "int"),
    ("isign", "sign"),
    ("max0", "max"),
    ("min0", "min"),
    ("sngl", "real"),
];

/// Functions of one or two reals, and how C calls them.
const OF_REALS: &[(&str, &str)] = &[
    ("acos", "acos"),
    ("acosd", "acosd"),
    ("acosh", "acosh"),
    ("asin", "asin"),
    ("asind", "asind"),
    ("asinh", "asinh"),
    ("atan", "atan"),
    ("atand", "atand"),
    ("atan2", "atan2"),
    ("atan2d", "atan2d"),
    ("atanh", "atanh"),
    ("bessel_j0", "j0"),
    ("bessel_j1", "j1"),
    ("bessel_y0", "y0"),
    ("bessel_y1", "y1"),
    ("cos", "cos"),
    ("cosd", "cosd"),
    ("cosh", "cosh"),
    ("erf", "erf"),
    ("erfc", "erfc"),
    ("exp", "exp"),
    ("gamma", "tgamma"),
    ("hypot", "hypot"),
    ("log", "log"),
    ("log10", "log10"),
    ("log_gamma", "lgamma"),
    ("sin", "sin"),
    ("sind", "sind"),
    ("sinh", "sinh"),
    ("sqrt", "sqrt"),
    ("tan", "tan"),
    ("tand", "tand"),
    ("tanh", "tanh"),
];

impl<'t> Lower<'_, 't> {
    /// A call of a procedure that every compiler has, or an element of its result.
    pub fn intrinsic(&mut self, expr: &'t Written, name: &str, part: &'t Part, at: &[Expr]) -> Result<Expr> {
        match self.names.constant(self.scope, expr) {
            Some(value @ (Constant::Integer(..) | Constant::Logical(..))) => return self.constant(&value, expr),
            Some(value @ Constant::Real(real)) if !real.is_approximate => return self.constant(&value, expr),
            _ => {}
        }
        let generic = SPECIFIC.iter().find(|(specific, _)| *specific == name).map_or(name, |(_, generic)| generic);
        if let Some((_, of_c)) = OF_REALS.iter().find(|(own, _)| *own == generic) {
            let list = self.arguments(part, &[]);
            let of_c = match (generic, list.len()) {
                ("atan", 2) => "atan2",
                ("atand", 2) => "atan2d",
                _ => of_c,
            };
            return self.of_reals(expr, of_c, &list, at);
        }
        match generic {
            "abs" | "aint" | "anint" | "nint" | "int" | "floor" | "ceiling" | "real" | "dble" | "logical" => {
                self.of_one(expr, generic, part, at)
            }
            "spacing" => {
                let [x] = self.given(expr, part, ["x"])?;
                self.of_fortran(expr, generic, &[x], at)
            }
            "nearest" => {
                let [x, s] = self.given(expr, part, ["x", "s"])?;
                self.of_fortran(expr, generic, &[x, s], at)
            }
            "scale" => {
                let [x, i] = self.given(expr, part, ["x", "i"])?;
                self.scaled(expr, x, i, at)
            }
            "max" | "min" => self.extremum(expr, generic == "max", part, at),
            "mod" | "modulo" | "sign" | "dim" | "iand" | "ior" | "ieor" => self.of_two(expr, generic, part, at),
            "not" => {
                let [x] = self.given(expr, part, ["i"])?;
                let x = self.element(x, at)?;
                let ty = x.ty.clone();
                Ok(Expr::unary(Unary::Complement, x, ty))
            }
            "merge" => self.merge(expr, part, at),
            "present" => {
                let [name] = self.given(expr, part, ["a"])?;
                self.present(name)
            }
            "allocated" => {
                let [name] = self.given(expr, part, ["array"])?;
                self.is_allocated(expr, name)
            }
            "trim" => self.text(expr),
            _ if ASKING.contains(&generic) => self.asked_of_texts(expr, generic, part),
            _ if TRANSFORMED.contains(&generic) => self.rearranged(expr, generic, part, at),
            "size" | "lbound" | "ubound" => self.inquiry(expr, generic, part),
            _ if REDUCING.contains(&generic) => self.reduction(expr, generic, part, at),
            "maxloc" | "minloc" => self.location(expr, generic, part, at),
            "dot_product" => {
                let [a, b] = self.given(expr, part, ["vector_a", "vector_b"])?;
                self.hoist_parts(a)?;
                self.hoist_parts(b)?;
                let shape = self.shape(a)?;
                self.sum_over(expr, &shape, &mut |this, at| this.product_of(a, at, b, at))
            }
            _ => self.not_here(expr, name),
        }
    }

    pub fn not_here<T>(&mut self, expr: &'t Written, name: &str) -> Result<T> {
        let what = format!("'{name}' is not supported here");
        self.refuse(expr.span, Class::Language, what, "write out what it computes")
    }

    /// Arguments in the order of their names; those without one in the order of the call.
    pub fn arguments(&self, part: &'t Part, names: &[&str]) -> Vec<Option<&'t Written>> {
        let list = part.lists.first().map_or(&[][..], |list| list);
        let mut found = vec![None; names.len().max(list.len())];
        for (position, argument) in list.iter().enumerate() {
            let ArgumentValue::Expr(value) = &argument.value else { continue };
            let keyword = argument.keyword.as_ref().map(|keyword| &*keyword.name);
            let place = keyword.map_or(Some(position), |keyword| names.iter().position(|name| *name == keyword));
            if let Some(place) = place {
                found[place] = Some(value);
            }
        }
        found
    }

    /// So many arguments that must be there.
    pub fn given<const N: usize>(
        &mut self,
        expr: &'t Written,
        part: &'t Part,
        names: [&str; N],
    ) -> Result<[&'t Written; N]> {
        let found: Vec<&'t Written> = self.arguments(part, &names).into_iter().take(N).flatten().collect();
        match found.try_into() {
            Ok(found) => Ok(found),
            Err(_) => self.refuse(expr.span, Class::Language, "an argument is missing", ""),
        }
    }

    fn of_reals(&mut self, expr: &'t Written, of_c: &str, list: &[Option<&'t Written>], at: &[Expr]) -> Result<Expr> {
        let mut args = Vec::new();
        for argument in list.iter().flatten() {
            args.push(self.element(argument, at)?);
        }
        let bits = args.iter().find_map(|arg| if let Type::Float { bits } = arg.ty { Some(bits) } else { None });
        match (Function::named(of_c), bits) {
            (Some(function), Some(bits)) if function.arity() == args.len() => {
                let ty = Type::Float { bits };
                let args = args.into_iter().map(|arg| convert(arg, &ty)).collect();
                Ok(Expr::function(function.at(bits), args, ty))
            }
            _ => self.not_here(expr, of_c),
        }
    }

    /// A function of reals of one kind that C lacks.
    fn of_fortran(&mut self, expr: &'t Written, name: &str, list: &[&'t Written], at: &[Expr]) -> Result<Expr> {
        let mut args = Vec::new();
        for argument in list {
            args.push(self.element(argument, at)?);
        }
        let ty = args[0].ty.clone();
        match (Function::named(name), &ty) {
            (Some(function), Type::Float { bits }) => {
                let args = args.into_iter().map(|arg| convert(arg, &ty)).collect();
                Ok(Expr::function(function.at(*bits), args, ty))
            }
            _ => self.not_here(expr, name),
        }
    }

    /// `scale(x, i)`: a product with a power of 2.
    fn scaled(&mut self, expr: &'t Written, x: &'t Written, i: &'t Written, at: &[Expr]) -> Result<Expr> {
        let (x, i) = (self.element(x, at)?, self.element(i, at)?);
        let (Some(pow), Type::Float { bits }) = (Function::lookup("pow"), &x.ty) else {
            return self.not_here(expr, "scale");
        };
        let ty = x.ty.clone();
        let power = Expr::function(pow.at(*bits), vec![real(2.0, &ty), convert(i, &ty)], ty.clone());
        Ok(Expr::binary(Binary::Multiply, x, power, ty))
    }

    /// The function of C that keeps the type of its only argument.
    pub fn unary_function(&mut self, of_c: &str, x: Expr) -> Expr {
        let Type::Float { bits } = x.ty else { return x };
        let ty = x.ty.clone();
        let function = Function::lookup(of_c).expect("a function of the table");
        Expr::function(function.at(bits), vec![x], ty)
    }

    fn of_one(&mut self, expr: &'t Written, name: &str, part: &'t Part, at: &[Expr]) -> Result<Expr> {
        let first = self.arguments(part, &["a", "kind"]).first().copied().flatten();
        let Some(x) = first else { return self.refuse(expr.span, Class::Language, "an argument is missing", "") };
        let x = self.element(x, at)?;
        let declared = self.names.type_of(self.scope, expr).type_;
        let result = match self.reader.scalar_type(&declared) {
            // `dble` and the specific names have one kind.
            _ if name == "dble" => Type::double(),
            Ok(ty) => ty,
            Err(why) => return self.refuse(expr.span, Class::Type, format!("'{name}': {why}"), ""),
        };
        Ok(match name {
            "abs" if x.ty.is_integer() => {
                let x = self.simple(x);
                let (zero, ty) = (Expr::constant(0, x.ty.clone()), x.ty.clone());
                let negative = Expr::binary(Binary::Less, x.clone(), zero, logical());
                Expr::select(negative, Expr::unary(Unary::Negate, x.clone(), ty.clone()), x, ty)
            }
            "abs" => self.unary_function("fabs", x),
            "aint" => convert(self.unary_function("trunc", x), &result),
            "anint" => convert(self.unary_function("round", x), &result),
            "nint" => convert(self.unary_function("round", x), &result),
            "floor" => convert(self.unary_function("floor", x), &result),
            "ceiling" => convert(self.unary_function("ceil", x), &result),
            _ => convert(x, &result),
        })
    }

    /// A value that may be named several times.
    pub fn simple(&mut self, x: Expr) -> Expr {
        match x.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Value(_) => x,
            _ => self.b.keep("operand", x),
        }
    }

    fn extremum(&mut self, expr: &'t Written, largest: bool, part: &'t Part, at: &[Expr]) -> Result<Expr> {
        let mut all = Vec::new();
        for argument in self.arguments(part, &[]).into_iter().flatten() {
            all.push(self.element(argument, at)?);
        }
        let Some(ty) = all.iter().map(|x| x.ty.clone()).reduce(|a, b| promoted(&a, &b)) else {
            return self.refuse(expr.span, Class::Language, "an argument is missing", "");
        };
        let mut all = all.into_iter().map(|x| convert(x, &ty));
        let first = all.next().expect("an argument, as its type says");
        Ok(all.fold(first, |a, b| self.larger(largest, a, b)))
    }

    /// The larger or the smaller of two numbers of one type.
    pub fn larger(&mut self, largest: bool, a: Expr, b: Expr) -> Expr {
        let ty = a.ty.clone();
        if let Type::Float { bits } = ty {
            let function = Function::lookup(if largest { "fmax" } else { "fmin" }).expect("a function of the table");
            return Expr::function(function.at(bits), vec![a, b], ty);
        }
        let (a, b) = (self.simple(a), self.simple(b));
        let op = if largest { Binary::GreaterEqual } else { Binary::LessEqual };
        Expr::select(Expr::binary(op, a.clone(), b.clone(), logical()), a, b, ty)
    }

    fn of_two(&mut self, expr: &'t Written, name: &str, part: &'t Part, at: &[Expr]) -> Result<Expr> {
        let list: Vec<&'t Written> = self.arguments(part, &[]).into_iter().flatten().collect();
        let [a, b] = list[..] else {
            return self.refuse(expr.span, Class::Language, format!("'{name}' has two arguments"), "");
        };
        let (a, b) = (self.element(a, at)?, self.element(b, at)?);
        let ty = promoted(&a.ty, &b.ty);
        let (a, b) = (convert(a, &ty), convert(b, &ty));
        if let Type::Float { bits } = ty {
            let of_c = match name {
                "mod" | "modulo" => "fmod",
                "sign" => "copysign",
                "dim" => "fdim",
                _ => return self.not_here(expr, name),
            };
            let function = Function::lookup(of_c).expect("a function of the table").at(bits);
            if name != "modulo" {
                return Ok(Expr::function(function, vec![a, b], ty));
            }
            let b = self.simple(b);
            return Ok(self.modulo_of_reals(function, a, b, ty));
        }
        let zero = || Expr::constant(0, ty.clone());
        let bits = |op, a, b| Expr::binary(op, a, b, ty.clone());
        Ok(match name {
            "mod" => bits(Binary::Remainder, a, b),
            "modulo" => {
                let b = self.simple(b);
                let rest = bits(Binary::Remainder, a, b.clone());
                bits(Binary::Remainder, bits(Binary::Add, rest, b.clone()), b)
            }
            "iand" => bits(Binary::BitAnd, a, b),
            "ior" => bits(Binary::BitOr, a, b),
            "ieor" => bits(Binary::BitXor, a, b),
            "sign" => {
                let a = self.simple(a);
                let negative = Expr::binary(Binary::Less, a.clone(), zero(), logical());
                let magnitude =
                    Expr::select(negative, Expr::unary(Unary::Negate, a.clone(), ty.clone()), a, ty.clone());
                let magnitude = self.b.keep("magnitude", magnitude);
                let negative = Expr::binary(Binary::Less, b, zero(), logical());
                let negated = Expr::unary(Unary::Negate, magnitude.clone(), ty.clone());
                Expr::select(negative, negated, magnitude, ty.clone())
            }
            _ => {
                let (a, b) = (self.simple(a), self.simple(b));
                let above = Expr::binary(Binary::Greater, a.clone(), b.clone(), logical());
                Expr::select(above, subtract(a, b), zero(), ty.clone())
            }
        })
    }

    /// The remainder with the sign of the divisor.
    fn modulo_of_reals(&mut self, remainder: Function, a: Expr, b: Expr, ty: Type) -> Expr {
        let span = self.b.span;
        let var = self.b.var("rest", ty.clone(), VarKind::Temporary, span);
        self.b.assign(var, Expr::function(remainder, vec![a, b.clone()], ty.clone()));
        let rest = self.b.get(var);
        let product = Expr::binary(Binary::Multiply, rest.clone(), b.clone(), ty.clone());
        self.b.begin_branch(Expr::binary(Binary::Less, product, zero(&ty), logical()));
        self.b.assign(var, Expr::binary(Binary::Add, rest, b, ty));
        self.b.end_branch();
        self.b.get(var)
    }

    /// `present(x)`: known for each procedure, which has a copy for each way of leaving arguments out.
    fn present(&mut self, name: &'t Written) -> Result<Expr> {
        let id = name.name().and_then(|name| self.names.lookup(self.scope, &name.name));
        match id.filter(|id| self.names.symbol(*id).scope == self.own) {
            Some(id) => Ok(Expr::constant(i128::from(!self.is_absent(id)), logical())),
            None => {
                let what = "PRESENT asks for an argument of the procedure around this one";
                self.refuse(name.span, Class::Language, what, "pass a logical that says whether it is there")
            }
        }
    }

    fn merge(&mut self, expr: &'t Written, part: &'t Part, at: &[Expr]) -> Result<Expr> {
        let [then, otherwise, mask] = self.given(expr, part, ["tsource", "fsource", "mask"])?;
        let mask = self.element(mask, at)?;
        let then_value = self.element(then, at)?;
        let ty = then_value.ty.clone();
        let span = self.b.span;
        let var = self.b.var("merged", ty.clone(), VarKind::Temporary, span);
        self.b.begin_branch(mask);
        self.b.assign(var, then_value);
        self.b.otherwise();
        let other = self.element(otherwise, at)?;
        self.b.assign(var, convert(other, &ty));
        self.b.end_branch();
        Ok(self.b.get(var))
    }

    /// Extents and bounds.
    fn inquiry(&mut self, expr: &'t Written, name: &str, part: &'t Part) -> Result<Expr> {
        let list = self.arguments(part, &["array", "dim", "kind"]);
        let Some(array) = list[0] else { return self.not_here(expr, name) };
        let declared = self.names.type_of(self.scope, expr).type_;
        let ty = self.reader.scalar_type(&declared).ok().filter(Type::is_integer).or_else(|| integer(4));
        let ty = ty.unwrap_or_default();
        let dim = match list.get(1).copied().flatten() {
            None => None,
            Some(dim) => match self.names.constant_integer(self.scope, dim) {
                Some(dim) => Some(dim),
                None => return self.not_here(expr, name),
            },
        };
        let position = |shape: &[Expr]| dim.and_then(|dim| usize::try_from(dim - 1).ok()).filter(|k| *k < shape.len());
        if name == "size" {
            let shape = self.shape(array)?;
            return match (dim, position(&shape)) {
                (None, _) => Ok(convert(shape.into_iter().reduce(multiply).unwrap_or(Expr::int(1)), &ty)),
                (Some(_), Some(k)) => Ok(convert(shape[k].clone(), &ty)),
                (Some(_), None) => self.not_here(expr, name),
            };
        }
        let whole = array.reference().filter(|reference| self.is_variable(reference) && self.is_whole(reference));
        let lowers = match whole {
            Some(reference) => match self.last_part(reference, &[])?.memory {
                Memory::Array(array) => Some(array.lowers),
                Memory::Var(_) | Memory::Scalar(_) | Memory::Value(_) => None,
            },
            None => None,
        };
        if name == "lbound" {
            let shape = lowers.clone().unwrap_or_default();
            return match (lowers, position(&shape)) {
                (Some(lowers), Some(k)) => Ok(convert(lowers[k].clone(), &ty)),
                _ => self.not_here(expr, name),
            };
        }
        let shape = self.shape(array)?;
        let Some(k) = position(&shape) else { return self.not_here(expr, name) };
        let lower = lowers.map_or(Expr::int(1), |lowers| lowers[k].clone());
        Ok(convert(add(lower, shape[k].clone()).offset(-1), &ty))
    }
}
