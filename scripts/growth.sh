#!/usr/bin/env bash
# Whether the generator's instructions grow with a program, and not with its square. callgrind counts those for programs of
# one kind and three lengths, each twice the one before. The second step takes twice the first one where growth is linear,
# four times where it is quadratic. The chain of `else if` nests as deeply as it is long.
#
#   scripts/growth.sh [kind ...]      some of the kinds
#
# What counts is target/debug/adtape, as the tests have built it.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
work=$target/growth
rm -rf "$work"
mkdir -p "$work"
# callgrind reads the debugging information of what it runs, which takes longer than to count.
strip --strip-debug "$target/debug/adtape" -o "$work/adtape"

# A kind, its head, its shortest length, and how many times the first step the second one takes at most.
kinds='choices|f(f)/(x)|10|3.2
chain|f(f)/(x)|30|2.6
stores|f(f x)/(x y)|12|2.6
loops|f(f x)/(x)|2|2.6
calls|f(f x)/(x)|2|2.6
structs|f(f x)/(x)|1|2.6'

# `if … else if …`
choices() {
  echo 'double f(int n, const double *x) { double s = 0; for (int i = 0; i < n; i++) {'
  for ((k = 0; k < $1; k++)); do echo "if (x[i] < $k.5) s += $k.25 * x[i] * x[i]; else"; done
  echo 's = s * x[i]; } return s; }'
}

# Statements of scalars, one behind the other.
chain() {
  echo 'double sin(double); double f(double x) { double a = x;'
  for ((k = 0; k < $1; k++)); do
    ((k % 2)) && echo 'a = sin(a);' || echo 'a = a * x + 0.5;'
  done
  echo 'return a; }'
}

# Stores to elements of one array.
stores() {
  echo 'double f(double *x, double *y) {'
  for ((k = 0; k < $1; k++)); do
    echo "x[$((k * 7 % 97))] = x[$((k * 5 % 89))] * y[$((k % 13))] + x[$((k % 17))];"
  done
  echo 'return x[0]; }'
}

# Loops with variables of equal names.
loops() {
  echo 'double f(int n, double *x, int *t) { double s = 0;'
  for ((k = 0; k < $1; k++)); do
    echo "for (int i = $((k % 3)); i < n; i++) { int j = t[i] + $k;"
    echo 'if (x[j] > s) s = s * x[j]; x[j] = s + x[i] * x[i]; }'
  done
  echo 'return s; }'
}

# Functions, and a call of each.
calls() {
  for ((k = 0; k < $1; k++)); do
    echo "static double g$k(int n, double *x, double a) { double s = a;"
    echo 'for (int i = 1; i < n; i++) { if (x[i] > 1.0) s += x[i] * a; x[i] = s * x[i - 1]; } return s; }'
  done
  echo 'double f(int n, double *x) { double s = 1;'
  for ((k = 0; k < $1; k++)); do echo "s = g$k(n, x, s);"; done
  echo 'return s; }'
}

# Functions of small structs, which are written where they are called.
structs() {
  echo 'struct v { double x, y; };'
  echo 'static struct v add(struct v a, struct v b) { struct v c = {a.x + b.x, a.y + b.y}; return c; }'
  echo 'static struct v mul(struct v a, struct v b) {'
  echo 'struct v c; c.x = a.x * b.x - a.y * b.y; c.y = a.x * b.y + a.y * b.x; return c; }'
  for ((k = 0; k < $1; k++)); do
    echo "static double g$k(double *x, double s) { struct v a = {x[0], s}, b = {s, x[1]};"
    echo 'a = add(mul(a, b), b); b = mul(b, a); x[1] = a.x; return b.y; }'
  done
  echo 'double f(int n, double *x) { double s = 1;'
  for ((k = 0; k < $1; k++)); do echo "s = g$k(x, s);"; done
  echo 'return s + n; }'
}

# The tree is given without the blanks of its lines, whose number grows with the square of the depth.
instructions() { # kind, length, head
  local name=$work/$1_$2
  "$1" "$2" >"$name.c"
  clang -Xclang -ast-dump=json -fsyntax-only "$name.c" | sed 's/^ *//' >"$name.json"
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/adtape" adjoint "$name.c" --ast "$name.json" \
    --head "$3" -o "$name.out.c" >"$name.log" 2>&1 || { cat "$name.log" >&2; return 1; }
  sed -n 's/.*Collected : //p' "$name.log"
}

# Says how a kind grows, counted at three lengths; fails where it grows too fast.
judge() { # kind, shortest length, most
  local counts=() times
  for times in 1 2 4; do counts+=("$(cat "$work/$1_$((times * $2)).count")"); done
  awk -v kind="$1" -v n="$2" -v counts="${counts[*]}" -v most="$3" 'BEGIN {
    if (split(counts, count) < 3) { printf "growth: FAILED: %s is not counted\n", kind; exit 1 }
    grown = (count[3] - count[2]) / (count[2] - count[1])
    printf "growth: %s of %d, %d, %d: %s, %s, %s instructions; ", kind, n, 2 * n, 4 * n, count[1], count[2], count[3]
    printf "the second step takes %.2f times the first\n", grown
    if (grown > most) { printf "growth: FAILED: %s: more than %.1f times\n", kind, most; exit 1 }
  }'
}

chosen=()
while IFS='|' read -r kind head length most; do
  [ $# = 0 ] || [[ " $* " == *" $kind "* ]] || continue
  chosen+=("$kind $length $most $head")
done <<<"$kinds"

# As many counts at a time as there are processors, the long ones first.
running=0
for times in 4 2 1; do
  for one in "${chosen[@]}"; do
    read -r kind length most head <<<"$one"
    if [ $running -ge "$(nproc)" ]; then
      wait -n || true
      running=$((running - 1))
    fi
    instructions "$kind" $((times * length)) "$head" </dev/null >"$work/${kind}_$((times * length)).count" &
    running=$((running + 1))
  done
done
wait

failed=0
for one in "${chosen[@]}"; do
  read -r kind length most head <<<"$one"
  judge "$kind" "$length" "$most" || failed=1
done
exit $failed
