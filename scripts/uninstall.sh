#!/usr/bin/env bash
# Removes what install.sh has put under PREFIX (default /usr/local), by the list that it left there, and the folders that
# are empty then. DESTDIR as for install.sh.
set -euo pipefail

prefix=$(realpath -ms "${PREFIX:-/usr/local}")
top=${DESTDIR:-}$prefix
manifest=$top/share/adtape/installed.txt
if [ ! -f "$manifest" ]; then
  echo "uninstall: $manifest is not there: nothing is installed under $top" >&2
  echo "  give the PREFIX (and DESTDIR) of make install" >&2
  exit 1
fi

# Read as a whole first: the list is on itself.
mapfile -t paths <"$manifest"
for path in "${paths[@]}"; do
  case $path in
    /*) path=${DESTDIR:-}$path ;;
    *) path=$top/$path ;;
  esac
  rm -f -- "$path"
  folder=$(dirname "$path")
  while [ "${#folder}" -gt "${#top}" ] && rmdir -- "$folder" 2>/dev/null; do
    folder=$(dirname "$folder")
  done
done
echo "removed adtape from $top"
