//! Statements.

use super::expr::Section;
use super::make::{Array, Index, Maker};
use super::text::{Both, Source, fill};

impl Maker<'_> {
    /// Some statements, nested so deep at most.
    pub fn block(&mut self, out: &mut Source, depth: usize, most: usize) {
        let before = self.scope.clone();
        for _ in 0..2 + self.rng.below(most) {
            self.statement(out, depth);
        }
        self.scope = before;
    }

    fn statement(&mut self, out: &mut Source, depth: usize) {
        let deep = if depth > 0 { 110 } else { 68 };
        match self.rng.below(deep) {
            0..=13 => self.assign_real(out),
            14..=27 => self.assign_element(out),
            28..=37 => self.assign_array(out),
            38..=41 => self.assign_int(out),
            42..=45 => self.assign_matrix(out),
            46..=53 => self.call(out),
            54 | 55 => self.leave(out),
            56..=58 => self.reduce(out),
            59..=61 => self.forall(out),
            62..=64 => self.mask(out),
            65..=67 => self.assign_logical(out),
            68..=77 => self.branch(out, depth - 1),
            78..=92 => self.count(out, depth - 1),
            93..=96 => self.repeat(out, depth - 1),
            97..=99 => self.select(out, depth - 1),
            100..=102 if self.scope.may_jump => self.jump(out, depth - 1),
            103..=105 if self.scope.is_top => self.on_the_heap(out, depth - 1),
            _ => self.inner(out, depth - 1),
        }
    }

    /// A value that does not grow without end.
    fn damped(&mut self, depth: usize) -> Both {
        let of = self.real(depth);
        match self.rng.below(4) {
            0 => fill("sin({0})", "sin({0})", &[&of]),
            1 => fill("tanh({0})", "tanh({0})", &[&of]),
            2 => fill("0.5d0 * ({0})", "0.5 * ({0})", &[&of]),
            _ => of,
        }
    }

    fn writable(&mut self) -> Option<Both> {
        let all: Vec<Both> =
            self.scope.reals.iter().filter(|real| real.is_writable).map(|real| real.name.clone()).collect();
        (!all.is_empty()).then(|| self.rng.pick(&all))
    }

    /// A real that may be set and is no variable of the module: what a name is associated with may become an argument.
    fn writable_own(&mut self) -> Option<Both> {
        let own = self.scope.reals.iter().filter(|real| real.is_writable && !real.of_module);
        let all: Vec<Both> = own.map(|real| real.name.clone()).collect();
        (!all.is_empty()).then(|| self.rng.pick(&all))
    }

    fn assign_real(&mut self, out: &mut Source) {
        if let Some(to) = self.writable() {
            let value = self.damped(3);
            out.line(&fill("{0} = {1}", "{0} = {1};", &[&to, &value]));
        }
    }

    fn assign_element(&mut self, out: &mut Source) {
        if let Some(array) = self.any_array() {
            let (to, value) = (self.element_of(&array), self.damped(3));
            let line = if self.rng.chance(40) {
                fill("{0} = {0} * 0.75d0 + {1}", "{0} = {0} * 0.75 + {1};", &[&to, &value])
            } else {
                fill("{0} = {1}", "{0} = {1};", &[&to, &value])
            };
            out.line(&line);
        }
    }

    fn assign_int(&mut self, out: &mut Source) {
        let all: Vec<String> = self.scope.ints.iter().filter(|int| int.1).map(|int| int.0.clone()).collect();
        if !all.is_empty() {
            let (to, value) = (Both::same(self.rng.pick(&all)), self.int(2));
            out.line(&fill("{0} = mod({1}, 17)", "{0} = ({1}) % 17;", &[&to, &value]));
        }
    }

    /// An element of a matrix, or a column from another one.
    fn assign_matrix(&mut self, out: &mut Source) {
        let all = self.scope.matrices.clone();
        if all.is_empty() {
            return self.assign_element(out);
        }
        let a = Both::same(self.rng.pick(&all));
        if self.rng.chance(50) {
            let (i, j, value) = (self.int(1), self.int(1), self.damped(2));
            let c = "{0}[wrapped({2}, 4) - 1][wrapped({1}, 3) - 1] = {3};";
            out.line(&fill("{0}(modulo({1}, 3) + 1, modulo({2}, 4) + 1) = {3}", c, &[&a, &i, &j, &value]));
        } else {
            let (to, from) = (1 + self.rng.below(4), 1 + self.rng.below(4));
            let value = self.leaf();
            let c = format!(
                "{{ double t_[3], e_ = {{1}}; for (int k_ = 0; k_ < 3; k_++) t_[k_] = {{0}}[{}][k_] * e_; \
                 for (int k_ = 0; k_ < 3; k_++) {{0}}[{}][k_] = t_[k_]; }}",
                from - 1,
                to - 1
            );
            out.line(&fill(&format!("{{0}}(:, {to}) = {{0}}(:, {from}) * {{1}}"), &c, &[&a, &value]));
            if let Some(to) = self.writable() {
                let row = 1 + self.rng.below(3);
                let f = format!("{{0}} = {{0}} * 0.5d0 + 0.25d0 * sum({{1}}({row}, :))");
                let r = row - 1;
                let c = format!(
                    "{{0}} = {{0}} * 0.5 + 0.25 * ({{1}}[0][{r}] + {{1}}[1][{r}] + {{1}}[2][{r}] + {{1}}[3][{r}]);"
                );
                out.line(&fill(&f, &c, &[&to, &a]));
            }
        }
    }

    /// A whole array or a section of it, all at once.
    fn assign_array(&mut self, out: &mut Source) {
        let Some(array) = self.any_array() else { return };
        let section = if self.rng.chance(60) {
            Section { front: 0, behind: 0 }
        } else {
            Section { front: self.rng.below(2), behind: self.rng.below(2) }
        };
        let value = self.elementwise(3, &array, section);
        let value = match self.rng.below(3) {
            0 => fill("sin({0})", "sin({0})", &[&value]),
            1 => fill("0.5d0 * ({0})", "0.5 * ({0})", &[&value]),
            _ => value,
        };
        let (front, behind) = (section.front, section.behind);
        let f = if front + behind == 0 && self.rng.chance(70) {
            "{0} = {2}".to_owned()
        } else {
            format!("{{0}}({}:{{1}} - {behind}) = {{2}}", front + 1)
        };
        let count = format!("{{1}} - {}", front + behind);
        let c = format!(
            "{{ double t_[8]; for (int k_ = 0; k_ < {count}; k_++) t_[k_] = {{2}}; \
             for (int k_ = 0; k_ < {count}; k_++) {{0}}[k_ + {front}] = t_[k_]; }}"
        );
        out.line(&fill(&f, &c, &[&array.name, &array.extent, &value]));
    }

    fn assign_logical(&mut self, out: &mut Source) {
        let (all, value) = (self.scope.logicals.clone(), self.condition());
        if !all.is_empty() {
            out.line(&fill("{0} = {1}", "{0} = {1};", &[&Both::same(self.rng.pick(&all)), &value]));
        }
    }

    /// The sum of an expression of arrays, or its largest element, or the number of those that are positive.
    fn reduce(&mut self, out: &mut Source) {
        let (Some(array), Some(to)) = (self.any_array(), self.writable()) else { return };
        let section = Section { front: 0, behind: self.rng.below(2) };
        // It has the extent of the section for sure.
        let behind = section.behind;
        let own = fill(&format!("{{0}}(1:{{1}} - {behind})"), "{0}[k_]", &[&array.name, &array.extent]);
        let value = fill("{0} * ({1})", "{0} * ({1})", &[&own, &self.elementwise(2, &array, section)]);
        let with = [&to, &value, &array.extent];
        let loops = format!("for (int k_ = 0; k_ < {{2}} - {behind}; k_++)");
        let line = match self.rng.below(3) {
            0 => fill(
                "{0} = 0.125d0 * sum({1})",
                &format!("{{ double e_ = 0.0; {loops} e_ += {{1}}; {{0}} = 0.125 * e_; }}"),
                &with,
            ),
            1 => fill(
                "{0} = maxval({1})",
                &format!("{{ double e_ = -1e300; {loops} e_ = larger({{1}}, e_); {{0}} = e_; }}"),
                &with,
            ),
            _ => fill(
                "{0} = {0} * 0.25d0 * count({1} > 0.0137d0)",
                &format!("{{ int e_ = 0; {loops} e_ += {{1}} > 0.0137; {{0}} = {{0}} * 0.25 * e_; }}"),
                &with,
            ),
        };
        out.line(&line);
    }

    /// FORALL, which may read what it sets.
    fn forall(&mut self, out: &mut Source) {
        let Some(array) = self.any_array() else { return };
        let before = self.scope.clone();
        let name = self.fresh("i");
        self.locals.fortran(&format!("integer :: {name}"));
        self.scope.indices.push(Index { name: name.clone(), extent: array.extent.fortran.clone() });
        let reads_own = self.rng.chance(30);
        if !reads_own {
            self.scope.arrays.retain(|other| other.name.fortran != array.name.fortran);
        }
        let value = self.damped(2);
        self.scope = before;
        let (f, c) = match self.rng.below(2) {
            _ if !reads_own => ("1.5d0", "1.5"),
            0 => ("{0}({1} + 1 - I)", "{0}[{1} - I]"),
            _ => ("{0}(I)", "{0}[I - 1]"),
        };
        let f = format!("forall (I = 1:{{1}}) {{0}}(I) = 0.5d0 * {f} + {{2}}");
        let c = format!(
            "{{ double t_[8]; for (int I = 1; I <= {{1}}; I++) t_[I - 1] = 0.5 * {c} + {{2}}; \
             for (int I = 1; I <= {{1}}; I++) {{0}}[I - 1] = t_[I - 1]; }}"
        );
        out.line(&fill(&f.replace('I', &name), &c.replace('I', &name), &[&array.name, &array.extent, &value]));
    }

    /// WHERE and ELSEWHERE.
    fn mask(&mut self, out: &mut Source) {
        let Some(array) = self.any_array() else { return };
        let whole = Section { front: 0, behind: 0 };
        self.scope.has_elements = false;
        let mask = fill(
            "{0} * ({1}) > {2} + 0.0211d0",
            "{0}[k_] * ({1}) > {2} + 0.0211",
            &[&array.name, &self.elementwise(1, &array, whole), &self.elementwise(0, &array, whole)],
        );
        let (then, other) = (self.elementwise(2, &array, whole), self.elementwise(2, &array, whole));
        self.scope.has_elements = true;
        let with = [&array.name, &array.extent, &mask, &then, &other];
        let both = self.rng.chance(60);
        out.fortran(&fill("where ({2})", "", &with).fortran);
        out.fortran(&fill("  {0} = 0.5d0 * ({3})", "", &with).fortran);
        if both {
            out.fortran("elsewhere");
            out.fortran(&fill("  {0} = sin({4})", "", &with).fortran);
        }
        out.fortran("end where");
        let loops = "for (int k_ = 0; k_ < {1}; k_++)";
        let mut c = format!(
            "{{ int m_[8]; double t_[8]; {loops} m_[k_] = {{2}}; {loops} if (m_[k_]) t_[k_] = 0.5 * ({{3}}); \
             {loops} if (m_[k_]) {{0}}[k_] = t_[k_];"
        );
        if both {
            c += &format!(" {loops} if (!m_[k_]) t_[k_] = sin({{4}}); {loops} if (!m_[k_]) {{0}}[k_] = t_[k_];");
        }
        out.c(&fill("", &(c + " }"), &with).c);
    }

    /// A call of a subroutine with an array, a part of one or one element on, and a scalar.
    fn call(&mut self, out: &mut Source) {
        let arrays: Vec<Array> = self.scope.arrays.iter().filter(|array| !array.of_module).cloned().collect();
        if self.subroutines.is_empty() || arrays.is_empty() {
            return self.assign_real(out);
        }
        let k = self.rng.below(self.subroutines.len());
        let array = self.rng.pick(&arrays);
        let mut scalars: Vec<Both> = self
            .scope
            .reals
            .iter()
            .filter(|real| real.is_writable && !real.of_module)
            .map(|real| real.name.clone())
            .collect();
        let others: Vec<&Array> = arrays.iter().filter(|other| other.name.fortran != array.name.fortran).collect();
        if !others.is_empty() && (scalars.is_empty() || self.rng.chance(30)) {
            let other = (*self.rng.pick(&others)).clone();
            scalars = vec![self.element_of(&other)];
        }
        if scalars.is_empty() {
            return;
        }
        let (scalar, number) = (self.rng.pick(&scalars), self.int(1));
        let assumed = self.subroutines[k];
        let with = [&array.name, &array.extent, &scalar, &number];
        let line = match self.rng.below(4) {
            0 => {
                let f = if assumed {
                    "call s({0}(1:{1}:2), {2}, {3}GIVEN)"
                } else {
                    "call s(({1} + 1) / 2, {0}(1:{1}:2), {2}, {3}GIVEN)"
                };
                let c = "{ double u_[8]; for (int q_ = 0; q_ < ({1} + 1) / 2; q_++) u_[q_] = {0}[2 * q_]; \
                         s(({1} + 1) / 2, u_, &{2}, {3}GIVEN); \
                         for (int q_ = 0; q_ < ({1} + 1) / 2; q_++) {0}[2 * q_] = u_[q_]; }";
                fill(f, c, &with)
            }
            1 => {
                let f = if assumed {
                    "call s({0}(2:), {2}, {3}GIVEN)"
                } else if array.name.fortran == "v" {
                    // An assumed shape may have gaps: one of its elements stands for itself alone.
                    "call s({1} - 1, {0}(2:{1}), {2}, {3}GIVEN)"
                } else {
                    "call s({1} - 1, {0}(2), {2}, {3}GIVEN)"
                };
                fill(f, "s({1} - 1, &{0}[1], &{2}, {3}GIVEN);", &with)
            }
            _ => {
                let f = if assumed { "call s({0}, {2}, {3}GIVEN)" } else { "call s({1}, {0}, {2}, {3}GIVEN)" };
                fill(f, "s({1}, {0}, &{2}, {3}GIVEN);", &with)
            }
        };
        let (f, c) = if self.rng.chance(50) {
            (String::new(), ", 0, 0.0".to_owned())
        } else {
            let given = self.leaf();
            (format!(", ({})", given.fortran), format!(", 1, {}", given.c))
        };
        let line = fill(&line.fortran.replace("GIVEN", &f), &line.c.replace("GIVEN", &c), &[]);
        let name = format!("s{k}(");
        out.both(&line.fortran.replace("call s(", &format!("call {name}")), &replaced_calls(&line.c, &name));
    }

    fn leave(&mut self, out: &mut Source) {
        let condition = self.condition();
        if self.scope.may_jump && !self.scope.loops.is_empty() && self.rng.chance(40) {
            let all = self.scope.loops.clone();
            let name = self.rng.pick(&all);
            let (f, c) = if self.rng.chance(50) { ("exit", "E") } else { ("cycle", "N") };
            let c = format!("if ({{0}}) goto {c}{name};");
            out.line(&fill(&format!("if ({{0}}) {f} {name}"), &c, &[&condition]));
        } else if self.scope.in_loop && self.rng.chance(70) {
            let (f, c) = if self.rng.chance(50) { ("exit", "break;") } else { ("cycle", "continue;") };
            out.line(&fill(&format!("if ({{0}}) {f}"), &format!("if ({{0}}) {c}"), &[&condition]));
        } else if self.scope.may_return {
            let (f, c) = (format!("if ({{0}}) {}", self.leave.fortran), format!("if ({{0}}) {}", self.leave.c));
            out.line(&fill(&f, &c, &[&condition]));
        }
    }

    fn nested(&mut self, out: &mut Source, depth: usize) {
        out.depth += 1;
        self.scope.is_top = false;
        self.block(out, depth, 3);
        out.depth -= 1;
    }

    fn branch(&mut self, out: &mut Source, depth: usize) {
        let condition = self.condition();
        out.line(&fill("if ({0}) then", "if ({0}) {", &[&condition]));
        self.nested(out, depth);
        if self.rng.chance(30) {
            let condition = self.condition();
            out.line(&fill("else if ({0}) then", "} else if ({0}) {", &[&condition]));
            self.nested(out, depth);
        }
        if self.rng.chance(50) {
            out.both("else", "} else {");
            self.nested(out, depth);
        }
        out.both("end if", "}");
    }

    /// A loop with a counter, over an array or short.
    fn count(&mut self, out: &mut Source, depth: usize) {
        let before = self.scope.clone();
        let name = self.fresh("i");
        self.locals.fortran(&format!("integer :: {name}"));
        let extent = self.any_array().map_or_else(|| Both::same("3"), |array| array.extent);
        let (f, c) = match self.rng.below(5) {
            0 => ("do I = {0}, 1, -1", "for (int I = {0}; I >= 1; I--) {"),
            1 => ("do I = 1, {0}, 2", "for (int I = 1; I <= {0}; I += 2) {"),
            2 => ("do I = 2, {0} - 1", "for (int I = 2; I <= {0} - 1; I++) {"),
            _ => ("do I = 1, {0}", "for (int I = 1; I <= {0}; I++) {"),
        };
        let named = self.scope.may_jump.then(|| self.fresh("o"));
        let f = named.as_ref().map_or(f.to_owned(), |named| format!("{named}: {f}"));
        out.line(&fill(&f.replace('I', &name), &c.replace('I', &name), &[&extent]));
        self.scope.indices.push(Index { name, extent: extent.fortran });
        self.scope.in_loop = true;
        self.scope.loops.extend(named.clone());
        self.nested(out, depth);
        match named {
            Some(named) => out.both(&format!("end do {named}"), &format!("N{named}:; }} E{named}:;")),
            None => out.both("end do", "}"),
        }
        self.scope = before;
    }

    /// A loop with a condition.
    fn repeat(&mut self, out: &mut Source, depth: usize) {
        let before = self.scope.clone();
        let name = self.fresh("c");
        self.locals.both(&format!("integer :: {name}"), &format!("int {name};"));
        let condition = self.condition();
        let with = [&Both::same(name.clone()), &condition];
        out.line(&fill("{0} = 0", "{0} = 0;", &with));
        let most = 2 + self.rng.below(3);
        out.line(&fill(
            &format!("do while ({{0}} < {most} .and. ({{1}}))"),
            &format!("while ({{0}} < {most} && ({{1}})) {{"),
            &with,
        ));
        out.line(&fill("  {0} = {0} + 1", "    {0} = {0} + 1;", &with));
        self.scope.ints.push((name, false));
        self.scope.in_loop = true;
        self.nested(out, depth);
        out.both("end do", "}");
        self.scope = before;
    }

    /// SELECT CASE. A `break` of a loop around it would leave the switch.
    fn select(&mut self, out: &mut Source, depth: usize) {
        let before = self.scope.clone();
        (self.scope.in_loop, self.scope.may_jump) = (false, false);
        self.scope.loops.clear();
        let on = self.int(2);
        out.line(&fill("select case (modulo({0}, 5))", "switch (wrapped({0}, 5) - 1) {", &[&on]));
        for (f, c) in [("case (0, 3)", "case 0: case 3: {"), ("case (1)", "case 1: {"), ("case default", "default: {")]
        {
            out.both(f, c);
            self.nested(out, depth);
            out.c("break; }");
        }
        out.both("end select", "}");
        self.scope = before;
    }

    /// A jump over some statements.
    fn jump(&mut self, out: &mut Source, depth: usize) {
        self.labels += 10;
        let (label, condition) = (self.labels, self.condition());
        let f = format!("if ({{0}}) go to {label}");
        out.line(&fill(&f, &format!("if ({{0}}) goto L{label};"), &[&condition]));
        let before = self.scope.clone();
        self.scope.is_top = false;
        self.block(out, depth, 2);
        self.scope = before;
        out.both(&format!("{label} continue"), &format!("L{label}:;"));
    }

    /// An array that is allocated.
    fn on_the_heap(&mut self, out: &mut Source, depth: usize) {
        let before = self.scope.clone();
        let name = self.fresh("b");
        self.locals.fortran(&format!("real(8), allocatable :: {name}(:)"));
        let extent = self.any_array().map_or_else(|| Both::same("3"), |array| array.extent);
        let with = [&Both::same(name.clone()), &extent, &self.leaf()];
        let c = "{ double *{0} = malloc({1} * sizeof *{0}); for (int k_ = 0; k_ < {1}; k_++) {0}[k_] = {2};";
        let line = fill("allocate({0}({1}))", c, &with);
        out.line(&line);
        out.fortran(&fill("{0} = {2}", "", &with).fortran);
        self.add_array(Both::same(name), extent.clone());
        (self.scope.in_loop, self.scope.may_return, self.scope.is_top) = (false, false, false);
        self.scope.loops.clear();
        self.block(out, depth.min(1), 3);
        out.line(&fill("deallocate({0})", "free({0}); }", &with));
        self.scope = before;
    }

    /// BLOCK with a variable of its own, or ASSOCIATE with a name for a variable.
    fn inner(&mut self, out: &mut Source, depth: usize) {
        let before = self.scope.clone();
        let name = self.fresh("d");
        if self.rng.chance(50) {
            let value = self.damped(1);
            out.both("block", "{");
            out.both(&format!("  real(8) :: {name}"), &format!("    double {name};"));
            out.line(&fill(&format!("  {name} = {{0}}"), &format!("    {name} = {{0}};"), &[&value]));
            self.add_real(Both::same(name), true);
            self.nested(out, depth);
            out.both("end block", "}");
        } else if let Some(to) = self.writable_own() {
            out.both(&format!("associate ({name} => {})", to.fortran), "{");
            self.scope.reals.retain(|real| real.name.fortran != to.fortran);
            self.add_real(Both::new(name, to.c), true);
            self.nested(out, depth);
            out.both("end associate", "}");
        }
        self.scope = before;
    }
}

/// The calls of `s` in a line of C, by the name of the subroutine.
fn replaced_calls(line: &str, name: &str) -> String {
    match line.strip_prefix("s(") {
        Some(rest) => format!("{name}{rest}"),
        None => line.replace(" s(", &format!(" {name}")),
    }
}
