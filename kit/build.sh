#!/usr/bin/env bash
# Builds libadtape_kit and libadtape_kit_admm2020, each .a and .so.0, into OUT, against the libadtape in BUILT, and
# libadtape_kit_calls.a (adtape_kit_calls.c). libadtape_kit.so is a script for linkers.
#
#   kit/build.sh BUILT OUT      CC, CFLAGS: compiler and further flags
#
# The static library's object knows the cursor of the thread's tape, a hidden symbol of libadtape.a (x86-64); the shared
# one goes through a pointer, and finds the libraries that it needs beside itself. Entry points begin a cache line: they
# fit into one, and what a call costs would depend on chance otherwise.
set -euo pipefail
built=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
compile() { # object, flags
  ${CC:-cc} -std=gnu11 -O2 -g -fPIC -falign-functions=64 -fno-plt -fno-semantic-interposition -fvisibility=hidden -Wall -Wextra ${CFLAGS:-} \
    -I "$here/include" -I "$here/../include" "${@:2}" -c "$here/${source:-adtape_kit.c}" -o "$1"
}
direct=
case $(uname -sm) in "Linux x86_64") direct=-DADTAPE_KIT_DIRECT ;; esac
compile "$out/adtape_kit.o" $direct
compile "$out/adtape_kit_shared.o"
# As DT_RPATH: with DT_RUNPATH the program's own would not be searched.
beside=(-Wl,--disable-new-dtags -Wl,-rpath,'$ORIGIN')
rm -f "$out/libadtape_kit.a"
ar rcs "$out/libadtape_kit.a" "$out/adtape_kit.o"
# A thread that ends calls into it, also after a dlclose.
${CC:-cc} -shared -Wl,-soname,libadtape_kit.so.0 -Wl,-z,defs,-z,nodelete "${beside[@]}" -o "$out/libadtape_kit.so.0" "$out/adtape_kit_shared.o" \
  -L "$built" -ladtape -lpthread
source=adtape_kit_calls.c compile "$out/adtape_kit_calls.o"
rm -f "$out/libadtape_kit_calls.a" "$out/libadtape_kit.so"
ar rcs "$out/libadtape_kit_calls.a" "$out/adtape_kit_calls.o"
echo "/* GNU ld script */ INPUT(libadtape_kit_calls.a libadtape_kit.so.0)" >"$out/libadtape_kit.so"

# The names of 2020 that have other arguments, for programs that are linked anew only: to come before libadtape_kit.
source=adtape_kit_admm2020.c compile "$out/adtape_kit_admm2020.o"
rm -f "$out/libadtape_kit_admm2020.a"
ar rcs "$out/libadtape_kit_admm2020.a" "$out/adtape_kit_admm2020.o"
${CC:-cc} -shared -Wl,-soname,libadtape_kit_admm2020.so.0 -Wl,-z,defs "${beside[@]}" -o "$out/libadtape_kit_admm2020.so.0" \
  "$out/adtape_kit_admm2020.o" -L "$out" -L "$built" -ladtape_kit -ladtape -lpthread
ln -sf libadtape_kit_admm2020.so.0 "$out/libadtape_kit_admm2020.so"
