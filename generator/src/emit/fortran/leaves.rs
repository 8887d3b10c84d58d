//! Variables of derived types, number by number: what goes on the tape, and what is set to 0.

use super::place::Block;
use super::state::Body;
use super::words::is_logical;
use crate::ir::*;

/// Elements of an array of derived types in one component that are named one by one.
const MOST_ELEMENTS: u64 = 64;

/// A number, or an array of numbers, in a variable of a derived type.
pub struct Leaf {
    /// How it is called.
    pub name: String,
    /// The type of the number.
    pub ty: Type,
}

impl Body<'_> {
    /// The numbers of what is called by a name, in the order of the components.
    pub fn leaves(&self, name: &str, ty: &Type) -> Vec<Leaf> {
        let Some(id) = ty.as_struct() else { return vec![Leaf { name: name.to_string(), ty: ty.clone() }] };
        let known = &self.unit.program.types.structs[id];
        let mut all = Vec::new();
        for field in self.unit.components(known) {
            let (name, inner) = (format!("{name}%{}", field.name), field.ty.innermost());
            let is_array = matches!(field.ty, Type::Array(_));
            if is_array && (inner.as_struct().is_some() || is_logical(inner)) {
                let lowers = self.unit.fortran.types.get(&known.name).and_then(|of| of.lowers.get(&field.name));
                for at in self.elements_of(&field.ty, lowers.map_or(&[], Vec::as_slice)) {
                    all.extend(self.leaves(&format!("{name}({at})"), inner));
                }
            } else {
                all.extend(self.leaves(&name, inner));
            }
        }
        all
    }

    /// The subscripts of all elements of a component.
    fn elements_of(&self, ty: &Type, lowers: &[i128]) -> Vec<String> {
        let (mut ty, mut extents) = (ty, Vec::new());
        while let Type::Array(row) = ty {
            extents.push(row.extent.unwrap_or(0));
            ty = &row.elem;
        }
        extents.reverse();
        if extents.iter().product::<u64>() > MOST_ELEMENTS {
            self.problem(&format!("a component that is an array of more than {MOST_ELEMENTS} derived types"));
            return Vec::new();
        }
        extents.iter().zip(lowers).rev().fold(vec![String::new()], |inner, (extent, lower)| {
            let one = |k: u64| {
                let at = lower + i128::from(k);
                let behind = |rest: &String| if rest.is_empty() { at.to_string() } else { format!("{at}, {rest}") };
                inner.iter().map(behind).collect::<Vec<_>>()
            };
            (0..*extent).flat_map(one).collect()
        })
    }

    /// Does something with each element of an array, `down` or up, or with a scalar: the name is given.
    fn each_element(&mut self, name: &str, rank: usize, down: bool, work: &mut dyn FnMut(&mut Self, &str)) {
        let counters: Vec<String> = (0..rank).map(|_| self.taken.fresh("at")).collect();
        for (k, counter) in counters.iter().enumerate().rev() {
            self.extra.insert(("integer".into(), counter.clone()));
            let (first, last) = (format!("lbound({name}, {})", k + 1), format!("ubound({name}, {})", k + 1));
            let range = if down { format!("{last}, {first}, -1") } else { format!("{first}, {last}") };
            self.statement(&format!("do {counter} = {range}"));
            self.out.indent += 1;
        }
        match &counters[..] {
            [] => work(self, name),
            _ => work(self, &format!("{name}({})", counters.join(", "))),
        }
        for _ in counters {
            self.out.indent -= 1;
            self.statement("end do");
        }
    }

    /// Sets all numbers of an object to 0.
    pub fn clear(&mut self, object: ObjectId) {
        let name = self.objects[object.index()].clone();
        let Object { elem, shape, .. } = self.proc.objects[object].clone();
        let mut zero = |this: &mut Self, name: &str| {
            for leaf in this.leaves(name, &elem) {
                let zero = this.unit.zero(&leaf.ty);
                this.statement(&format!("{} = {zero}", leaf.name));
            }
        };
        // The whole of an array of numbers is one leaf.
        let rank = if elem.as_struct().is_some() { shape.len() } else { 0 };
        self.each_element(&name, rank, false, &mut zero);
    }

    /// Pushes or pops so many elements of a derived type; the last number first where they are popped.
    pub fn whole(&mut self, place: &Place, count: &Expr, pops: bool) {
        if count.kind == ExprKind::Int(1) {
            let name = self.place(place);
            return self.leaves_on_tape(&name, &place.ty, pops);
        }
        match self.elements(place, count) {
            Block::Whole(name, rank) => {
                self.each_element(&name, rank, pops, &mut |this, name| this.leaves_on_tape(name, &place.ty, pops));
            }
            Block::Column { name, range: [first, last], others } => {
                let counter = self.taken.fresh("at");
                self.extra.insert(("integer(8)".into(), counter.clone()));
                let at: Vec<String> = std::iter::once(counter.clone()).chain(others).collect();
                let range = if pops { format!("{last}, {first}, -1") } else { format!("{first}, {last}") };
                self.statement(&format!("do {counter} = {range}"));
                self.out.indent += 1;
                self.leaves_on_tape(&format!("{name}({})", at.join(", ")), &place.ty, pops);
                self.out.indent -= 1;
                self.statement("end do");
            }
            Block::Beyond(_) => drop(self.problem("a block of derived types that goes on behind its column")),
        }
    }

    fn leaves_on_tape(&mut self, name: &str, ty: &Type, pops: bool) {
        let mut leaves = self.leaves(name, ty);
        if pops {
            leaves.reverse();
        }
        for leaf in leaves {
            let text = match (pops, is_logical(&leaf.ty)) {
                (false, false) => format!("call {}({})", self.tape("push"), leaf.name),
                (false, true) => format!("call {}(merge(1, 0, {}), 1)", self.tape("push_control"), leaf.name),
                (true, false) => format!("call {}({})", self.tape("pop"), leaf.name),
                (true, true) => self.pop_truth(&leaf.name, 1),
            };
            self.statement(&text);
        }
    }
}
