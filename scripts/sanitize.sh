#!/usr/bin/env bash
# The tests under memory checkers: the Rust tests under AddressSanitizer (nightly), the C and Fortran tests under
# AddressSanitizer + UndefinedBehaviorSanitizer and, uninstrumented, under valgrind. And the Rust tests under
# ThreadSanitizer (nightly, with a standard library of its own), which takes a quarter of an hour.
#
#   scripts/sanitize.sh [rust|instrumented|valgrind|races ...]     default: the first three
#
# The C and Fortran programs are linked with the release library, which `make build` makes. C programs that bound
# or measure their own memory stay out (ctests/run.sh says which): the checkers take terabytes of address space.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=()

# All random programs, optimised a little: under the checkers, running takes longer than compiling.
export TEST_ALL=1 CARGO_PROFILE_TEST_OPT_LEVEL=1 CARGO_PROFILE_TEST_LTO=off
export ASAN_OPTIONS=detect_stack_use_after_return=1:check_initialization_order=1
export LSAN_OPTIONS=suppressions=$PWD/scripts/lsan.supp:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1
# shellcheck disable=SC2054 # commas within an argument
instrumentation=(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
# A leak is memory that nothing points to any more; what lives as long as the process is none.
# shellcheck disable=SC2054 # commas within an argument
memcheck=(valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite,indirect
  --errors-for-leak-kinds=definite,indirect --suppressions=scripts/valgrind.supp)

# Runs one part of the tests, and notes if it failed.
part() { # name, command
  printf '\n-- %s\n' "$1"
  "${@:2}" || failed+=("$1")
}

# The integration tests that are Rust alone: those with `mod common` build and run other programs.
rust_tests() {
  local host file tests=()
  host=$(rustc -vV | sed -n 's/^host: //p')
  while read -r file; do
    tests+=(--test "$(basename "$file" .rs)")
  done < <(grep -L '^mod common;' tests/*.rs)
  RUSTFLAGS="-Zsanitizer=address" cargo +nightly test --locked --no-fail-fast --target "$host" \
    --target-dir "$target/sanitize" --lib "${tests[@]}"
}

# Those that start threads. A race that is there on purpose is found first.
race_tests() {
  local host race=$work/race
  host=$(rustc -vV | sed -n 's/^host: //p')
  echo 'static mut N: u32 = 0;
fn count() { for _ in 0..10_000 { unsafe { N += 1 } } }
fn main() { let other = std::thread::spawn(count); count(); other.join().unwrap(); }' >"$race.rs"
  rustc +nightly -Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer "$race.rs" -o "$race" || return
  if "$race" >"$race.log" 2>&1 || ! grep -q 'data race' "$race.log"; then
    echo "FAILED  a race that is there on purpose is not found"
    return 1
  fi
  RUSTFLAGS="-Zsanitizer=thread" cargo +nightly test -Zbuild-std --locked --no-fail-fast --target "$host" \
    --target-dir "$target/races" --lib --test addresses --test heap
}

# Optimisation of instrumented Fortran takes the compiler minutes, so there is none.
compile_fortran() { # directory, source, program, flags
  mkdir "$3.modules"
  gfortran -cpp -g -fopenmp "${@:4}" -J"$3.modules" -I"$1" -Itests/fortran "$2" "$1/support.o" \
    "$1/libadtape_fortran.a" "$target/release/libadtape.a" -lpthread -ldl -lm -o "$3"
}

# Runs a program in each mode; a mode is an environment variable or `plain=`.
run_fortran() { # program, command before it (may be none)
  local mode status options=$ASAN_OPTIONS
  # gfortran passes an internal procedure by a piece of code on the stack; where AddressSanitizer puts variables to find
  # uses after a return, code cannot run.
  if readelf -lW "$1" | grep -q 'GNU_STACK.*RWE'; then
    options=${options/detect_stack_use_after_return=1/detect_stack_use_after_return=0}
  fi
  for mode in plain= ADTAPE_STEP=4096 ADTAPE_CHECK=1; do
    status=0
    env "$mode" ASAN_OPTIONS="$options" "${@:2}" "$1" >"$1.log" 2>&1 </dev/null || status=$?
    if [ $status -ne 0 ]; then
      printf 'FAILED  %s (%s): status %d\n' "$(basename "$1")" "${mode%=}" $status
      sed -n '1,60s/^/  | /p' "$1.log"
      return 1
    fi
    echo "passed  $(basename "$1") (${mode%=})"
  done
}

# Compiles and runs the Fortran tests, as many at a time as there are processors.
fortran_tests() { # compiler flags -- command before each program
  local out source program status=0 running=0 flags=()
  out=$(mktemp -d -p "$work")
  while [ "$1" != -- ]; do flags+=("$1"); shift; done
  FCFLAGS="-g ${flags[*]}" CFLAGS="-g ${flags[*]}" scripts/install/build_fortran.sh fortran-bindings include "$out" &&
    gfortran -g -fopenmp "${flags[@]}" -J"$out" -c tests/fortran/support.f90 -o "$out/support.o" || return
  for source in tests/fortran/*.[fF]90; do
    program=$out/$(basename "${source%.*}")
    [ "$program" != "$out/support" ] || continue
    if [ $running -ge "$(nproc)" ]; then
      wait -n || status=1
      running=$((running - 1))
    fi
    { compile_fortran "$out" "$source" "$program" "${flags[@]}" && run_fortran "$program" "${@:2}"; } &
    running=$((running + 1))
  done
  while [ $running -gt 0 ]; do
    wait -n || status=1
    running=$((running - 1))
  done
  return $status
}

[ $# -gt 0 ] || set -- rust instrumented valgrind
for what in "$@"; do
  case $what in
    rust)
      part "Rust tests, AddressSanitizer" rust_tests ;;
    instrumented)
      part "C tests, AddressSanitizer and UndefinedBehaviorSanitizer" ctests/run.sh "${instrumentation[@]}"
      part "Fortran tests, AddressSanitizer and UndefinedBehaviorSanitizer" fortran_tests "${instrumentation[@]}" -- ;;
    valgrind)
      part "C tests, valgrind" ctests/run.sh -- "${memcheck[@]}"
      part "Fortran tests, valgrind" fortran_tests -- "${memcheck[@]}" ;;
    races)
      part "Rust tests, ThreadSanitizer" race_tests ;;
    *) echo "scripts/sanitize.sh: no part $what" >&2; exit 2 ;;
  esac
done

if [ ${#failed[@]} -gt 0 ]; then
  printf '\nsanitize: FAILED: '
  printf '%s; ' "${failed[@]}"
  echo
  exit 1
fi
printf '\nsanitize: no error found\n'
