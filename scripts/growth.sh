#!/usr/bin/env bash
# Whether the generator's instructions grow in proportion with a chain of `else if`, which nests as deeply as it is long.
# callgrind counts those of three lengths, each twice the one before. The second step takes twice the first one where
# growth is linear, four times where it is quadratic.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
most=3.2
work=$target/growth
rm -rf "$work"
mkdir -p "$work"

chain() { # length
  echo 'double f(int n, const double *x) { double s = 0; for (int i = 0; i < n; i++) {'
  for ((k = 0; k < $1; k++)); do echo "if (x[i] < $k.5) s += $k.25 * x[i] * x[i]; else"; done
  echo 's = s * x[i]; } return s; }'
}

# The tree is given without the blanks of its lines, whose number grows with the square of the depth.
instructions() { # length
  local name=$work/chain_$1
  chain "$1" >"$name.c"
  clang -Xclang -ast-dump=json -fsyntax-only "$name.c" | sed 's/^ *//' >"$name.json"
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$target/debug/adtape" adjoint "$name.c" --ast "$name.json" \
    --head 'f(f)/(x)' -o "$name.out.c" >"$name.log" 2>&1 || { cat "$name.log" >&2; return 1; }
  sed -n 's/.*Collected : //p' "$name.log"
}

counts=()
for length in 40 80 160; do counts+=("$(instructions "$length")"); done
awk -v a="${counts[0]}" -v b="${counts[1]}" -v c="${counts[2]}" -v most="$most" 'BEGIN {
  grown = (c - b) / (b - a)
  printf "growth: chains of 40, 80, 160: %s, %s, %s instructions; the second step takes %.2f times the first\n", a, b, c, grown
  if (grown > most) { printf "growth: FAILED: more than %.1f times\n", most; exit 1 }
}'
