#!/usr/bin/env bash
# Counts the instructions of the fast paths and compares them with their upper bounds, benches/counts.txt.
#
#   scripts/counts.sh           prints each count beside its bound; fails if one is above, with the path's name
#   scripts/counts.sh bless     writes what is counted as the new bounds
#
# A count is that of one operation and of the loop around it: callgrind counts a loop of few and one of many, and the
# difference leaves out what is before and behind the loop. Counts are exact and the same on every run, but belong to a
# toolchain, which the bounds name. With another toolchain nothing is compared: SKIPPED.
#
# The last step adds one branch to each push and pop of the measured program and sees that the check turns red.
set -euo pipefail
cd "$(dirname "$0")/.."

bounds=benches/counts.txt
# An array below 4096 bytes costs at most this much more than memcpy: of the project's requirements, not to be blessed
# away. So is how many times the header's instructions the Fortran module's inlined form takes.
most_over_memcpy=15
most_over_header=1.2

target=${CARGO_TARGET_DIR:-target}
release=$target/release
work=$target/counts
rm -rf "$work"
mkdir -p "$work"

toolchain() {
  echo "gcc $(gcc -dumpfullversion), gfortran $(gfortran -dumpfullversion), $(rustc --version | cut -d' ' -f1,2), $(ldd --version | head -1 | grep -o '[0-9.]*$' |
    sed 's/^/glibc /'), $(valgrind --version | tr - ' '), $(uname -m)"
}

build_c() { # program, flags
  gcc -O2 "${@:2}" -Iinclude benches/counts/paths.c -o "$work/$1" "$release/libadtape.a" -lpthread -ldl -lm
}
build_kit() { # program, how: call, shared or inline, flags
  local link=("$work/libadtape_kit.a" "$release/libadtape.a" -lpthread -ldl -lm) flags=("${@:3}")
  case $2 in
    inline) flags+=(-DKIT_INLINE -Ikit/include) ;;
    shared) link=("-L$work" -ladtape_kit "$release/libadtape.so" "-Wl,-z,now,-rpath,$work") ;;
  esac
  gcc -O2 -DHOW="kit_$2" "${flags[@]}" -Iinclude benches/counts/kit_paths.c -o "$work/$1" "${link[@]}"
}
build_fortran() { # program, how: call or inline
  local module=$work/fortran sources=(benches/counts/fortran_paths.F90)
  [ "$2" = call ] || sources=(-w -flto=auto -Ifortran-bindings -Iinclude "${sources[@]}" scripts/install/adtape_inlined.c)
  gcc -O2 -Iinclude -c benches/counts/fortran.c -o "$work/$1.o"
  gfortran -O2 -ffree-line-length-none -J"$work" -I"$module" "${sources[@]}" "$work/$1.o" -o "$work/$1" \
    "$module/libadtape_fortran.a" "$release/libadtape.a" -lpthread -ldl -lm
}
build_rust() { # program
  rustc --edition 2024 -C opt-level=3 -C panic=abort --extern adtape="$release/libadtape.rlib" \
    -L dependency="$release/deps" benches/counts/paths.rs -o "$work/$1"
}

# A line "<path> <count>" for each path of a program, arrays less the memcpy of the same size. callgrind writes a file
# at the end of each call of a path: of the last third of them with many operations, of the third before with few.
count() { # program
  local log=$work/$1.log dumps=$work/$1.dumps
  mkdir "$dumps"
  # Where the stack begins depends on the environment, and what hashes of its addresses cost on that.
  env -i "$(command -v valgrind)" --tool=callgrind --dump-after='*_fast_path' --callgrind-out-file="$dumps/out" "$work/$1" >"$log" 2>&1 ||
    { echo "counts: valgrind of $1 failed:" >&2; cat "$log" >&2; return 1; }
  find "$dumps" -name 'out.*' | sort -V | xargs awk '
    /^desc: Trigger: --dump-after=/ { sub(/.*=/, ""); sub(/_fast_path$/, ""); path = $0 }
    /^summary:/                     { print path, $2 }' | awk '
    { cost[$1, ++calls[$1]] = $2; if (calls[$1] == 1) order[++paths] = $1 }
    END {
      for (i = 1; i <= paths; i++) {
        path = order[i]; n = calls[path]
        one[path] = (cost[path, n] - cost[path, n - n / 3]) / 500
      }
      for (i = 1; i <= paths; i++) {
        path = order[i]
        if (path ~ /_memcpy_/) continue
        if (path ~ /_array_/) { copy = path; sub(/_array_/, "_memcpy_", copy); printf "%s-memcpy %.1f\n", path, one[path] - one[copy] }
        else printf "%s %.1f\n", path, one[path]
      }
    }'
}

# Prints counts beside bounds; fails if one is above its bound or has none.
compare() { # counts
  awk -v most="$most_over_memcpy" -v most_header="$most_over_header" '
    FNR == NR { if ($1 != "#" && NF == 2) bound[$1] = $2; next }
    FNR == 1  { printf "%-28s %8s %8s\n", "instructions of", "count", "bound" }
    {
      verdict = ""; count[$1] = $2
      if (!($1 in bound)) verdict = "NO BOUND"
      else if ($2 > bound[$1]) verdict = sprintf("ABOVE by %.1f", $2 - bound[$1])
      else if ($1 ~ /-memcpy$/ && $1 !~ /_4096-/ && $2 > most) verdict = sprintf("ABOVE the required %d", most)
      printf "%-28s %8.1f %8s  %s\n", $1, $2, bound[$1], verdict
      bad += verdict != ""; delete bound[$1]
    }
    END {
      for (path in count) {
        header = path
        if (sub(/^fortran_inline_/, "header_", header) && count[path] > most_header * count[header]) {
          printf "%s: %.1f, more than %.1f times %.1f of the header\n", path, count[path], most_header, count[header]; bad++
        }
      }
      for (path in bound) { printf "%-28s %8s %8s  NOT COUNTED\n", path, "", bound[path]; bad++ }
      exit bad > 0
    }' "$bounds" "$1"
}

[ -f "$release/libadtape.a" ] || { echo "counts: build the library first: cargo build --release" >&2; exit 1; }
build_c paths
build_rust rust_paths
kit/build.sh "$release" "$work"
ln -sf "$(realpath "$release")/libadtape.so" "$work/libadtape.so.0"
for how in call shared inline; do build_kit "kit_$how" $how; done
FC=gfortran CC=gcc FCFLAGS=-O2 CFLAGS=-O2 scripts/install/build_fortran.sh fortran-bindings include "$work/fortran"
for how in call inline; do build_fortran "fortran_$how" $how; done
{
  for program in paths rust_paths kit_call kit_shared kit_inline; do count $program; done
  # Both have the header's form beside the module's.
  count fortran_call | sed '/^header/d; s/^fortran_/fortran_call_/'
  count fortran_inline | sed 's/^fortran_/fortran_inline_/'
} >"$work/counts"

if [ "${1:-}" = bless ]; then
  {
    sed '/^[^#]/d; /^# toolchain:/d' "$bounds"
    echo "# toolchain: $(toolchain)"
    cat "$work/counts"
  } >"$work/bounds"
  cp "$work/bounds" "$bounds"
  echo "counts: wrote $bounds"
fi

if [ "$(sed -n 's/^# toolchain: //p' "$bounds")" != "$(toolchain)" ]; then
  sed 's/^/  /' "$work/counts"
  echo "SKIPPED counts: the bounds in $bounds are for $(sed -n 's/^# toolchain: //p' "$bounds"); this is $(toolchain)"
  exit 0
fi

if ! compare "$work/counts"; then
  echo "counts: a fast path got longer. If that is meant and worth it: scripts/counts.sh bless, and say why in the commit."
  exit 1
fi

build_c branch -DADTAPE_EXTRA_BRANCH
build_kit kit_branch inline -DADTAPE_EXTRA_BRANCH
{ count branch; count kit_branch; } >"$work/branch_counts"
if compare "$work/branch_counts" >"$work/branch_table"; then
  echo "counts: FAILED: one added branch goes unnoticed"
  exit 1
fi
missed=0
for path in $(grep -o '^[A-Z_]*PATH([a-z0-9_]*, ADDED' benches/counts/paths.c | sed 's/.*(//; s/,.*//') \
  $(grep -o '^PATH(NAMED([a-z0-9_]*), ADDED' benches/counts/kit_paths.c | sed 's/.*(/kit_inline_/; s/).*//'); do
  grep -q "^$path .*ABOVE" "$work/branch_table" || { echo "counts: FAILED: one added branch goes unnoticed in $path: is its bound loose? Then: scripts/counts.sh bless"; missed=1; }
done
[ $missed = 0 ] || exit 1
echo "counts: all within their bounds, and one added branch turns the check red: $(grep -c ABOVE "$work/branch_table") paths"
