use super::program;
use crate::ir::print;

/// Reads a text, and checks that it is printed as it was, except for blanks and comments.
fn printed_again(text: &str) {
    let first = program(text).unwrap_or_else(|what| panic!("{what}\n{text}"));
    let printed = print::program(&first);
    let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
    assert_eq!(words(&printed), words(text), "{printed}");
    let second = program(&printed).unwrap_or_else(|what| panic!("{what}\n{printed}"));
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
}

#[test]
fn printed_text_of_loops_and_branches_is_read_back() {
    printed_again(
        "proc f(double* x, int n) -> double {
           var double s
           var int i
           let s.0 = 0.0
           let i.0 = 0
           loop before i.1 < n.0
             carry s.1 = s.0 | s.4 -> s.5
             carry i.1 = i.0 | i.2 -> i.3
           {
             if x.0[i.1] > 0.0 && !(i.1 % 2 == 0) {
               let s.2 = s.1 + sin(x.0[i.1])
             } else {
               let s.3 = s.1 * (2.0 - -x.0[i.1 - 1]) / (double)-i.1
             }
             join s.4 = s.2 | s.3
             let i.2 = i.1 + 1
           }
           loop after i.5 > 0
             carry i.4 = i.3 | i.5 -> i.6
           {
             let i.5 = i.4 - 1
             store x.0[i.5] = -1.5
           }
           return s.5
         }",
    );
}

#[test]
fn printed_text_of_memory_is_read_back() {
    printed_again(
        "struct node { double v; double[3][4] w; struct node* next }
         typedef Pair { struct node a; i32\"enum side\" side; opaque\"FILE\"* log }
         global const double table[10, 20]
         global Pair state
         static variadic proc g(struct node* p, const double[4]* q[?, 4] as \"double @[static 3][4]\", Pair by, size_t n,
           undefined noalias double* out) {
           renamed int k, k'1
           temporary double t
           flag int left
           let k.0 = 3
           let k'1.0 = -4
           declare k
           let left.0 = 0
           declare double w[10, n.0]
           alloc zeroed struct node b[?], n.0 * (2 : size_t)
           store w[k.0, k'1.0] = table[k.0, 3] + p.0[0].w[1, 2] + p.0[0].next[0].v
           store b[0].next = &p.0[k.0]
           store state.a.w[k.0, 0] = at(&w[3, 1])[k.0 of 7]
           store by.side = (2 : i32\"enum side\")
           let t.0 = (double)q.0[k.0, 1] * float\"INFINITY\" + fma(1.0f, 2.0f, powf(1.f, .5f))
           free &b[0]
           alloc stable struct node c[?], n.0
           release contents &c[0]
           release &c[0]
           undo release
           undo resize
           undo alloc
           store at(^p.0)[k.0].v = t.0
           call extern printf(verbatim\"\\\"%g\\n\\\"\", t.0, 0x)
         }"
        .replace(", 0x", "")
        .as_str(),
    );
}

#[test]
fn printed_text_of_calls_and_results_is_read_back() {
    printed_again(
        "struct point { double x; double y }
         typedef vector { double[3] all } as { double x; double[2] yz }
         proc f(double a, int n) -> double {
           var double r
           if n.0 > 0 {
             let r.0 = call f(a.0 * 2.0, n.0 - 1)
           } else {
             undefined r.1
             call extern noreturn abort()
           }
           join r.2 = r.0 | r.1
           return r.2
         }
         proc h(double* u) -> struct point {
           declare struct point p
           store p = call h(&u.0[1])
           let n.0 = &u.0[3] - u.0
           store p.x = u.0 == null ? 1 : (2 : long) | 3l
           return object p
         }"
        .replace("let n.0", "declare n let n.0")
        .replace("declare struct point p", "var long n declare struct point p")
        .replace("u.0 == null ? 1 : (2 : long) | 3l", "(double)(u.0 == null ? 1l : 2l | 3l)")
        .as_str(),
    );
}

#[test]
fn printed_text_of_sweeps_is_read_back() {
    printed_again(
        "proc f(double* x, int n) {
         }
         forward proc f_fwd(double* x, int n) {
           push x.0[0]
           push bits(2) n.0 & 3
           push count n.0
           push elements x.0[0], n.0
           push pointer x.0 from [x.0, &x.0[1]] at 0
           note 7: x.0[0] * 2.0
           rehearsal begin
           rehearsal end
           call f_fwd(x.0, n.0)
         }
         reverse proc f_rev(double* x, double* x_b, int n) {
           var double v
           var int c, m
           temporary double* p, p_b
           nothing
           declare double w[3]
           clear w
           pop pointer p.0, p_b.0 from [x.0] shadows [x_b.0]
           pop elements x.0[0], n.0
           pop count m.0
           pop bits(2) c.0
           pop v.0
           pop store x.0[0]
           rehearsal again
           push x.0[0]
           note 7: x.0[0]
           rehearsal compare 31
           witness 7: x.0[0] * 2.0
           accumulate x_b.0[0] += v.0 * x_b.0[1]
           shadowed x.0[1] by x_b.0[1]
           call reverse f(x.0, n.0)
           call tangent f(x.0, n.0)
         }",
    );
}

#[test]
fn spans_and_statements_are_read_back() {
    let text = "source main \"model.c\"
        proc f(double a) -> double @3:1:20-80 {
          var double r @4:3:30-31
          statement 0 copyable @4:3:30-50
          statement 1 in 0 @1/5:3:52-60
          let r.0 = a.0 * a.0 #0 @4:3:30-50
          if r.0 > 1.0 #1 @5:3:52-60 {
          }
          return r.0
        }";
    let first = program(text).unwrap();
    let printed = print::program_with_spans(&first);
    let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
    assert_eq!(words(&printed), words(text));
    assert!(!print::program(&first).contains('@'));
}

#[test]
fn undeclared_variables_take_the_type_of_their_definition() {
    let text = "proc f(float a, size_t n) -> float {
        let i.0 = n.0
        loop before i.1 > (0 : size_t) carry i.1 = i.0 | i.2 -> i.3 { let i.2 = i.1 - (1 : size_t) }
        let y.0 = a.0 * a.0
        return y.0
    }";
    let printed = print::program(&program(text).unwrap());
    assert!(printed.contains("var size_t i\n") && printed.contains("var float y\n"), "{printed}");
}

#[test]
fn errors_name_the_line() {
    for (text, expected) in [
        ("proc f(int n) {\n let i.0 = m.3\n}", "line 2: m has no type yet"),
        ("proc f(int n) {\n let i.0 = n.0\n let i.0 = 1\n}", "line 3: i.0 is defined twice"),
        ("proc f(int n) {\n store n.0[0] = 1\n}", "line 2: this is no pointer"),
        ("proc f(int n) {\n let i.0 = n.1\n}", "n.1 has no definition"),
        ("proc f(int n) {\n call g()\n}", "there is no procedure g"),
        ("proc f(int n) {\n let i.0 = §\n}", "line 2: '§' means nothing here"),
        ("proc f(int n) {", "expected '}'"),
    ] {
        let error = program(text).map(|_| ()).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}
