#!/bin/bash
# Runs all benches and ends with one table of their rows: scripts/bench.sh. With `record` it also writes
# benches/RESULTS.md, with the machine's description; NOTE="..." adds a sentence to that.
set -eu -o pipefail
cd "$(dirname "$0")/.."

rows=$PWD/target/bench.rows
result=$PWD/target/bench.txt
mkdir -p target
rm -f "$rows"

load() {
    cut -d ' ' -f 1 /proc/loadavg 2>/dev/null || echo unknown
}

# What is compiled first is no part of the duration.
cargo build --locked --release --lib
benches=(cargo bench --locked -p adtape -p adtape-speed)
"${benches[@]}" --no-run
allocators=(cargo run --locked --release --manifest-path benches/allocators/Cargo.toml --target-dir target/allocators)
"${allocators[@]/run/build}"

load_before=$(load)
start=$SECONDS
status=0
export BENCH_ROWS=$rows
"${benches[@]}" --no-fail-fast || status=$?
"${allocators[@]}" || status=$?
minutes=$(((SECONDS - start + 30) / 60))

{
    printf '%-51s %11s %11s %6s  bound\n' figure adtape reference ratio
    cat "$rows"
    awk '/<=|>=/ { bounds++ } $NF == "short" { short++ }
         END { printf "\n%d of %d bounds held, %d short; %d figures\n", bounds - short, bounds, short, NR }' "$rows"
} > "$result"
printf '\n'
cat "$result"
echo "$minutes minutes; the table alone: $result"
[ $status -eq 0 ] || echo "scripts/bench.sh: a bench failed, so that its figures are missing" >&2
[ $status -eq 0 ] && [ "${1-}" = record ] || exit $status

first_line() {
    "$@" 2>/dev/null | sed -n 1p
}
# A line of the table that describes the machine.
fact() {
    [ -z "$2" ] || echo "| $1 | $2 |"
}
{
    echo '# Results'
    echo
    echo "\`make bench-record\` wrote this file. [README.md](README.md) says what each figure is beside what, and why the"
    echo 'ratio counts. Bounds that do not hold stay in the table until they do.'
    [ -z "${NOTE-}" ] || printf '\n%s\n' "$NOTE"
    echo
    echo '| the machine | |'
    echo '|---|---|'
    fact processor "$(lscpu | sed -n 's/^Model name: *//p' | sed -n 1p)"
    fact cores "$(nproc)"
    fact caches "$(lscpu | awk -F ': *' '/^L[123]/ { sub(/ cache/, "", $1); printf "%s%s %s", sep, $1, $2; sep = "; " }')"
    fact memory "$(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)"
    fact 'transparent huge pages' "$(sed -n 's/.*\[\(.*\)\].*/\1/p' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null)"
    fact virtual "$(lscpu | sed -n 's/^Hypervisor vendor: *//p')"
    fact kernel "$(uname -sr)"
    fact compilers "$(first_line gcc --version); $(rustc --version)"
    fact libc "$(first_line ldd --version)"
    fact 'load before and after' "$load_before, $(load)"
    fact day "$(date -u +%F)"
    fact duration "$minutes minutes, once it was compiled"
    echo
    echo '```text'
    cat "$result"
    echo '```'
} > benches/RESULTS.md
echo 'written: benches/RESULTS.md'
