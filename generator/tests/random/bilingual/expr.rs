//! Expressions: of numbers, of whole arrays, and conditions.

use super::make::{Array, Maker};
use super::text::{Both, fill};

/// Functions of one argument that are smooth and small.
const SMOOTH: [&str; 5] = ["sin", "cos", "tanh", "atan", "exp"];

/// Where an element of an array expression lies: `k_` of the loop that stands for the array assignment in C.
#[derive(Clone, Copy)]
pub struct Section {
    /// Elements that are left out in front, and behind.
    pub front: usize,
    pub behind: usize,
}

impl Maker<'_> {
    pub fn real(&mut self, depth: usize) -> Both {
        if depth == 0 || self.rng.chance(20) {
            return self.leaf();
        }
        let depth = depth - 1;
        match self.rng.below(15) {
            0..=2 => fill("({0} + {1})", "({0} + {1})", &[&self.real(depth), &self.real(depth)]),
            3 | 4 => fill("({0} - {1})", "({0} - {1})", &[&self.real(depth), &self.real(depth)]),
            5..=7 => fill("{0} * {1}", "{0} * {1}", &[&self.factor(depth), &self.factor(depth)]),
            8 => self.quotient(depth),
            9 | 10 => self.smooth(depth),
            11 => self.several(depth),
            12 => self.reduction(),
            13 => self.called(depth),
            _ => fill("(-{0})", "(-{0})", &[&self.factor(depth)]),
        }
    }

    fn factor(&mut self, depth: usize) -> Both {
        fill("({0})", "({0})", &[&self.real(depth)])
    }

    fn quotient(&mut self, depth: usize) -> Both {
        let (above, below) = (self.factor(depth), self.leaf());
        fill("({0} / (1.5d0 + {1} * {1}))", "({0} / (1.5 + {1} * {1}))", &[&above, &below])
    }

    fn smooth(&mut self, depth: usize) -> Both {
        let of = self.real(depth);
        match self.rng.below(7) {
            5 => fill("sqrt(1.25d0 + ({0}) * ({0}))", "sqrt(1.25 + ({0}) * ({0}))", &[&of]),
            6 => fill("abs({0} + 0.03125d0)", "fabs({0} + 0.03125)", &[&of]),
            k => match SMOOTH[k] {
                "exp" => fill("exp(-(({0}) * ({0})))", "exp(-(({0}) * ({0})))", &[&of]),
                name => fill(&format!("{name}({{0}})"), &format!("{name}({{0}})"), &[&of]),
            },
        }
    }

    /// Intrinsic functions of several arguments.
    fn several(&mut self, depth: usize) -> Both {
        let (a, b) = (self.real(depth), self.real(0));
        match self.rng.below(5) {
            0 => fill("max({0}, {1} + 0.0371d0)", "larger({0}, {1} + 0.0371)", &[&a, &b]),
            1 => fill("min({0}, {1} - 0.0413d0)", "smaller({0}, {1} - 0.0413)", &[&a, &b]),
            2 => {
                let condition = self.condition();
                fill("merge({0}, {1}, {2})", "({2} ? {0} : {1})", &[&a, &b, &condition])
            }
            3 => fill("dble({0}) * 0.0625d0", "(double)({0}) * 0.0625", &[&self.int(1)]),
            _ => fill("hypot({0}, 1.125d0 + {1} * {1})", "hypot({0}, 1.125 + {1} * {1})", &[&a, &b]),
        }
    }

    fn reduction(&mut self) -> Both {
        let Some(a) = self.any_array() else { return self.leaf() };
        let b = self.any_array().filter(|b| b.extent.fortran == a.extent.fortran).unwrap_or_else(|| a.clone());
        let with = [&a.name, &b.name, &a.extent];
        match self.rng.below(4) {
            0 => fill("(0.125d0 * sum({0}))", "(0.125 * sum_of({2}, {0}))", &with),
            1 => fill("(0.25d0 * dot_product({0}, {1}))", "(0.25 * product_of({2}, {0}, {1}))", &with),
            2 => fill("maxval({0})", "largest_of({2}, {0})", &with),
            _ => fill("minval({0})", "smallest_of({2}, {0})", &with),
        }
    }

    fn called(&mut self, depth: usize) -> Both {
        if self.is_recursive && self.rng.chance(50) {
            let (of, times) = (self.real(depth), self.rng.below(4));
            let pattern = format!("again({times}, {{0}})");
            return fill(&pattern, &pattern, &[&of]);
        }
        if self.functions == 0 {
            return self.leaf();
        }
        let name = format!("h{}", self.rng.below(self.functions));
        let (a, b) = (self.real(depth), self.leaf());
        let pattern = format!("{name}({{0}}, {{1}})");
        fill(&pattern, &pattern, &[&a, &b])
    }

    /// A constant, a variable or an element.
    pub fn leaf(&mut self) -> Both {
        match self.rng.below(10) {
            0 | 1 => Both::real(self.rng.real()),
            6..=9 if self.scope.has_elements => self.element(),
            _ => self.pick_scalar(),
        }
    }

    fn pick_scalar(&mut self) -> Both {
        let all = self.scope.reals.clone();
        self.rng.pick(&all).name
    }

    pub fn any_array(&mut self) -> Option<Array> {
        let all = self.scope.arrays.clone();
        (!all.is_empty()).then(|| self.rng.pick(&all))
    }

    pub fn element(&mut self) -> Both {
        match self.any_array() {
            Some(array) => self.element_of(&array),
            None => self.pick_scalar(),
        }
    }

    pub fn element_of(&mut self, array: &Array) -> Both {
        let inside: Vec<Both> = self
            .scope
            .indices
            .iter()
            .filter(|index| index.extent == array.extent.fortran)
            .map(|index| Both::same(index.name.clone()))
            .collect();
        let index = if !inside.is_empty() && self.rng.chance(70) {
            self.rng.pick(&inside)
        } else {
            let of = self.int(1);
            fill("modulo({0}, {1}) + 1", "wrapped({0}, {1})", &[&of, &array.extent])
        };
        fill("{0}({1})", "{0}[{1} - 1]", &[&array.name, &index])
    }

    pub fn int(&mut self, depth: usize) -> Both {
        let mut names: Vec<String> = self.scope.ints.iter().map(|int| int.0.clone()).collect();
        names.extend(self.scope.indices.iter().map(|index| index.name.clone()));
        if depth == 0 || names.is_empty() || self.rng.chance(40) {
            return if names.is_empty() || self.rng.chance(30) {
                Both::same(self.rng.within(0, 7).to_string())
            } else {
                Both::same(self.rng.pick(&names))
            };
        }
        let (a, b) = (self.int(depth - 1), self.int(0));
        match self.rng.below(4) {
            0 => fill("({0} + {1})", "({0} + {1})", &[&a, &b]),
            1 => fill("({0} - {1})", "({0} - {1})", &[&a, &b]),
            2 => fill("mod({0} * 3, 7)", "({0} * 3 % 7)", &[&a]),
            _ => fill("({0} + 5) / 2", "(({0} + 5) / 2)", &[&a]),
        }
    }

    pub fn condition(&mut self) -> Both {
        let simple = |maker: &mut Maker| match maker.rng.below(5) {
            4 if !maker.scope.logicals.is_empty() => {
                let all = maker.scope.logicals.clone();
                Both::same(maker.rng.pick(&all))
            }
            0 => fill("{0} > {1}", "{0} > {1}", &[&maker.int(1), &maker.int(0)]),
            1 => fill("mod({0}, 2) == 0", "({0}) % 2 == 0", &[&maker.int(1)]),
            2 => fill("{0} < {1} + 0.0127d0", "{0} < {1} + 0.0127", &[&maker.leaf(), &maker.leaf()]),
            _ => fill("{0} >= {1} - 0.0733d0", "{0} >= {1} - 0.0733", &[&maker.leaf(), &maker.leaf()]),
        };
        let first = simple(self);
        match self.rng.below(6) {
            0 => fill("({0} .and. {1})", "({0} && {1})", &[&first, &simple(self)]),
            1 => fill("({0} .or. {1})", "({0} || {1})", &[&first, &simple(self)]),
            2 => fill(".not. ({0})", "!({0})", &[&first]),
            _ => first,
        }
    }

    /// An expression of arrays with the extent of a section of `target`; in C the element at `k_`.
    pub fn elementwise(&mut self, depth: usize, target: &Array, section: Section) -> Both {
        if depth == 0 || self.rng.chance(25) {
            return self.elementwise_leaf(target, section);
        }
        let depth = depth - 1;
        let (a, b) = (self.elementwise(depth, target, section), self.elementwise(depth, target, section));
        match self.rng.below(7) {
            6 if self.functions > 0 => {
                let pattern = format!("h{}({{0}}, {{1}})", self.rng.below(self.functions));
                fill(&pattern, &pattern, &[&a, &b])
            }
            0 | 1 => fill("({0} + {1})", "({0} + {1})", &[&a, &b]),
            2 => fill("({0} - {1})", "({0} - {1})", &[&a, &b]),
            3 | 4 => fill("({0}) * ({1})", "({0}) * ({1})", &[&a, &b]),
            _ => {
                let name = self.rng.pick(&["sin", "cos", "tanh", "atan"]);
                fill(&format!("{name}({{0}})"), &format!("{name}({{0}})"), &[&a])
            }
        }
    }

    fn elementwise_leaf(&mut self, target: &Array, section: Section) -> Both {
        let alike: Vec<Array> =
            self.scope.arrays.iter().filter(|array| array.extent.fortran == target.extent.fortran).cloned().collect();
        if alike.is_empty() || self.rng.chance(30) {
            return self.leaf();
        }
        let array = self.rng.pick(&alike);
        let left_out = section.front + section.behind;
        let front = self.rng.below(left_out + 1);
        let (low, high) = (Both::same((front + 1).to_string()), left_out - front);
        let end = fill(&format!("{{0}} - {high}"), "", &[&array.extent]);
        if left_out == 0 && self.rng.chance(70) {
            fill("{0}", "{0}[k_]", &[&array.name])
        } else if self.rng.chance(25) {
            // Backwards.
            let last = fill(&format!("{{0}} - {high}"), &format!("{{0}} - {high} - 1 - k_"), &[&array.extent]);
            fill("{0}({1}:{2}:-1)", "{0}[{1}]", &[&array.name, &last, &low])
        } else {
            let at = Both::new("", format!("k_ + {front}"));
            let fortran = fill("{0}({1}:{2})", "", &[&array.name, &low, &end]).fortran;
            Both::new(fortran, fill("", "{0}[{1}]", &[&array.name, &at]).c)
        }
    }
}
