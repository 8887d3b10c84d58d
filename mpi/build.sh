#!/usr/bin/env bash
# Builds libadtape_mpi.a and libadtape_mpi.so.0 into OUT, against the libadtape in BUILT, with the user's MPI, and
# libadtape_mpi_kit.a, which has the names of Adjoinable MPI over either.
#
#   mpi/build.sh BUILT OUT      MPICC: MPI's compiler (mpicc); CFLAGS: further flags
set -euo pipefail
built=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
compiler=${MPICC:-mpicc}
include=$here/../include
[ -d "$include" ] || include=$here/../../../include
compile() { # source, object
  # shellcheck disable=SC2086
  "$compiler" -std=gnu11 -O2 -g -fPIC -fvisibility=hidden -Wall -Wextra -Wshadow ${CFLAGS:-} -I "$here/include" \
    -I "$here/kit/include" -I "$include" -c "$here/$1" -o "$out/$2"
}
compile adtape_mpi.c adtape_mpi.o
rm -f "$out/libadtape_mpi.a"
ar rcs "$out/libadtape_mpi.a" "$out/adtape_mpi.o"
# shellcheck disable=SC2016
"$compiler" -shared -Wl,-soname,libadtape_mpi.so.0,-z,nodelete -Wl,-rpath,'$ORIGIN' -o "$out/libadtape_mpi.so.0" \
  "$out/adtape_mpi.o" -L "$built" -ladtape
ln -sf libadtape_mpi.so.0 "$out/libadtape_mpi.so"
compile kit/adtape_mpi_kit.c adtape_mpi_kit.o
compile kit/adtape_mpi_kit_fortran.c adtape_mpi_kit_fortran.o
rm -f "$out/libadtape_mpi_kit.a"
ar rcs "$out/libadtape_mpi_kit.a" "$out/adtape_mpi_kit.o" "$out/adtape_mpi_kit_fortran.o"
