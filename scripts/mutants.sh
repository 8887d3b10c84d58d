#!/usr/bin/env bash
# Puts one fault after another into the files given (default: below), and runs the tests that are quick. It fails where no
# test does and tests/mutants.txt has no reason why none can: each line there is `mutant | reason`, the mutant without its
# place. A line of a mutant that is caught by now is an error too, where all files are tried.
#
#   scripts/mutants.sh [file ...]
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/target/tools/bin:$PATH"

list=tests/mutants.txt
files=("$@")
if [ $# -eq 0 ]; then
  mapfile -t files < <(sed -n 's/^# file: //p' "$list")
fi
arguments=()
for file in "${files[@]}"; do
  [ -f "$file" ] || { echo "scripts/mutants.sh: there is no file $file" >&2; exit 2; }
  arguments+=(--file "$file")
done

out=target/mutants
mkdir -p "$out"
# Status 2 and 3 say that mutants survived or ran out of time; the list below judges them.
status=0
cargo mutants --package adtape "${arguments[@]}" --output "$out" --profile mutants --no-shuffle --colors never \
  --minimum-test-timeout 60 -- --lib --test model --test spill --test addresses || status=$?
case $status in 0 | 2 | 3) ;; *) exit $status ;; esac

without_place() { sed -E 's/^[^ ]+:[0-9]+:[0-9]+: //' "$@" | sort -u; }
without_place "$out/mutants.out/missed.txt" >"$out/missed"
grep -vE '^#|^$' "$list" | sed 's/ *|.*//' | sort -u >"$out/explained"
failed=0
while read -r mutant; do
  echo "survived, and $list has no reason: $mutant"
  failed=1
done < <(comm -23 "$out/missed" "$out/explained")
if [ $# -eq 0 ]; then
  while read -r mutant; do
    echo "$list has a reason for a mutant that did not survive: $mutant"
    failed=1
  done < <(comm -13 "$out/missed" "$out/explained")
fi
echo "mutants: $(wc -l <"$out/mutants.out/caught.txt") caught, $(wc -l <"$out/missed") survivors, see $list"
exit $failed
