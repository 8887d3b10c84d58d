#!/usr/bin/env bash
# Runs every fuzz target in tests/fuzz for SECONDS_OF_FUZZ each. What makes one fail is kept in tests/fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/target/tools/bin:$PATH"

fuzz=tests/fuzz
for target in $(cargo +nightly fuzz list --fuzz-dir "$fuzz"); do
  echo "fuzz: $target, ${SECONDS_OF_FUZZ:=60} s"
  mkdir -p "$fuzz/corpus/$target"
  cargo +nightly fuzz run --fuzz-dir "$fuzz" "$target" "$fuzz/corpus/$target" "$fuzz/seeds/$target" -- \
    -max_total_time="$SECONDS_OF_FUZZ" -print_final_stats=1
done
