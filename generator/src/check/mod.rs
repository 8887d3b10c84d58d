//! `--check`: what the generated file needs to compare, at run time, every operand that an adjoint reads with what the
//! forward sweep had, bit for bit.
//!
//! The forward sweep notes each operand, with the number of its site, on a stack of its own; the reverse sweep takes
//! it off and compares. A difference names the line and the expression.

use crate::ir::print;
use crate::sweep::items::site;
use crate::transform::Adjoint;

/// C text behind the includes: the stack, and the table of sites.
pub fn runtime(adjoint: &Adjoint, prefix: &str) -> String {
    RUNTIME.replace('@', prefix).replace("/* sites */", &sites(adjoint))
}

/// The function that ends a head's check; `name` is the head.
pub fn end(prefix: &str, tape: &str, name: &str) -> String {
    format!("{prefix}_end(\"{name}\", {tape});")
}

/// One row for each operand: number, line, text.
fn sites(adjoint: &Adjoint) -> String {
    let mut rows = String::new();
    for sweeps in &adjoint.sweeps {
        let proc = &adjoint.program.procs[sweeps.proc.index()];
        for (item, operands) in &sweeps.plan.witnesses {
            let span = proc.items[item.index()].span;
            let path = adjoint.program.sources.get(span.source as usize).map_or("", |source| source.path.as_str());
            for (k, operand) in operands.iter().enumerate() {
                let text = without_labels(&print::expr(&adjoint.program, proc, operand));
                let number = site(sweeps.proc, *item, k);
                rows += &format!("    {{{number}u, {:?}, {text:?}}},\n", format!("{path}:{}", span.line));
            }
        }
    }
    rows
}

/// `x.2[i.1 - 1]` as the user knows it: `x[i - 1]`.
fn without_labels(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('.') {
        let (before, behind) = rest.split_at(at);
        out += before;
        let word = before.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default();
        let digits = behind[1..].chars().take_while(char::is_ascii_digit).count();
        let is_label = digits > 0 && word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !is_label {
            out.push('.');
        }
        rest = &behind[1 + if is_label { digits } else { 0 }..];
    }
    out + rest
}

const RUNTIME: &str = r#"/* The check: operands of adjoints as the forward sweep had them. */
static const struct {
    uint32_t site;
    const char *where, *what;
} @_sites[] = {
/* sites */    {0, "", ""},
};
typedef struct {
    uint32_t site;
    unsigned char bytes[16];
} @_operand;
static @_operand *@_stack;
static size_t @_depth, @_room;
static unsigned long @_compared, @_wrong;

static void @_report(void) {
    fflush(stdout);
    fprintf(stderr, "check: %lu operands compared, %lu wrong\n", @_compared, @_wrong);
    if (@_wrong != 0) {
        _Exit(1);
    }
}

static void @_fail(uint32_t site, const char *why) {
    size_t row = 0;
    while (row + 1 < sizeof @_sites / sizeof *@_sites && @_sites[row].site != site) {
        row++;
    }
    if (@_wrong++ < 20) {
        fprintf(stderr, "check: %s: '%s' %s\n", @_sites[row].where, @_sites[row].what, why);
    }
}

static void @_note(uint32_t site, const void *value, size_t bytes) {
    if (@_depth == @_room) {
        @_room = @_room == 0 ? 1024 : 2 * @_room;
        @_stack = realloc(@_stack, @_room * sizeof *@_stack);
        if (@_stack == NULL) {
            fprintf(stderr, "check: no memory for %zu operands\n", @_room);
            abort();
        }
    }
    memset(&@_stack[@_depth], 0, sizeof *@_stack);
    @_stack[@_depth].site = site;
    memcpy(@_stack[@_depth].bytes, value, bytes);
    @_depth++;
}

static void @_compare(uint32_t site, const void *value, size_t bytes) {
    @_compared++;
    if (@_depth == 0) {
        @_fail(site, "is read, but the forward sweep noted no more operands");
        return;
    }
    @_depth--;
    if (@_stack[@_depth].site != site) {
        @_fail(site, "is read where the forward sweep noted another operand");
    } else if (memcmp(@_stack[@_depth].bytes, value, bytes) != 0) {
        @_fail(site, "has not the value that it had in the forward sweep");
    }
}

static inline void @_note_f32(uint32_t site, float x) { @_note(site, &x, sizeof x); }
static inline void @_note_f64(uint32_t site, double x) { @_note(site, &x, sizeof x); }
static inline void @_note_f80(uint32_t site, long double x) { @_note(site, &x, 10); }
static inline void @_note_i64(uint32_t site, int64_t x) { @_note(site, &x, sizeof x); }
static inline void @_compare_f32(uint32_t site, float x) { @_compare(site, &x, sizeof x); }
static inline void @_compare_f64(uint32_t site, double x) { @_compare(site, &x, sizeof x); }
static inline void @_compare_f80(uint32_t site, long double x) { @_compare(site, &x, 10); }
static inline void @_compare_i64(uint32_t site, int64_t x) { @_compare(site, &x, sizeof x); }

static void @_end(const char *head, adtape_t *tape) {
    static int is_registered;
    adtape_stats_t stats;
    if (!is_registered) {
        is_registered = 1;
        atexit(@_report);
    }
    if (@_depth != 0) {
        fprintf(stderr, "check: %s: %zu operands of the forward sweep were not read again\n", head, @_depth);
        @_wrong++;
        @_depth = 0;
    }
    if (adtape_stats_get(tape, &stats) == ADTAPE_STATUS_OK && stats.bytes != 0) {
        fprintf(stderr, "check: %s: %llu bytes are left on the tape\n", head, (unsigned long long)stats.bytes);
        @_wrong++;
    }
}

"#;

#[cfg(test)]
mod tests {
    use super::without_labels;

    #[test]
    fn labels_of_values_go_and_constants_stay() {
        assert_eq!(without_labels("x.2[i.1 - 1] * 2.5 + p.0[0].w + t'1.3"), "x[i - 1] * 2.5 + p[0].w + t'1.3");
    }
}
