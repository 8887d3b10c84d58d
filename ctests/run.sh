#!/usr/bin/env bash
# Builds and runs the C tests.
#
#   ctests/run.sh [compiler flags ...] [-- wrapper ...]
#
#   ctests/run.sh
#   ctests/run.sh -fsanitize=address,undefined -fno-sanitize-recover=all
#   ctests/run.sh -- valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite
#
# With sanitizers or a wrapper, the programs that bound or measure their own memory stay out. CC is the compiler,
# LIBRARY the static library (default: target/release/libadtape.a), ONLY a list of programs to run instead of all.
# A program that ends with status 77 is skipped. The last line counts; the exit status is 0 if nothing failed and,
# in CI, nothing was skipped.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
library=${LIBRARY:-${CARGO_TARGET_DIR:-$root/target}/release/libadtape.a}
compiler=${CC:-gcc}

flags=() wrapper=()
while [ $# -gt 0 ]; do
  if [ "$1" = -- ]; then
    shift
    wrapper=("$@")
    break
  fi
  flags+=("$1")
  shift
done

# One program for each section of the headers, in the folder of its theme, and what is across them; the shared library
# is not tried here.
all='plain ADTAPE_CHECK=1 ADTAPE_PROFILE=./ ADTAPE_STEP=4096,ADTAPE_RESERVE=4096'
across='random threads thread_end openmp errors header'
bounded='limits large small spill forks forks_addresses forks_first forks_heaps forks_random forks_threads'
sections=$(cd "$here" && printf '%s\n' */*.c | grep -v '^across/' | sed 's|.*/||; s|\.c$||')

instrumented=no
case " ${flags[*]-} " in *-fsanitize*) instrumented=yes ;; esac
[ ${#wrapper[@]} -eq 0 ] || instrumented=yes
programs="$sections $across"
[ $instrumented = yes ] || programs+=" $bounded"
programs=${ONLY:-$programs}

modes_of() {
  case $1 in
    errors | header | limits | large | small | spill) echo plain ;; # set what they are about, or have nothing to do with it
    openmp | forks | forks_addresses | forks_first | forks_heaps | forks_random | forks_threads) echo plain ADTAPE_CHECK=1 ;;
    *) echo "$all" ;;
  esac
}

arguments_of() {
  case $1,$instrumented in
    random,yes) echo "1 6" ;; # first seed, programs
    random,no) echo "1 40" ;;
    threads,yes) echo 4 ;; # rounds
  esac
}

# Children of these end in the middle of something, and so with memory that nobody points to any more. The sanitizers
# look for leaks in the parent only; valgrind has to be told.
wrapper_of() {
  printf '%s\n' "${wrapper[@]}"
  case ${wrapper[0]-},$1 in valgrind,errors | valgrind,thread_end) echo --leak-check=no ;; esac
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -f "$library" ] || { echo "ctests/run.sh: no $library: cargo build --release makes it" >&2; exit 2; }

build() {
  local openmp=()
  [ "$1" != openmp ] || openmp=(-fopenmp)
  "$compiler" -std=gnu11 -g -O2 -Wall -Wextra -Wpedantic "${flags[@]}" "${openmp[@]}" -I"$root/include" -I"$here" \
    "$here"/*/"$1.c" "$library" -lpthread -ldl -lm -o "$work/$1" >"$work/$1.log" 2>&1
}

# Writes its result line, and for a failure what the program said, to a file of its own.
check() {
  local program=$1 mode status result="$work/$1.result"
  local -a settings command=()
  [ ${#wrapper[@]} -eq 0 ] || mapfile -t command < <(wrapper_of "$program")
  if ! build "$program"; then
    { echo "FAILED  $program does not compile"; sed 's/^/  | /' "$work/$program.log"; } >"$result"
    return
  fi
  for mode in $(modes_of "$program"); do
    settings=()
    [ "$mode" = plain ] || read -ra settings <<<"${mode//,/ }"
    status=0
    # shellcheck disable=SC2046 # words
    settings=("${settings[@]/%=.\//=$work/}")
    env "${settings[@]}" "${command[@]}" "$work/$program" $(arguments_of "$program") >"$work/$program.log" 2>&1 \
      </dev/null || status=$?
    case $status in
      0) echo "passed  $program ($mode)" ;;
      77) echo "SKIPPED $program ($mode): $(grep SKIPPED "$work/$program.log" | sed 's/^SKIPPED: //')" ;;
      *) echo "FAILED  $program ($mode): status $status"
        head -100 "$work/$program.log" | sed 's/^/  | /' ;;
    esac >>"$result"
  done
}

running=0
for program in $programs; do
  if [ $running -ge "$(nproc)" ]; then
    wait -n || true
    running=$((running - 1))
  fi
  check "$program" &
  running=$((running + 1))
done
wait

for program in $programs; do
  cat "$work/$program.result"
done | tee "$work/results"
passed=$(grep -c '^passed ' "$work/results")
failed=$(grep -c '^FAILED ' "$work/results")
skipped=$(grep -c '^SKIPPED ' "$work/results")
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && { [ -z "${CI:-}" ] || [ "$skipped" -eq 0 ]; }
