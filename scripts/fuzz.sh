#!/usr/bin/env bash
# Runs every fuzz target in fuzz/ for SECONDS_OF_FUZZ each. What makes one fail is kept in fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/target/tools/bin:$PATH"

for target in $(cargo +nightly fuzz list); do
  echo "fuzz: $target, ${SECONDS_OF_FUZZ:=60} s"
  mkdir -p "fuzz/corpus/$target"
  cargo +nightly fuzz run "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- -max_total_time="$SECONDS_OF_FUZZ" -print_final_stats=1
done
