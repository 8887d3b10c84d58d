//! Random programs that make, move, change and free blocks: the statements of their functions, over the structures of
//! `prelude.h`. Each keeps its own blocks by a rule that makes it valid C: a list, a tree, a buffer and a row are freed
//! through their owner only, and an alias is used in the statement that makes it.

use super::prng::Prng;

/// Sources of one batch: the prelude and some functions `f_0`, `f_1`, ... of `(int n, double *x, int *ia, double *w)`.
pub fn source(seed: u64, functions: usize) -> String {
    let mut text = include_str!("prelude.h").to_owned();
    for k in 0..functions {
        text += &format!("\ndouble f_{k}(int n, double *x, int *ia, double *w);\n");
        text += &Maker { random: Prng::new(seed.wrapping_mul(1000) + k as u64), fresh: 0 }.function(k);
    }
    text
}

struct Maker {
    random: Prng,
    fresh: usize,
}

impl Maker {
    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        self.random.pick(all)
    }

    fn function(&mut self, k: usize) -> String {
        let table =
            self.pick(&["double *rows[4] = {NULL, NULL, NULL, NULL};", "double **rows = calloc(4, sizeof *rows);"]);
        let mut text = format!(
            "double f_{k}(int n, double *x, int *ia, double *w) {{\n    struct node *one = NULL, *two = NULL;\n    \
             struct tree *tree = NULL;\n    struct buffer buffer = {{NULL, 0, 0}};\n    {table}\n    \
             int lengths[4] = {{0, 0, 0, 0}};\n    double s = x[0];\n    (void)n, (void)w;\n"
        );
        let statements = 4 + self.below(8);
        for _ in 0..statements {
            text += &self.statement(1, 2);
        }
        text += "    s += sum(tree);\n    for (struct node *p = one; p != NULL; p = p->next) s += p->v * p->w;\n";
        text += "    for (int i = 0; i < buffer.count; i++) s += buffer.data[i] * x[i % 8];\n";
        if self.below(3) > 0 {
            text += "    while (one != NULL) {\n        struct node *p = one;\n        one = one->next;\n        free(p);\n    }\n";
            text += "    tree = drop(tree);\n    free(buffer.data);\n    for (int i = 0; i < 4; i++) free(rows[i]);\n";
        }
        text + "    return s;\n}\n"
    }

    /// A real of moderate size.
    fn real(&mut self) -> String {
        let (j, other) = (self.below(8), self.below(8));
        match self.below(6) {
            0 => format!("x[{j}]"),
            1 => format!("0.5 * x[{j}] * x[{other}]"),
            2 => format!("sin(s) * x[{j}]"),
            3 => format!("(0.3 * x[{j}] + 0.2 * sin(s + x[{other}]))"),
            4 => "0.25".into(),
            _ => format!("cos(x[{j}] - s)"),
        }
    }

    fn condition(&mut self) -> String {
        match self.below(5) {
            0 => format!("ia[{}] % 2 == 0", self.below(8)),
            1 => "one != NULL".into(),
            2 => "buffer.count > 2".into(),
            3 => format!("rows[{}] != NULL", self.below(4)),
            _ => format!("find({}, {}) != NULL", self.pick(&["one", "two"]), self.below(4)),
        }
    }

    fn statement(&mut self, indent: usize, depth: usize) -> String {
        let (list, other) = if self.below(2) == 0 { ("one", "two") } else { ("two", "one") };
        let (real, more, k) = (self.real(), self.real(), self.below(4));
        let (row, from) = (self.below(4), self.below(4));
        let name = {
            self.fresh += 1;
            format!("p{}", self.fresh)
        };
        let lines = match self.below(if depth > 0 { 28 } else { 24 }) {
            0 | 1 => format!("struct node *{name} = node_new({real}, {k});\n{name}->next = {list};\n{list} = {name};"),
            2 => format!("append(&{list}, node_new({real}, {k}));"),
            3 => format!(
                "if ({list} != NULL) {{\n    struct node *{name} = {list};\n    {list} = {name}->next;\n    s += {name}->v * {real};\n    free({name});\n}}"
            ),
            4 => format!(
                "for (struct node **at = &{list}; *at != NULL;) {{\n    struct node *{name} = *at;\n    if ({name}->k == {k}) {{\n        *at = {name}->next;\n        s += 0.5 * {name}->v * {name}->w;\n        free({name});\n    }} else {{\n        {name}->w = 0.5 * {name}->v * {real};\n        at = &{name}->next;\n    }}\n}}"
            ),
            5 => format!(
                "for (struct node *{name} = {list}; {name} != NULL; {name} = {name}->next) {{\n    {name}->v = 0.5 * {name}->v * {real} + 0.1 * {name}->w;\n    if ({name}->next != NULL) {name}->next->w = {name}->v;\n}}"
            ),
            6 => format!(
                "for (struct node *{name} = {list}; {name} != NULL; {name} = {name}->next) s = 0.9 * s + 0.3 * {name}->v * {name}->w;"
            ),
            7 => format!(
                "struct node *{name} = NULL;\nwhile ({list} != NULL) {{\n    struct node *next = {list}->next;\n    {list}->next = {name};\n    {name} = {list};\n    {list} = next;\n}}\n{list} = {name};"
            ),
            8 => format!(
                "if ({list} != NULL) {{\n    struct node *{name} = {list};\n    {list} = {name}->next;\n    {name}->next = {other};\n    {other} = {name};\n}}"
            ),
            9 => format!("struct node *{name} = one;\none = two;\ntwo = {name};"),
            10 => format!(
                "struct node *{name} = find({list}, {k});\nif ({name} != NULL) {{\n    {name}->v *= {real};\n    s += {name}->v * {name}->v;\n}}"
            ),
            11 | 12 => format!("put(&buffer, {real});"),
            13 => "if (buffer.count > 2) {\n    buffer.count /= 2;\n    buffer.room = buffer.count;\n    buffer.data = realloc(buffer.data, (size_t)buffer.room * sizeof *buffer.data);\n}".into(),
            14 => format!("for (int i = 1; i < buffer.count; i++) buffer.data[i] = 0.6 * buffer.data[i - 1] * buffer.data[i] + 0.2 * {real};"),
            15 => "free(buffer.data);\nbuffer.data = NULL;\nbuffer.count = buffer.room = 0;".into(),
            16 | 17 => format!(
                "if (rows[{row}] == NULL) {{\n    lengths[{row}] = {};\n    rows[{row}] = malloc((size_t)lengths[{row}] * sizeof **rows);\n    for (int i = 0; i < lengths[{row}]; i++) rows[{row}][i] = {real} * (i + 1);\n}}",
                2 + k
            ),
            18 => format!(
                "if (rows[{row}] != NULL && rows[{from}] != NULL) {{\n    for (int i = 0; i < lengths[{row}]; i++) rows[{row}][i] = 0.4 * rows[{row}][i] * cos(rows[{from}][i % lengths[{from}]]) + {more};\n    s += rows[{row}][0];\n}}"
            ),
            19 => format!(
                "double *{name} = rows[{row}];\nrows[{row}] = rows[{from}];\nrows[{from}] = {name};\nint length = lengths[{row}];\nlengths[{row}] = lengths[{from}];\nlengths[{from}] = length;"
            ),
            20 => format!(
                "if (rows[{row}] != NULL) {{\n    rows[{row}] = realloc(rows[{row}], (size_t)(lengths[{row}] + 2) * sizeof **rows);\n    rows[{row}][lengths[{row}]] = {real};\n    rows[{row}][lengths[{row}] + 1] = rows[{row}][0] * {more};\n    lengths[{row}] += 2;\n}}"
            ),
            21 => format!("insert(&tree, {real}, ia[{k}] % 7);"),
            22 => format!("s = 0.7 * s + 0.2 * sum(tree);\nscale(tree, {real});"),
            23 => {
                if self.below(4) == 0 {
                    "tree = drop(tree);".into()
                } else {
                    format!("free(rows[{row}]);\nrows[{row}] = NULL;")
                }
            }
            24 | 25 => {
                let condition = self.condition();
                let (then, otherwise) = (self.block(depth), self.block(depth));
                format!("if ({condition}) {{\n{then}}} else {{\n{otherwise}}}")
            }
            _ => {
                let body = self.block(depth);
                format!("for (int pass = 0; pass < {}; pass++) {{\n{body}}}", 2 + k)
            }
        };
        let inside = lines.lines().map(|line| format!("{}{line}\n", "    ".repeat(indent + 1))).collect::<String>();
        let around = "    ".repeat(indent);
        format!("{around}{{\n{inside}{around}}}\n")
    }

    fn block(&mut self, depth: usize) -> String {
        let count = 1 + self.below(3);
        (0..count).map(|_| self.statement(1, depth - 1)).collect()
    }
}
