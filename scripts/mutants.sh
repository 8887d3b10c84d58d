#!/usr/bin/env bash
# Puts one fault after another into the sources that tests/mutants.txt names, and runs the tests of their modules. It
# fails where none of them does and the list has no reason why none can, and where it has one for a fault that a test
# finds.
#
#   scripts/mutants.sh [file ...]      some of the files
#   JOBS=2 scripts/mutants.sh          two faults at a time
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/target/tools/bin:$PATH"

list=tests/mutants.txt
listed() { sed -n 's/^# file: //p' "$list"; }
[ $# -gt 0 ] || mapfile -t all < <(listed | cut -d' ' -f1)
[ $# -gt 0 ] || set -- "${all[@]}"

# A fault's name: the file and what is replaced, without the place, which moves; `#2` for the second of its kind there.
names() { # the file's mutants with their places -> place and name, separated by a tab
  awk -F': ' '{ place = $1; sub(/^[^ ]+: /, ""); n = ++count[$0]; print place "\t" $0 (n > 1 ? " #" n : "") }'
}

found=0 survivors=0 wrong=0
for file; do
  filters=$(listed | awk -v file="$file" '$1 == file { $1 = ""; print }')
  [ -n "$filters" ] || { echo "scripts/mutants.sh: $list does not name $file" >&2; exit 2; }
  out=target/mutants/${file//\//-}
  mkdir -p "$out"
  # Status 2 and 3 say that tests missed something or took too long.
  status=0
  # shellcheck disable=SC2086 # several filters
  cargo mutants --package adtape --file "$file" --output "$out" --profile mutants --no-shuffle --colors never \
    --no-times --jobs "${JOBS:-1}" --minimum-test-timeout 60 --cargo-arg=--lib -- -- $filters || status=$?
  case $status in 0 | 2 | 3) ;; *) exit $status ;; esac

  cargo mutants --list --package adtape --file "$file" | names >"$out/names"
  missed=$out/mutants.out/missed.txt
  awk -F'\t' 'NR == FNR { split($0, part, ": "); missed[part[1]]; next } $1 in missed { print $2 }' \
    "$missed" "$out/names" | sort >"$out/missed"
  sed -n "s|^$file: ||p" "$list" | sed 's/ -- .*//' | sort >"$out/explained"
  found=$((found + $(wc -l <"$out/mutants.out/caught.txt") + $(wc -l <"$out/mutants.out/timeout.txt")))
  survivors=$((survivors + $(wc -l <"$out/missed")))
  while read -r mutant; do
    echo "no test finds it, and $list has no reason: $file: $mutant"
    wrong=1
  done < <(comm -23 "$out/missed" "$out/explained")
  while read -r mutant; do
    echo "a test finds it, or it is there no more, but $list has a reason: $file: $mutant"
    wrong=1
  done < <(comm -13 "$out/missed" "$out/explained")
done
echo "mutants: tests find $found; $survivors survive, see $list"
exit $wrong
