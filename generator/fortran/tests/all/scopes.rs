//! What names stand for: modules in any order, opaque modules, generics, COMMON, types of expressions.

use crate::common::{read_text, type_text};
use adtape_fortran::scope::generic::Actual;
use adtape_fortran::scope::program::{Class, Program};
use adtape_fortran::scope::resolve;
use adtape_fortran::source::Form;
use adtape_fortran::tree::statement::Action;
use adtape_fortran::tree::unit::{File, Unit};
use adtape_fortran::tree::walk::{self, Node};

/// Reads texts as one program, asks of it, and returns its messages without places.
fn with_program<R>(texts: &[&str], ask: impl FnOnce(&Program, &[File]) -> R) -> (R, Vec<String>) {
    let files: Vec<File> = texts
        .iter()
        .map(|text| {
            let (source, reading) = read_text("m.f90", text, Form::Free);
            let said: Vec<String> = reading.messages.iter().map(|message| message.in_source(&source)).collect();
            assert!(said.is_empty(), "{}", said.join("\n"));
            reading.file
        })
        .collect();
    let program = resolve(&files.iter().collect::<Vec<_>>());
    let messages = program.messages.iter().map(|(_, message)| message.text.clone()).collect();
    (ask(&program, &files), messages)
}

/// The types of what the last unit of a program assigns, in order.
fn assigned(texts: &[&str]) -> Vec<String> {
    let (types, messages) = with_program(texts, |program, files| {
        let unit: &Unit = files.last().and_then(|file| file.units.last()).expect("a unit");
        let scope = program.scope_of(unit).expect("its scope");
        let mut types = Vec::new();
        for statement in &unit.body {
            if let Action::Assign(_, value) = &statement.action {
                let typed = program.type_of(scope, value);
                let rank = typed.rank.map_or("?".to_owned(), |rank| rank.to_string());
                types.push(format!("{} [{rank}]", type_text(program, &typed.type_)));
            }
        }
        types
    });
    assert_eq!(messages, [""; 0]);
    types
}

#[test]
fn modules_come_in_any_order_and_hand_on_what_is_public() {
    let user = "subroutine s\nuse b, only: mine => x, y\nimplicit none\nreal(8) z\nz = mine + y\nend\n";
    let middle = "module b\nuse a\nprivate\npublic :: x, y\nreal(8) :: y\nend module\n";
    let first = "module a\ninteger, parameter :: k = 8\ninteger(k) :: x\nend module\n";
    assert_eq!(assigned(&[middle, first, user]), ["real 8 [0]"]);
    let (_, messages) = with_program(&[middle, first, "use b, only: k\nend\n"], |_, _| ());
    assert_eq!(messages, ["module b has no public name k"]);
}

#[test]
fn a_module_without_source_is_opaque_only_where_it_matters() {
    let text = "subroutine s\nuse far\nimplicit none\ninteger :: i\nreal(wp) :: x\ni = 1 + 2.5d0\ni = x + 1\ni = thing\n\
                i = f(2)\ni = sin(1.0d0)\ni = i\nend\n";
    let expected = ["real 8 [0]", "real unknown [0]", "opaque [?]", "opaque [?]", "real 8 [0]", "integer 4 [0]"];
    assert_eq!(assigned(&[text]), expected);
    let (_, messages) = with_program(&[&text.replace("use far\n", "use far, only: wp\n")], |_, _| ());
    assert_eq!(messages.len(), 2, "thing and f: {messages:?}");
}

#[test]
fn expressions_have_the_type_and_rank_of_fortran() {
    let text = "module m\ntype t\n real(8) :: x(3)\n type(t), pointer :: next\n integer :: n\nend type\n\
                type, extends(t) :: u\n character(4) :: c\nend type\ninterface operator(.dot.)\n module procedure dot\n\
                end interface\ninterface operator(+)\n procedure add\nend interface\ncontains\n\
                real(8) function dot(a, b)\n real(8), intent(in) :: a(:), b(:)\n dot = 1\nend function\n\
                type(t) function add(a, b)\n class(t), intent(in) :: a, b\n add = a\nend function\n\
                elemental complex function e(x)\n real, intent(in) :: x\n e = x\nend function\nend module\n\
                subroutine s(a, b, n, z, p, q, w)\nuse m\nreal a(n), w(n, n)\nreal(8) b(n)\ncomplex(8) z\ntype(t) p(n)\n\
                type(u) q\ncharacter(3) c\n\
                a = a*2 + b\na = w(1, :) + a(1)\na = w(:, a)\nz = z*a(1)\na = p%x(1)\na = p(1)%next%x\nn = q%n\n\
                c = q%c(1:2)\na = b .dot. b\na = p(1) + q\na = e(w)\na = matmul(w, a)\na = sum(w, dim=1)\na = sum(w)\n\
                n = maxloc(a, 1)\nn = maxloc(w)\na = real(z)\na = real(n)\na = [1.0d0, 2.0d0]\na = (1.0, 2.0d0)\n\
                a = abs(z) < 1\na = merge(b, b, .true.)\na = reshape(a, [2, 3, 4])\na = z%re\na = int(b, 8)\n\
                a = t([1d0, 2d0, 3d0], null(), 3)\na = 2**n\na = 2.0**b(1)\na = -.true._1\nend\n";
    let expected = [
        "real 8 [1]",
        "real 4 [1]",
        "real 4 [2]",
        "complex 8 [0]",
        "real 8 [1]",
        "real 8 [1]",
        "integer 4 [0]",
        "character 1 [0]",
        "real 8 [0]",
        "derived t [0]",
        "complex 4 [2]",
        "real 4 [1]",
        "real 4 [1]",
        "real 4 [0]",
        "integer 4 [0]",
        "integer 4 [1]",
        "real 8 [0]",
        "real 4 [0]",
        "real 8 [1]",
        "complex 8 [0]",
        "logical 4 [0]",
        "real 8 [1]",
        "real 4 [3]",
        "real 8 [0]",
        "integer 8 [1]",
        "derived t [0]",
        "integer 4 [0]",
        "real 8 [0]",
        "logical 1 [0]",
    ];
    let found = assigned(&[text]);
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found, expected, "assignment {i}");
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn generics_choose_by_type_kind_rank_and_keyword() {
    let text = "module m\ninterface f\n module procedure single, double, vector, each, named\nend interface\ncontains\n\
                function single(x)\n real(4) x, single\n single = x\nend function\n\
                function double(x)\n real(8) x, double\n double = x\nend function\n\
                function vector(x)\n real(8) x(:)\n integer(2) vector\n vector = 1\nend function\n\
                elemental function each(x)\n real(4), intent(in) :: x\n logical(1) each\n each = .true.\nend function\n\
                function named(x, n, o)\n integer x, n\n integer, optional :: o\n complex named\n named = x\nend function\n\
                end module\nsubroutine s(a, b)\nuse m\nreal(4) a(3)\nreal(8) b(3)\n\
                b = f(1.0)\nb = f(1d0)\nb = f(b)\nb = f(a)\nb = f(n=1, x=2)\nb = f(1, 2, o=3)\nend\n";
    let expected = ["real 4 [0]", "real 8 [0]", "integer 2 [0]", "logical 1 [1]", "complex 4 [0]", "complex 4 [0]"];
    assert_eq!(assigned(&[text]), expected);
    let (fits, _) = with_program(&[text], |program, files| {
        let scope = program.scope_of(&files[0].units[0]).expect("the module");
        let generic = program.lookup(scope, "f").expect("f");
        let none: [Actual; 0] = [];
        program.resolve(generic, &none).is_some()
    });
    assert!(!fits, "nothing takes no argument");
}

#[test]
fn undeclared_names_are_typed_by_their_letter_or_reported() {
    let text = "subroutine s(a)\nimplicit integer*8 (a-c), complex (z)\ni = 1\nx = 2\ny = a + 1\ny = z\ny = g(1)\ny = k\n\
                call other(v)\nend\n";
    let types = ["integer 4 [0]", "integer 4 [0]", "integer 8 [0]", "complex 4 [0]", "real 4 [0]", "integer 4 [0]"];
    assert_eq!(assigned(&[text]), types);
    let (_, messages) = with_program(&["implicit none\nx = g(1)\ncall h(y)\nend\n"], |_, _| ());
    assert_eq!(messages.len(), 3, "x, g and y: {messages:?}");
}

#[test]
fn hosts_lend_their_names_and_inner_declarations_hide_them() {
    let text = "subroutine outer(n)\nimplicit none\ninteger n\nreal(8) x\ncontains\nsubroutine inner\ninteger x\n\
                n = x\nx = n\nend subroutine\nend subroutine\n";
    let (types, messages) = with_program(&[text], |program, files| {
        let inner = &files[0].units[0].contained[0];
        let scope = program.scope_of(inner).expect("inner");
        let of = |name: &str| type_text(program, &program.symbol_type(program.lookup(scope, name).expect("known")));
        [of("x"), of("n")]
    });
    assert_eq!(messages, [""; 0]);
    assert_eq!(types, ["integer 4", "integer 4"]);
}

#[test]
fn first_assignments_to_no_array_are_statement_functions() {
    let text = "module m\nreal :: a(3)\nend module\nsubroutine s(i, k)\nuse m\na(i) = 1\nend\n\
                subroutine t(i)\nf(j) = 2*j\nx = f(i)\nend\n";
    let (classes, _) = with_program(&[text], |program, files| {
        let is = |unit: usize, name: &str| {
            let scope = program.scope_of(&files[0].units[unit]).expect("a scope");
            let symbol = program.lookup(scope, name).expect("known");
            matches!(program.symbol(symbol).class, Class::StatementFunction(..))
        };
        [is(1, "a"), is(2, "f")]
    });
    assert_eq!(classes, [false, true]);
}

#[test]
fn common_blocks_have_the_layout_of_compilers() {
    let text = "subroutine s\ninteger*2 i\nreal*8 x, y(2, 3)\ncomplex z\ncharacter*5 c\nlogical l\nparameter (m = 4)\n\
                common /b/ i, x, y /d/ c, l(m)\ncommon /b/ z\nequivalence (y(2, 2), v), (c(3:4), w)\nend\n";
    let (found, messages) = with_program(&[text], |program, files| {
        let scope = program.scope_of(&files[0].units[0]).expect("a scope");
        let blocks = program.common_blocks(scope).into_iter().map(|layout| {
            let member = |member: &adtape_fortran::scope::common::Member| {
                let name = program.symbol(member.symbol).name.clone();
                format!("{name} {}+{}", member.offset_bytes.expect("known"), member.size_bytes.expect("known"))
            };
            format!("{}: {}", layout.name, layout.members.iter().map(member).collect::<Vec<_>>().join(", "))
        });
        let sets: Vec<Vec<Option<i128>>> =
            program.equivalences(scope).iter().map(|set| set.iter().map(|(_, place)| *place).collect()).collect();
        (blocks.collect::<Vec<_>>(), sets)
    });
    assert_eq!(messages, [""; 0]);
    assert_eq!(found.0, ["b: i 0+2, x 8+8, y 16+48, z 64+8", "d: c 0+5, l 8+16"]);
    assert_eq!(found.1, [vec![Some(24), Some(0)], vec![Some(2), Some(0)]]);
}

#[test]
fn separate_module_procedures_have_the_arguments_of_their_interface() {
    let above = "module m\ninterface\nmodule function f(x) result(r)\n real(8) x\n integer r\nend function\n\
                 end interface\ninterface g\n procedure f\nend interface\nend module\n";
    let below = "submodule (m) s\nimplicit none\ncontains\nmodule procedure f\n r = x\nend procedure\nend submodule\n";
    let (types, messages) = with_program(&[below, above, "use m\ny = g(1d0)\nend\n"], |program, files| {
        let scope = program.scope_of(&files[0].units[0].contained[0]).expect("f");
        ["x", "r"].map(|name| type_text(program, &program.symbol_type(program.lookup(scope, name).expect("known"))))
    });
    assert_eq!(messages, [""; 0]);
    assert_eq!(types, ["real 8", "integer 4"]);
    assert_eq!(assigned(&[below, above, "use m\ny = g(1d0)\nend\n"]), ["integer 4 [0]"]);
}

#[test]
fn inner_procedures_keep_the_hosts_rules_for_letters_of_which_they_say_nothing() {
    let text = "subroutine outer\nimplicit real(8) (a-z)\ncontains\nsubroutine inner\nimplicit integer (k)\nx = k + k\n\
                x = y\nend subroutine\nend subroutine\n";
    let (types, _) = with_program(&[text], |program, files| {
        let scope = program.scope_of(&files[0].units[0].contained[0]).expect("inner");
        ["k", "y"].map(|name| type_text(program, &program.symbol_type(program.lookup(scope, name).expect("known"))))
    });
    assert_eq!(types, ["integer 4", "real 8"]);
}

#[test]
fn messages_name_the_file_that_they_are_about() {
    let fault = "implicit none\nx = 1\nend\n";
    let (files, messages) = with_program(&["end\n", fault], |program, _| {
        program.messages.iter().map(|(file, _)| *file).collect::<Vec<_>>()
    });
    assert_eq!(files, [1]);
    assert_eq!(messages.len(), 1);
}

#[test]
fn selectors_have_the_type_of_their_guard() {
    let text = "subroutine s(x, y)\nimplicit none\nclass(*) :: x, y(:)\nreal(8) :: r\n\
                select type (x)\ntype is (real(8))\n r = x\ntype is (integer)\n r = x\nend select\n\
                select type (z => y)\ntype is (complex)\n r = z(1)\n r = z\nend select\nend\n";
    let (types, messages) = with_program(&[text], |program, files| {
        let mut scopes = vec![program.scope_of(&files[0].units[0]).expect("a scope")];
        let mut types = Vec::new();
        walk::block(&files[0].units[0].body, &mut |node| match node {
            Node::Enter(statement) => scopes.push(program.scope_of(statement).expect("a scope")),
            Node::EnterArm(_, arm) => scopes.push(program.scope_of(arm).expect("a scope")),
            Node::Leave => drop(scopes.pop()),
            Node::Reference(reference) if *reference.parts[0].name.name != *"r" => {
                let typed = program.type_of_reference(*scopes.last().expect("one"), reference);
                types.push(format!("{} {:?}", type_text(program, &typed.type_), typed.rank));
            }
            _ => {}
        });
        types
    });
    assert_eq!(messages, [""; 0]);
    let expected = [
        "unlimited Some(0)",
        "real 8 Some(0)",
        "integer 4 Some(0)",
        "unlimited Some(1)",
        "complex 4 Some(0)",
        "complex 4 Some(1)",
    ];
    assert_eq!(types, expected);
}

#[test]
fn entries_and_cray_pointers_are_known() {
    let text = "module m\nimplicit none\ncontains\nfunction f(x)\nreal x, f\nreal(8) y, e\nf = x\nentry e(y)\ne = y\n\
                end function\nend module\nsubroutine s\nuse m\nimplicit none\nreal x, a(3)\npointer (p, a)\nx = e(1d0)\n\
                x = p\ncall t(s)\nend\n";
    assert_eq!(assigned(&[text]), ["real 8 [0]", "integer 8 [0]"]);
}
