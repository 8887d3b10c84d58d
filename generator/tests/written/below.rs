//! What lies below a pointer of the caller: subscripts and loops that lead there make it one object with others, and the
//! check notices those of which only run time knows the sign.

use crate::objects::{Random, checked, names_both};

/// How a function may read what lies below `high`, `n` elements of it, `n` being 3; and what it says before.
const WAYS: [&str; 14] = [
    "for (int k = 0; k < n; k++) s += high[-k] * FACTOR;",
    "for (int k = 1; k <= n; k++) s += *(high - k) * FACTOR;",
    "for (int k = 0; k < n; k++) s += high[-2 - k] * FACTOR;",
    "for (int k = 0; k > -n; k--) s += high[k] * FACTOR;",
    "for (int k = n - 1; k >= 0; k--) s += high[-k] * FACTOR;",
    "for (int k = 0; k < n; k++) s += high[-(k * n) / n] * FACTOR + high[k * -1] * x;",
    "for (double *q = high; n > 0; n--) s += *q-- * FACTOR;",
    "for (double *q = high; n > 0; q -= 1, n--) s += q[0] * FACTOR;",
    "for (int i = 0; i < n; i++, high--)\n        for (int k = 0; k < 2; k++) s += high[k] * FACTOR;",
    "s += high[n > 2 ? -2 : 1] * FACTOR;",
    "int k = 1;\n    if (n > 2) k = -2;\n    s += high[k] * FACTOR;",
    "s += back(high, n) * FACTOR;",
    "(void)n;\n    s += summed(high, -2, 1) * FACTOR;",
    "(void)n;\n    s += summed(high, -1, -1) * FACTOR;",
];

/// A function of three pointers into one array, which writes through one what it reads below the second. Nothing compares
/// these; the third is compared with the second.
fn function(random: &mut Random, name: &str, way: &str) -> String {
    let [i, j, c] = [3, 3, 9].map(|all| random.below(all));
    let way = way.replace("FACTOR", &format!("0.{}", 1 + c));
    format!(
        "double {name}(double *low, double *high, double *last, int n, double x) {{
    double s = 0;
    for (int i = 0; i < 8; i++) low[i] = low[i] * x + x * x;
    if (high < last) s += last[0] * x;
    {way}
    low[{i}] = s * x;
    return s * low[{j}] + x;
}}
"
    )
}

/// The gradient was 0 where the first pass of a loop did not lead below, though later ones do. `PROGRAMS` says how many
/// functions there are.
#[test]
fn random_loops_that_lead_below_a_pointer_make_it_one_object_with_another() {
    let programs = std::env::var("PROGRAMS").map_or(WAYS.len(), |text| text.parse().expect("a number of programs"));
    let mut random = Random(20_261_130);
    let mut model = "\
static double back(const double *from, int n) {
    double s = 0;
    for (int k = 0; k < n; k++) s += *from--;
    return s;
}
static double summed(const double *from, int first, int by) {
    double s = 0;
    for (int k = 0; k < 2; k++) s += from[first + by * k];
    return s;
}
"
    .to_string();
    let mut heads = String::new();
    let mut driver = "#include \"model_b.h\"\nint main(void) {\n    double x = 0.75;\n".to_string();
    for k in 0..programs.max(WAYS.len()) {
        let name = format!("f{k}");
        model += &function(&mut random, &name, WAYS[k % WAYS.len()]);
        heads += &format!("{name}({name})/(x) ");
        let at = 4 + random.below(2);
        driver += &format!(
            "    {{\n        double a[18], b[18], x_b = 0;\n        for (int i = 0; i < 18; i++) a[i] = 0.1 * i + 0.3, b[i] = \
             0;\n        {name}_b(a, b, a + {at}, b + {at}, a + {at} + 2, b + {at} + 2, 3, x, &x_b, 1.0);\n    }}\n"
        );
    }
    let (status, said, text) = checked(&model, heads.trim(), &(driver + "    return 0;\n}\n"));
    assert_eq!(status, Some(0), "{said}\n{model}");
    let one = "but these may be parts of one object";
    assert_eq!(text.matches(one).count(), programs.max(WAYS.len()), "{model}");
}

/// Only run time knows where these lead.
const UNKNOWN: &str = "\
struct mesh { double *value; int *column; };
double argument(double *a, double *end, int k, double x) {
    a[1] = x * x;
    double y = end[k] * x;
    return y;
}
double from_memory(double *a, double *end, const int *at, double x) {
    a[1] = x * x;
    double y = end[at[1]] * x;
    return y;
}
double from_a_struct(double *a, const struct mesh *m, double x) {
    a[1] = x * x;
    double y = m->value[m->column[1]] * x;
    return y;
}
static double get(const double *from, int k) {
    double y = from[k];
    return y;
}
double by_callee(double *a, double *end, int k, double x) {
    a[1] = x * x;
    double y = get(end, k) * x;
    return y;
}
double moved(double *a, double *end, int by, double x) {
    a[1] = x * x;
    end += by;
    double y = *end * x;
    return y;
}
double written(double *a, double *end, int k, double x) {
    end[k] = x * x;
    double y = a[1] * x;
    return y;
}
double runs(double *p, const double *end, int n, double x) {
    for (int i = 0; i < n; i++) *p++ = x * x;
    double y = *end * x;
    return y;
}
";

/// The file says which memory the adjoint takes for different, and the check names a call in which it is not.
#[test]
fn subscripts_of_unknown_sign_fall_under_what_the_head_says_and_the_check_notices() {
    let found = [
        ("argument", "a, a + 3, -2", "'*a' at model.c:3 and '*end' at model.c:4"),
        ("from_memory", "a, a + 3, at", "'*a' at model.c:8 and '*end' at model.c:9"),
        ("from_a_struct", "a, &m", "'*a' at model.c:13 and '*m->value' at model.c:14"),
        ("by_callee", "a, a + 3, -2", "'*a' at model.c:22 and '*end' at model.c:18"),
        ("moved", "a, a + 3, -2", "'*a' at model.c:27 and '*end' at model.c:29"),
        ("written", "a, a + 3, -2", "'*end' at model.c:33 and '*a' at model.c:34"),
        ("runs", "a, a + 3, 5", "'*p' at model.c:38 and '*end' at model.c:39"),
    ];
    let mut heads = String::new();
    let mut driver = "\
#include \"model_b.h\"
int main(void) {
    double a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, x = 1.5, x_b = 0;
    int at[2] = {0, -2};
    struct mesh m = {a + 3, at};
"
    .to_string();
    for (name, arguments, _) in found {
        heads += &format!("{name}({name})/(x) ");
        driver += &format!("    {name}_b({arguments}, x, &x_b, 1.0);\n");
    }
    let (status, said, text) = checked(UNKNOWN, heads.trim(), &(driver + "    return 0;\n}\n"));
    assert_eq!(status, Some(4), "{said}");
    for (name, _, objects) in found {
        assert!(text.contains(&format!("{name}_b takes these for different memory: ")), "{name}");
        let said: Vec<&str> = said
            .lines()
            .filter(|line| line.starts_with(&format!("check: {name}: ")) && line.contains(" one address"))
            .collect();
        assert!(!said.is_empty() && said.iter().all(|line| names_both(line, objects)), "{name}: {said:#?}");
    }
}
