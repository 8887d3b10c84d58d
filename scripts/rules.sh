#!/usr/bin/env bash
# What a rule brings: adjoints of four models, by the rule and line by line. Compares the gradients, and prints time and
# memory of the adjoint by the rule as parts of those line by line. Needs BLAS and LAPACK (BLAS_FLAGS, -lopenblas).
#
#   scripts/rules.sh [ROUNDS]        ADTAPE names a command that is there already, beside target/release/libadtape.a
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-5}
[ -n "${ADTAPE:-}" ] || cargo build --locked --release -p adtape -p adtape-command
adtape=${ADTAPE:-target/release/adtape}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp benches/rules/* "$work"
export OPENBLAS_NUM_THREADS=1

# build MODEL HEAD MACRO KIND [OPTION]
build() {
    "$adtape" adjoint "$work/$1.c" --head "$2" ${5:-} -o "$work/$1_$4.c"
    # shellcheck disable=SC2086
    ${CC:-gcc} -O3 -march=native -w "-D$3" "-DMODEL=\"$1_$4.h\"" ${5:-} -Iinclude "-I$work" "$work/$1_$4.c" \
        "$work/main.c" -o "$work/$1_$4" target/release/libadtape.a ${BLAS_FLAGS:--lopenblas} -lm -lpthread -ldl
}

printf '%-8s %12s %12s %8s %8s   %s\n' model 'line, ms' 'rule, ms' time memory 'bound of time'
status=0
while read -r model macro bound head; do
    build "$model" "$head" "$macro" line -DLINE_BY_LINE
    build "$model" "$head" "$macro" rule
    line= rule=
    # The least of three runs each, turn and turn about.
    for _ in 1 2 3; do
        one=$("$work/${model}_line" "$rounds") other=$("$work/${model}_rule" "$rounds")
        line=$(printf '%s\n%s\n' "$line" "$one" | sed '/^$/d' | sort -n | head -1)
        rule=$(printf '%s\n%s\n' "$rule" "$other" | sed '/^$/d' | sort -n | head -1)
    done
    awk -v model="$model" -v line="$line" -v rule="$rule" -v bound="$bound" 'BEGIN {
        split(line, l, " "); split(rule, r, " ")
        apart = (l[3] - r[3]) / l[3]
        printf "%-8s %12.3f %12.3f %8.3f %8.3f   %s\n", model, 1e3 * l[1], 1e3 * r[1], r[1] / l[1], r[2] / l[2], bound
        if (apart > 1e-7 || apart < -1e-7) { printf "%s: gradients differ: %s and %s\n", model, l[3], r[3]; exit 1 }
        exit r[1] / l[1] > bound
    }' || status=1
done <<'MODELS'
dense DENSE 0.12 dense(dense)/(p)
heat HEAT 0.25 heat(heat)/(k u0)
layers LAYERS 0.25 layers(layers)/(w)
newton NEWTON 0.30 newton(newton)/(y0 p)
MODELS
exit $status
