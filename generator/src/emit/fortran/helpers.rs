//! Functions that Fortran lacks, for both kinds of reals under one name.

use super::lines::Lines;
use std::collections::BTreeSet;

/// The name of a function, if there is one.
pub fn known(name: &str) -> Option<&'static str> {
    let passes = PASSES.iter().map(|(known, ..)| *known);
    TEXTS.iter().map(|(known, _)| *known).chain(BLOCKS).chain(passes).find(|known| *known == name)
}

/// Loops that run again from snapshots: functions of the library in C, by name, result, arguments, and which of these are
/// integers. The handle is an address.
const PASSES: [(&str, &str, &str, &str); 7] = [
    ("passes_create", "integer(c_int64_t)", "snapshots, passes", "snapshots, passes"),
    ("passes_enter", "logical(c_bool)", "handle", "handle"),
    ("passes_leave", "", "handle", "handle"),
    ("passes_state", "logical(c_bool)", "handle", "handle"),
    ("passes_run", "logical(c_bool)", "handle", "handle"),
    ("passes_move", "", "handle, part, bytes", "handle, bytes"),
    ("passes_destroy", "", "handle", "handle"),
];

/// The interface of such a function.
fn interface((name, result, arguments, integers): &(&str, &str, &str, &str)) -> String {
    let (begin, word) = if result.is_empty() {
        ("subroutine".into(), "subroutine")
    } else {
        (format!("{result} function"), "function")
    };
    let others: String = arguments
        .split(", ")
        .filter(|argument| !integers.split(", ").any(|integer| integer == *argument))
        .map(|argument| format!("      type(*), intent(inout) :: {argument}\n"))
        .collect();
    format!(
        "    {begin} {name}({arguments}) bind(C, name=\"adtape_abi0_{name}\")
      import :: c_bool, c_int64_t
      integer(c_int64_t), value :: {integers}
{others}    end {word}
"
    )
}

/// Values of one type that follow each other in memory: called with the first of them, and how many there are.
const BLOCKS: [&str; 10] = [
    "push_elements_l4",
    "pop_elements_l4",
    "push_elements_r4",
    "push_elements_r8",
    "push_elements_i4",
    "push_elements_i8",
    "pop_elements_r4",
    "pop_elements_r8",
    "pop_elements_i4",
    "pop_elements_i8",
];

/// The interface of such a function, which stands in adtape's glue; none for logicals, which C does not have.
fn block(name: &str) -> Option<String> {
    let (call, intent) = if name.starts_with("push") { ("push", "in") } else { ("pop", "inout") };
    let (ty, kind, of_tape) = match &name[name.len() - 2..] {
        "r4" => ("real", "c_float", "f32"),
        "r8" => ("real", "c_double", "f64"),
        "i4" => ("integer", "c_int32_t", "i32"),
        "i8" => ("integer", "c_int64_t", "i64"),
        _ => return None,
    };
    let count = if kind == "c_int64_t" { "" } else { ", c_int64_t" };
    Some(format!(
        "    subroutine {name}(x, n) bind(C, name=\"adtape_generated_{call}_{of_tape}\")
      use, intrinsic :: iso_c_binding, only: {kind}{count}
      integer(c_int64_t), value :: n
      {ty}({kind}), intent({intent}) :: x(*)
    end subroutine
"
    ))
}

/// Such a function for logicals, in Fortran.
fn logicals(name: &str) -> String {
    let (call, intent) = if name.starts_with("push") { ("push", "in") } else { ("pop", "inout") };
    format!(
        "\n  subroutine {name}(x, n)\n    use adtape, only: {call}\n    integer(8), intent(in) :: n\n    logical, \
         intent({intent}) :: x(n)\n    call {call}(x)\n  end subroutine\n"
    )
}

/// The module with those that are called; empty without.
pub fn module(name: &str, called: &BTreeSet<&'static str>) -> String {
    if called.is_empty() {
        return String::new();
    }
    let passes: Vec<_> = PASSES.iter().filter(|(name, ..)| called.contains(name)).collect();
    let others = called.iter().copied().filter(|name| passes.iter().all(|(known, ..)| known != name));
    let (blocks, mut all): (Vec<&str>, Vec<&str>) = others.partition(|name| name.contains("_elements_"));
    // What they call themselves.
    for (caller, needed) in [("power_or_infinity", "copied_infinity"), ("quotient_or_infinity", "copied_infinity")] {
        if all.contains(&caller) && !all.contains(&needed) {
            all.push(needed);
        }
    }
    let mut text = format!("!> Functions of the sweeps.\nmodule {name}\n");
    if !passes.is_empty() {
        text += "  use, intrinsic :: iso_c_binding, only: c_bool, c_int64_t\n";
    }
    text += "  implicit none\n  private\n";
    let public: Vec<&str> = all.iter().chain(&blocks).copied().chain(passes.iter().map(|(name, ..)| *name)).collect();
    let mut list = Lines { indent: 1, ..Lines::default() };
    list.line(&format!("public :: {}", public.join(", ")));
    text += &format!("{}\n", list.text);
    if !all.is_empty() {
        text += SPECIAL;
    }
    for name in &all {
        text += &format!("  interface {name}\n    module procedure {name}_r4, {name}_r8\n  end interface\n\n");
    }
    let of_c: String = passes.into_iter().map(interface).chain(blocks.iter().filter_map(|name| block(name))).collect();
    let logicals: String = blocks.iter().filter(|name| block(name).is_none()).map(|name| logicals(name)).collect();
    if !of_c.is_empty() {
        text += &format!("  interface\n{of_c}  end interface\n\n");
    }
    if all.is_empty() && logicals.is_empty() {
        return text + &format!("end module {name}\n\n");
    }
    text += "contains\n";
    for name in &all {
        let found = TEXTS.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text);
        for (kind, least, small, large) in
            [("4", "3.0e-39", "1.0e-30", "1.0e18"), ("8", "5.6d-309", "1.0d-300", "1.0d150")]
        {
            let mark = if kind == "4" { "e0" } else { "d0" };
            let own = found.replace('@', &format!("{name}_r{kind}")).replace("REAL", &format!("real({kind})"));
            let own = own.replace("INFINITY", &format!("infinity_r{kind}")).replace("NAN", &format!("nan_r{kind}"));
            let own = own.replace("LEAST", least).replace("SMALL", small).replace("LARGE", large);
            text += &format!("\n{}", own.replace('#', mark));
        }
    }
    text + &format!("{logicals}\nend module {name}\n\n")
}

/// Bits of numbers that have no constant. A procedure that uses the module of IEEE arithmetic saves the state of the unit
/// at each call.
const SPECIAL: &str = "\
  real(4), parameter :: infinity_r4 = transfer(2139095040, 1.0), nan_r4 = transfer(2143289344, 1.0)
  real(8), parameter :: infinity_r8 = transfer(9218868437227405312_8, 1d0)
  real(8), parameter :: nan_r8 = transfer(9221120237041090560_8, 1d0)

";

/// Their definitions: `@` is the name, `REAL` the type, `#` the exponent of a constant; `LEAST` more than the inverse of
/// the largest number, `SMALL` a multiple of it whose products stay normal, `LARGE` a number whose square is in range.
const TEXTS: &[(&str, &str)] = &[
    (
        "zero_or_product",
        "  !> 0 where one of them is 0, also if the other is infinite or no number.
  elemental REAL function @(partial, derivative) result(product)
    REAL, intent(in) :: partial, derivative
    product = 0
    if (.not. (abs(partial) <= 0 .or. abs(derivative) <= 0)) product = partial*derivative
  end function
",
    ),
    (
        "copied_infinity",
        "  !> Infinity with the sign of a number.
  elemental REAL function @(x) result(infinity)
    REAL, intent(in) :: x
    infinity = sign(INFINITY, x)
  end function
",
    ),
    (
        "quotient_or_infinity",
        "  !> A quotient; where it is infinite or no number it raises nothing, because nobody may ask for it.
  elemental REAL function @(above, below) result(quotient)
    REAL, intent(in) :: above, below
    if (abs(below) > abs(above)*SMALL) then
      quotient = above/below
    else if (.not. (abs(above) > 0 .and. abs(below) <= huge(below))) then
      quotient = NAN
    else if (abs(below) > abs(above)*LEAST) then
      quotient = above/below
    else
      quotient = copied_infinity(above)*sign(1.0#, below)
    end if
  end function
",
    ),
    (
        "product_or_infinity",
        "  !> A product; where it is infinite it raises nothing, because nobody may ask for it.
  elemental REAL function @(x, y) result(product)
    REAL, intent(in) :: x, y
    logical :: leaves
    leaves = .false.
    if (.not. (abs(x) < LARGE .and. abs(y) < LARGE) .and. abs(y) > 1.0#) leaves = abs(x) > 1.0#/LEAST/abs(y)
    if (leaves) then
      product = sign(INFINITY, x)*sign(1.0#, y)
    else
      product = x*y
    end if
  end function
",
    ),
    (
        "quotient_by_squares",
        "  !> above/(above**2 + other**2), also where the squares overflow or vanish.
  elemental REAL function @(above, other) result(quotient)
    REAL, intent(in) :: above, other
    REAL :: larger, x, y, share
    larger = max(abs(above), abs(other))
    if (.not. (abs(above) >= 0 .and. abs(other) >= 0 .and. larger > 0)) then
      quotient = NAN
    else if (larger > 1.0#/LARGE .and. larger < LARGE) then
      quotient = above/(above*above + other*other)
    else if (larger > huge(larger)) then
      quotient = 0
    else
      x = above/larger
      y = other/larger
      share = x/(x*x + y*y)
      if (larger > abs(share)*LEAST) then
        quotient = share/larger
      else
        quotient = sign(INFINITY, above)
      end if
    end if
  end function
",
    ),
    (
        "square_or_infinity",
        "  !> A square; infinite where it is large, where it raises nothing: what divides by it is nearly 0 there.
  elemental REAL function @(x) result(square)
    REAL, intent(in) :: x
    if (abs(x) >= LARGE) then
      square = INFINITY
    else
      square = x*x
    end if
  end function
",
    ),
    (
        "power_or_infinity",
        "  !> The power by one less; where it is infinite and the power is not it raises nothing.
  elemental REAL function @(base, exponent) result(power)
    REAL, intent(in) :: base, exponent
    REAL :: less
    less = exponent - 1
    if (abs(exponent) <= 0) less = 0
    if (.not. less < 0 .or. .not. abs(base) < 1) then
      power = base**less
    else if (abs(base) <= 0) then
      power = INFINITY
    else
      power = base**exponent
      if (abs(base) > abs(power)*LEAST) then
        power = power/base
      else
        power = copied_infinity(power)*sign(1.0#, base)
      end if
    end if
  end function
",
    ),
    (
        "logarithm_or_nan",
        "  !> A logarithm; no number below 0, where it raises nothing, because nobody may ask for it.
  elemental REAL function @(x) result(logarithm)
    REAL, intent(in) :: x
    if (x < 0) then
      logarithm = NAN
    else
      logarithm = log(x)
    end if
  end function
",
    ),
    (
        "digamma",
        "  !> The derivative of the logarithm of the gamma function: an asymptotic series above 20, recurrence, reflection.
  elemental REAL function @(x) result(derivative)
    REAL, intent(in) :: x
    REAL, parameter :: pi = 3.14159265358979323846#
    REAL :: at, y
    derivative = 0
    at = x
    if (at <= 0 .and. abs(anint(at) - at) <= 0) then
      derivative = NAN
      return
    end if
    if (at < 0) then
      derivative = -pi/tan(pi*(at - anint(at)))
      at = 1 - at
    end if
    do while (at < 20)
      derivative = derivative - 1/at
      at = at + 1
    end do
    y = 1/at*(1/at)
    derivative = derivative + (log(at) - 0.5#/at - y*(1.0#/12 - y*(1.0#/120 - y*(1.0#/252 - y*(1.0#/240 &
      & - y*(1.0#/132 - y*(691.0#/32760 - y/12)))))))
  end function
",
    ),
];
