//! The real members and the pointers of a struct, one by one: how adjoints of whole structs are added and moved.

use crate::ir::{Dim, Expr, FieldId, Place, Program, Step, Subscript, Type};

/// A struct with more reals than this is not passed by value.
pub const MANY: usize = 256;

/// Places of all reals in what lies at `place`; `None` if there are more than [`MANY`].
pub fn reals(program: &Program, place: &Place) -> Option<Vec<Place>> {
    let mut found = Vec::new();
    let all = collect(program, place, &|ty| matches!(ty, Type::Float { .. }), &mut found);
    all.then_some(found)
}

/// Places of all pointers to memory in what lies at `place`, not of those to functions; `None` if there are more than [`MANY`].
pub fn pointers(program: &Program, place: &Place) -> Option<Vec<Place>> {
    let mut found = Vec::new();
    let to_memory = |ty: &Type| matches!(ty, Type::Pointer(to) if !matches!(**to, Type::Opaque(_)));
    let all = collect(program, place, &to_memory, &mut found);
    all.then_some(found)
}

fn collect(program: &Program, place: &Place, wanted: &dyn Fn(&Type) -> bool, found: &mut Vec<Place>) -> bool {
    match &place.ty {
        ty if wanted(ty) => {
            found.push(place.clone());
            found.len() <= MANY
        }
        Type::Struct(id) => {
            let fields = program.types.structs[*id].fields.iter().enumerate();
            let mut all = true;
            for (k, field) in fields {
                let mut member = place.clone();
                member.path.push(Step::Field(FieldId::new(k)));
                member.ty = field.ty.clone();
                all &= collect(program, &member, wanted, found);
            }
            all
        }
        Type::Array(_) => elements(program, place, &mut Vec::new(), &place.ty, wanted, found),
        _ => true,
    }
}

/// All elements of a member array, dimension by dimension.
fn elements(
    program: &Program,
    place: &Place,
    at: &mut Vec<Subscript>,
    ty: &Type,
    wanted: &dyn Fn(&Type) -> bool,
    found: &mut Vec<Place>,
) -> bool {
    let Type::Array(row) = ty else {
        let mut element = place.clone();
        element.path.push(Step::Index(at.clone()));
        element.ty = ty.clone();
        return collect(program, &element, wanted, found);
    };
    let Some(extent) = row.extent.filter(|extent| *extent <= MANY as u64) else { return false };
    let number = |value: u64| Expr::int(i128::from(value));
    for k in 0..extent {
        at.push(Subscript { at: number(k), dim: Dim::of(number(extent)) });
        let all = elements(program, place, at, &row.elem, wanted, found);
        at.pop();
        if !all {
            return false;
        }
    }
    true
}
