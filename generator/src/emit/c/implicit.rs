//! Derivatives of solvers from those of their residuals.
//!
//! ```text
//!   r(y, p) = 0      product: the row of dr/dy by a direction of r, from the adjoint of the residual
//!                    f_rev:   dr/dy' l = y_b by rows or products; p_b -= dr/dp' l; y_b = 0
//!                    f_d:     dr/dy y_d = -dr/dp p_d by columns or products, from the tangent of the residual
//! ```

use crate::ir::*;

/// The function behind the adjoints of residuals, as text, and its declaration.
pub(super) fn derivative(rule: &Rule, implicit: &Implicit, adjoint: &str) -> Option<(String, String)> {
    let trial = rule.trial.as_ref()?;
    let name = &rule.reverse.as_ref()?.name;
    Some(One { trial, implicit, name, adjoint }.text())
}

struct One<'a> {
    trial: &'a Trial,
    implicit: &'a Implicit,
    /// The derivative.
    name: &'a str,
    /// The adjoint of the residual.
    adjoint: &'a str,
}

impl One<'_> {
    fn declared(&self, k: usize) -> String {
        let Tried { ty, name, .. } = &self.trial.params[k];
        let ty = ty.replace("restrict", "");
        format!("{}{}{name}", ty.trim_end(), if ty.trim_end().ends_with('*') { "" } else { " " })
    }

    /// The adjoint of the residual, with adjoints of its arguments that are behind `adjoint`.
    fn call(&self, of: &str, adjoint: &dyn Fn(usize) -> String) -> String {
        let mut args = Vec::new();
        for arg in &self.implicit.args {
            match arg {
                Some(k) => {
                    args.push(format!("{of}{}", self.trial.params[*k].name));
                    args.extend(self.trial.params[*k].is_real.then(|| adjoint(*k)));
                }
                None => args.extend([format!("{of}residual_"), format!("{of}seed_")]),
            }
        }
        format!("{}({});\n", self.adjoint, args.join(", "))
    }

    fn text(&self) -> (String, String) {
        let Trial { params, bounds, .. } = self.trial;
        let (name, unknown) = (self.name, &params[self.implicit.unknown].name);
        let mut all = Vec::new();
        for (k, param) in params.iter().enumerate() {
            all.push(self.declared(k));
            all.extend(param.is_real.then(|| format!("double *{}_b", param.name)));
        }
        let signature = format!("static void {name}({})", all.join(", "));
        let reals: Vec<usize> = (0..params.len()).filter(|k| params[*k].is_real).collect();
        let count = |k: usize| {
            let count = &self.implicit.counts[k];
            if count.is_empty() { "1".to_string() } else { format!("({count})") }
        };
        let mut text =
            format!("\n/* What {name} hands on to the adjoint of the residual. */\nstruct {name}_context {{\n");
        (0..params.len()).for_each(|k| text += &format!("    {};\n", self.declared(k)));
        text += "    double *residual_, *seed_;\n    int n_;\n";
        reals.iter().for_each(|k| text += &format!("    double *{}_b;\n", params[*k].name));
        text += "};\n";
        text += &format!("\nstatic void {name}_product(void *context, const double *seed, double *product) {{\n");
        text += &format!("    struct {name}_context *const c = (struct {name}_context *)context;\n");
        text += "    memcpy(c->seed_, seed, (size_t)c->n_ * sizeof *seed);\n";
        text += &format!("    memset(c->{unknown}_b, 0, (size_t)c->n_ * sizeof *seed);\n");
        text += &format!("    {}", self.call("c->", &|k| format!("c->{}_b", params[k].name)));
        text += &format!("    memcpy(product, c->{unknown}_b, (size_t)c->n_ * sizeof *seed);\n}}\n");
        text += &format!("\n{signature} {{\n    if ({unknown}_b == NULL) return;\n");
        bounds.lines().for_each(|line| text += &format!("    {line}\n"));
        let counts: Vec<String> = reals.iter().map(|k| count(*k)).collect();
        text += &format!("    const int n_ = {};\n", count(self.implicit.unknown));
        // A check knows the blocks that the file itself asks for.
        let all = format!("3 * (size_t)n_ + (size_t)({}) + 1", counts.join(" + "));
        text += &format!("    double *const room_ = adtape_implicit_given(calloc({all}, sizeof(double)));\n");
        let fields: Vec<String> = params.iter().map(|param| param.name.clone()).collect();
        text += &format!("    struct {name}_context c_ = {{{}, room_, room_ + n_, n_", fields.join(", "));
        let mut behind = "room_ + 3 * (int64_t)n_".to_string();
        for k in &reals {
            text += &format!(",\n        {behind}");
            behind += &format!(" + {}", count(*k));
        }
        text += "};\n    double *const multiplier_ = room_ + 2 * (int64_t)n_;\n";
        text += &format!("    adtape_implicit_solve(n_, {name}_product, &c_, {unknown}_b, multiplier_, \"{name}\");\n");
        text += "    for (int k_ = 0; k_ < n_; k_++) {\n        c_.seed_[k_] = -multiplier_[k_];\n";
        text += &format!("        {unknown}_b[k_] = 0;\n    }}\n");
        let own = |k: usize| {
            let name = &params[k].name;
            if k == self.implicit.unknown {
                format!("c_.{name}_b")
            } else {
                format!("{name}_b ? {name}_b : c_.{name}_b")
            }
        };
        text += &format!("    {}", self.call("c_.", &own));
        text += "    free(room_);\n}\n";
        (format!("{signature};\n"), text)
    }
}

/// The function behind the tangents of residuals, as text, and its declaration.
pub(super) fn tangent(rule: &Rule, implicit: &Implicit, residual: &str, proc: &Proc) -> Option<(String, String)> {
    let trial = rule.trial.as_ref()?;
    let name = &rule.tangent.as_ref()?.name;
    Some(Tangent { one: One { trial, implicit, name, adjoint: residual }, rule, proc }.text())
}

struct Tangent<'a> {
    one: One<'a>,
    rule: &'a Rule,
    /// The tangent of the residual: it has no parameter for the tangent of what it does not depend on.
    proc: &'a Proc,
}

impl Tangent<'_> {
    /// The tangent of the residual, with tangents of its arguments as `tangent` has them.
    fn call(&self, of: &str, tangent: &dyn Fn(usize) -> String) -> String {
        let mut params = self.proc.params.iter().peekable();
        let mut args = Vec::new();
        for arg in &self.one.implicit.args {
            let own = params.next().map_or("", |param| &param.name);
            let follows = params.next_if(|param| param.name == format!("{own}_d")).is_some();
            match arg {
                Some(k) => {
                    args.push(format!("{of}{}", self.one.trial.params[*k].name));
                    args.extend(follows.then(|| tangent(*k)));
                }
                None => {
                    args.push(format!("{of}residual_"));
                    args.extend(follows.then(|| format!("{of}seed_")));
                }
            }
        }
        format!("{}({});\n", self.one.adjoint, args.join(", "))
    }

    fn text(&self) -> (String, String) {
        let One { trial, implicit, name, .. } = self.one;
        let Trial { params, bounds, .. } = trial;
        let (unknown, mut all) = (&params[implicit.unknown].name, Vec::new());
        for (k, param) in params.iter().enumerate() {
            all.push(self.one.declared(k));
            let star = if param.is_pointer { "*" } else { "" };
            all.extend(param.is_real.then(|| format!("double {star}{}_d", param.name)));
        }
        let signature = format!("static void {name}({})", all.join(", "));
        let arrays: Vec<usize> = (0..params.len()).filter(|k| params[*k].is_real && params[*k].is_pointer).collect();
        let count = |k: usize| format!("({})", implicit.counts[k]);
        let mut text =
            format!("\n/* What {name} hands on to the tangent of the residual. */\nstruct {name}_context {{\n");
        (0..params.len()).for_each(|k| text += &format!("    {};\n", self.one.declared(k)));
        text += "    double *residual_, *seed_, *direction_, *nothing_;\n    int n_;\n};\n";
        text += &format!("\nstatic void {name}_product(void *context, const double *direction, double *product) {{\n");
        text += &format!("    struct {name}_context *const c = (struct {name}_context *)context;\n");
        text += "    memcpy(c->direction_, direction, (size_t)c->n_ * sizeof *direction);\n";
        text += "    memset(c->seed_, 0, (size_t)c->n_ * sizeof *direction);\n";
        let along = |k: usize| match k {
            k if k == implicit.unknown => "c->direction_".to_string(),
            k if params[k].is_pointer => "c->nothing_".to_string(),
            _ => "0.0".to_string(),
        };
        text += &format!("    {}", self.call("c->", &along));
        text += "    memcpy(product, c->seed_, (size_t)c->n_ * sizeof *direction);\n}\n";
        text += &format!("\n{signature} {{\n");
        let names: Vec<String> = params.iter().map(|param| param.name.clone()).collect();
        text += &format!("    {}({});\n    if ({unknown}_d == NULL) return;\n", self.rule.function, names.join(", "));
        bounds.lines().for_each(|line| text += &format!("    {line}\n"));
        text += &format!("    const int n_ = {};\n", count(implicit.unknown));
        // One array of zeros stands for the tangents that are none: no array is longer than all together.
        let counts: Vec<String> = arrays.iter().map(|k| count(*k)).collect();
        let room = format!("4 * (size_t)n_ + (size_t)({}) + 1", counts.join(" + "));
        text += &format!("    double *const room_ = adtape_implicit_given(calloc({room}, sizeof(double)));\n");
        text += &format!("    struct {name}_context c_ = {{{}, room_, room_ + n_,\n", names.join(", "));
        text += "        room_ + 2 * (int64_t)n_, room_ + 4 * (int64_t)n_, n_};\n";
        text += "    double *const right_ = room_ + 3 * (int64_t)n_;\n";
        let given = |k: usize| match &params[k].name {
            _ if k == implicit.unknown => "c_.nothing_".to_string(),
            name if params[k].is_pointer => format!("{name}_d ? {name}_d : c_.nothing_"),
            name => format!("{name}_d"),
        };
        text += &format!("    {}", self.call("c_.", &given));
        text += "    for (int k_ = 0; k_ < n_; k_++) right_[k_] = -c_.seed_[k_];\n";
        text += &format!("    adtape_implicit_solve(n_, {name}_product, &c_, right_, {unknown}_d, \"{name}\");\n");
        text += "    free(room_);\n}\n";
        (format!("{signature};\n"), text)
    }
}
