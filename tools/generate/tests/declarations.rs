//! What follows from the declaration of a call: procedures in Fortran, functions of C, calls for the reference.

use adtape_tools::templates::{Declared, Sources, render};
use std::sync::Arc;

fn made(template: &str) -> (String, Declared) {
    render("test", template, &Arc::new(Sources::default())).expect("the template renders")
}

#[test]
fn a_call_with_a_tape_has_a_procedure_for_the_threads_own_and_one_by_handle() {
    let (text, declared) = made("{{ call(\"mark_take(t?, mark: out mark, stat)\") }}");
    let expected = "  interface mark_take
    subroutine mark_take_self(mark, stat) bind(c, name=\"adtape_fortran_self_mark_take\")
      import :: adtape_mark, c_int32_t
      type(adtape_mark), intent(out) :: mark
      integer(c_int32_t), intent(out), optional :: stat
    end subroutine
    subroutine mark_take_call(t, mark, stat) bind(c, name=\"adtape_fortran_mark_take\")
      import :: adtape_tape, adtape_mark, c_int32_t
      type(adtape_tape), value :: t
      type(adtape_mark), intent(out) :: mark
      integer(c_int32_t), intent(out), optional :: stat
    end subroutine
  end interface";
    assert_eq!(text, expected);
    let expected = "void adtape_fortran_self_mark_take(adtape_mark_t *mark, int32_t *stat) {
    adtape_t *const t = adtape_self();
    finish(adtape_mark_take(t, mark), stat, SITE_);
}
void adtape_fortran_mark_take(adtape_t *t, adtape_mark_t *mark, int32_t *stat) {
    finish(adtape_mark_take(t, mark), stat, SITE_);
}
";
    assert_eq!(declared.glue, expected);
    let forms: Vec<&str> = declared.forms["adtape_mark_take"].iter().map(|form| form.text.as_str()).collect();
    assert_eq!(forms, ["call mark_take(mark)", "call mark_take(t, mark)"]);
}

#[test]
fn an_object_that_is_made_comes_last_in_c_and_a_handle_that_is_freed_becomes_null() {
    let (text, declared) = made(
        "{{ call(\"heap_create(h: out heap, bytes: number, stat)\") }}{{ call(\"heap_destroy(h: freed heap, stat)\") }}",
    );
    assert!(
        text.starts_with("  interface\n    subroutine heap_create("),
        "a call with one procedure is no generic: {text}"
    );
    assert!(declared.glue.contains("finish(adtape_heap_create(NUMBER_(bytes), h), stat, SITE_);"), "{}", declared.glue);
    assert!(
        declared.glue.contains("    if (status == ADTAPE_STATUS_OK) {\n        *h = NULL;\n    }\n"),
        "{}",
        declared.glue
    );
}

#[test]
fn a_set_of_kinds_has_a_procedure_for_each_with_its_condition_and_an_adjoint_where_there_is_one() {
    let (text, _) = made(
        "{{ external(\"pop_pointer(p: inout kind pointer rank, p_adjoint?: inout adjoint pointer rank)\", \
         kinds=\"with adjoints\", ranks=[2, 2]) }}",
    );
    assert!(text.contains("subroutine adtapecallpoppointeri8rank2(p)\n"), "an integer has no adjoint");
    assert!(text.contains("      real(c_float), pointer, intent(inout), optional :: p_adjoint(:, :)\n"));
    assert!(text.contains("      real(c_double), pointer, intent(inout) :: p_adjoint(:, :)\n"), "in double precision");
    let conditions = text.lines().filter(|line| line.starts_with("#if")).count();
    assert_eq!((conditions, text.matches("#endif").count()), (2, 2));
    assert_eq!(text.matches("end subroutine").count(), 20);
}

#[test]
fn an_integer_of_either_width_doubles_the_procedures() {
    let (text, _) = made("{{ c(\"push_control(t?, value: integer, bits: integer)\", glue=false) }}");
    for name in ["i32_i32_self", "i32_i64_self", "i64_i32_call", "i64_i64_call"] {
        assert!(text.contains(&format!("subroutine push_control_{name}(")), "{name}");
    }
    assert_eq!(text.matches("end subroutine").count(), 8);
}
