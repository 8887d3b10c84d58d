//! First values: of a declaration, and of DATA.

use super::state::Reader;
use crate::ir::{Dim, ExprKind as Known, Type};
use adtape_fortran::scope::program::{ScopeId, ScopeKind, SymbolId};
use adtape_fortran::scope::value::Value;
use adtape_fortran::tree::declaration::{DataSet, DataValue, DeclarationKind, Init};
use adtape_fortran::tree::expression::{ArgumentValue, Expr as Written, ExprKind as Kind, ImpliedDo, Reference};
use adtape_fortran::tree::statement::Action;

/// Most elements whose first values are written.
const MOST: usize = 1 << 16;

/// The first values of a variable's elements, in the order of memory; none where nothing gives one.
pub struct First {
    elem: Type,
    items: Vec<Option<Value>>,
}

/// The variables of loops in DATA, with their values.
type Bound = Vec<(Box<str>, i128)>;

/// Where the values of a set go: a variable, and its element in the order of memory.
type Targets = Vec<(SymbolId, usize)>;

impl First {
    /// As Fortran has it behind `=`.
    pub fn text(&self, dims: &[Dim]) -> String {
        let zero = if self.elem == super::types::logical() { ".false." } else { "0" };
        let text = |item: &Option<Value>| {
            item.as_ref().and_then(|item| literal(item, &self.elem)).unwrap_or_else(|| zero.to_string())
        };
        let texts: Vec<String> = self.items.iter().map(text).collect();
        if texts.iter().all(|text| *text == texts[0]) {
            return texts[0].clone();
        }
        // The items of a list have one type.
        let is_real = matches!(self.elem, Type::Float { .. });
        let texts = texts.into_iter().map(|text| if is_real && text == "0" { self.real_zero() } else { text });
        let list = format!("[{}]", texts.collect::<Vec<_>>().join(", "));
        let extent = |dim: &Dim| match dim.extent.as_deref().map(|extent| &extent.kind) {
            Some(Known::Int(extent)) => extent.to_string(),
            _ => "1".to_string(),
        };
        if dims.len() < 2 {
            return list;
        }
        format!("reshape({list}, [{}])", dims.iter().map(extent).collect::<Vec<_>>().join(", "))
    }

    fn real_zero(&self) -> String {
        match self.elem {
            Type::Float { bits: 32 } => "0.0".to_string(),
            _ => "0.0d0".to_string(),
        }
    }

    /// The number that a scalar begins with.
    pub fn number(&self) -> Option<f64> {
        match self.items.first()?.as_ref()? {
            Value::Integer(value, _) => Some(*value as f64),
            Value::Real(real) => Some(real.value),
            Value::Logical(value, _) => Some(f64::from(u8::from(*value))),
            Value::Text(_) | Value::Array(..) => None,
        }
    }
}

/// A constant of a type, as Fortran has it; none if it depends on a compiler's functions.
pub fn literal(value: &Value, elem: &Type) -> Option<String> {
    match (value, elem) {
        (Value::Integer(value, _), Type::Int { bits: 64, .. }) => Some(format!("{value}_8")),
        (Value::Integer(value, _), _) => Some(value.to_string()),
        (Value::Real(real), _) if !real.is_approximate => {
            let digits = format!("{:?}", real.value);
            let single = format!("{:?}", real.value as f32);
            Some(match (real.kind, digits.contains('e')) {
                (4, _) => single,
                (_, true) => digits.replace('e', "d"),
                (_, false) => format!("{digits}d0"),
            })
        }
        (Value::Logical(value, _), _) => Some(format!(".{value}.")),
        (Value::Real(_) | Value::Text(_) | Value::Array(..), _) => None,
    }
}

impl<'t> Reader<'t> {
    /// The first values of a variable; none if nothing gives one. Else why they are not known.
    pub fn first_values(&self, id: SymbolId) -> Result<Option<First>, &'static str> {
        let names = self.names;
        let symbol = names.symbol(id);
        let elem = self.scalar_type(&self.names.symbol_type(id)).map_err(|_| "has a type that is not supported")?;
        let extents = names.bounds(id).unwrap_or_default();
        let extents: Option<Vec<i128>> = extents.iter().map(|bound| bound.extent(names)).collect();
        let count = extents.and_then(|extents| usize::try_from(extents.iter().product::<i128>()).ok());
        let count = count.filter(|count| *count <= MOST).ok_or("is that of a large array")?;
        let mut items = vec![None; count];
        match symbol.init {
            Some(Init::Value(value)) => {
                let value = names.constant(symbol.scope, value).and_then(|value| names.as_symbol(id, &value));
                match value.ok_or("is not known")? {
                    Value::Array(values, _) => items = values.into_iter().map(Some).collect(),
                    scalar => items.fill(Some(scalar)),
                }
            }
            Some(Init::Data(values)) => {
                let targets = (0..count).map(|at| (id, at)).collect();
                self.give(symbol.scope, targets, values, id, &mut items)?;
            }
            Some(Init::Pointer(_)) => return Err("is a target"),
            None => {}
        }
        for set in self.data_sets(symbol.scope) {
            let mut targets = Targets::new();
            for object in &set.objects {
                self.targets_of(symbol.scope, object, &Bound::new(), &mut targets)?;
            }
            if targets.iter().any(|(other, _)| *other == id) {
                self.give(symbol.scope, targets, &set.values, id, &mut items)?;
            }
        }
        Ok(items.iter().any(Option::is_some).then_some(First { elem, items }))
    }

    /// The sets of all DATA statements of a unit.
    fn data_sets(&self, scope: ScopeId) -> Vec<&'t DataSet> {
        let ScopeKind::Unit(unit) = self.names.scope(scope).kind else { return Vec::new() };
        let among_actions = unit.body.iter().filter_map(|statement| match &statement.action {
            Action::Declaration(declared) => Some(&**declared),
            _ => None,
        });
        let sets = unit.declarations.iter().chain(among_actions).map(|declared| match &declared.kind {
            DeclarationKind::Data(sets) => &sets[..],
            _ => &[],
        });
        sets.flatten().collect()
    }

    fn targets_of(
        &self,
        scope: ScopeId,
        object: &Written,
        bound: &Bound,
        targets: &mut Targets,
    ) -> Result<(), &'static str> {
        match &object.kind {
            Kind::Reference(reference) => self.elements_of(scope, reference, bound, targets),
            Kind::ImpliedDo(implied) => self.passes_of(scope, implied, bound, targets),
            _ => Err("is given by DATA in a way that is not supported"),
        }
    }

    fn passes_of(
        &self,
        scope: ScopeId,
        implied: &ImpliedDo,
        bound: &Bound,
        targets: &mut Targets,
    ) -> Result<(), &'static str> {
        let value = |at: usize| {
            let expr = implied.bounds.get(at)?;
            self.names.constant_with(scope, expr, bound)
        };
        let (Some(mut at), Some(last)) = (value(0), value(1)) else { return Err("is given by a loop of DATA") };
        let step = if implied.bounds.len() > 2 { value(2).unwrap_or(0) } else { 1 };
        if step == 0 {
            return Err("is given by a loop of DATA");
        }
        while (step > 0 && at <= last) || (step < 0 && at >= last) {
            let mut inner = bound.clone();
            inner.push((implied.variable.name.clone(), at));
            for item in &implied.items {
                self.targets_of(scope, item, &inner, targets)?;
            }
            if targets.len() > MOST {
                return Err("is that of a large array");
            }
            at += step;
        }
        Ok(())
    }

    /// An element, or all elements.
    fn elements_of(
        &self,
        scope: ScopeId,
        reference: &Reference,
        bound: &Bound,
        targets: &mut Targets,
    ) -> Result<(), &'static str> {
        let other = Err("is given by DATA in a way that is not supported");
        let [part] = &reference.parts[..] else { return other };
        let names = self.names;
        let Some(id) = names.lookup(scope, &part.name.name) else { return other };
        let bounds = names.bounds(id).unwrap_or_default();
        let extents: Option<Vec<i128>> = bounds.iter().map(|bound| bound.extent(names)).collect();
        let Some(extents) = extents else { return other };
        let Some(list) = part.lists.first() else {
            let count = usize::try_from(extents.iter().product::<i128>()).unwrap_or(0);
            if count > MOST {
                return Err("is that of a large array");
            }
            targets.extend((0..count).map(|at| (id, at)));
            return Ok(());
        };
        let (mut at, mut stride) = (0, 1);
        for ((argument, declared), extent) in list.iter().zip(&bounds).zip(&extents) {
            let ArgumentValue::Expr(value) = &argument.value else { return other };
            let value = names.constant_with(scope, value, bound);
            let (Some(value), Some(lower)) = (value, declared.constant_lower(names)) else { return other };
            at += (value - lower) * stride;
            stride *= extent;
        }
        let at = usize::try_from(at).map_err(|_| "is given by DATA outside of the array")?;
        targets.push((id, at));
        Ok(())
    }

    /// Gives a variable its values out of those of a set.
    fn give(
        &self,
        scope: ScopeId,
        targets: Targets,
        values: &[DataValue],
        id: SymbolId,
        items: &mut [Option<Value>],
    ) -> Result<(), &'static str> {
        let mut targets = targets.into_iter();
        for value in values {
            let repeat = match &value.repeat {
                Some(repeat) => {
                    self.names.constant_integer(scope, repeat).ok_or("is repeated an unknown number of times")?
                }
                None => 1,
            };
            for (symbol, at) in targets.by_ref().take(usize::try_from(repeat).unwrap_or(0)) {
                if symbol != id {
                    continue;
                }
                let constant =
                    self.names.constant(scope, &value.value).and_then(|value| self.names.as_symbol(id, &value));
                let item = items.get_mut(at).ok_or("is given by DATA outside of the array")?;
                *item = Some(constant.ok_or("is not known")?);
            }
        }
        Ok(())
    }
}
