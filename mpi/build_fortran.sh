#!/usr/bin/env bash
# Builds libadtape_mpi_fortran.a and the modules adtape_mpi and adtape_mpi_run into OUT: libadtape_mpi from Fortran.
#
#   mpi/build_fortran.sh OUT      MPIFC, MPICC: MPI's compilers (mpifort, mpicc); FCFLAGS, CFLAGS: further flags
#
# Where MPI's module mpi_f08 is none of this compiler, the module adtape_mpi takes handles as integers only.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(realpath "$1")
fc=${MPIFC:-mpifort} cc=${MPICC:-mpicc}
include=$here/../include
[ -d "$include" ] || include=$here/../../../include

# shellcheck disable=SC2086
run_fc() { $fc "$@"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The layout of descriptors is the Fortran compiler's own, and a C compiler does not find its header by itself.
binding_header() {
  local asked home
  asked=$(run_fc -print-file-name=include/ISO_Fortran_binding.h 2>/dev/null) || true
  if [ -f "$asked" ]; then echo "$asked"; return; fi
  home=$(run_fc -show 2>/dev/null | awk '{ print $1; exit }') || true
  home=$(dirname "$(dirname "$(readlink -f "$(command -v "${home:-${fc%% *}}")")")")
  find "$home/include" "$home/lib" -name ISO_Fortran_binding.h -print -quit 2>/dev/null
}
header=$(binding_header)
[ -f "$header" ] || { echo "build_fortran.sh: '$fc' has no ISO_Fortran_binding.h (Fortran 2018)" >&2; exit 1; }
mkdir "$work/binding"
cp "$header" "$work/binding/"

printf 'program p\n use mpi_f08\nend program\n' >"$work/probe.f90"
f08=
(cd "$work" && run_fc -c probe.f90 -o probe.o 2>"$work/probe.log") || f08=-DADTAPE_MPI_NO_F08

# shellcheck disable=SC2086
(cd "$work" && run_fc ${FCFLAGS:--O2} $f08 -fPIC -I"$here/fortran" -c "$here/fortran/adtape_mpi.F90" -o module.o)
# shellcheck disable=SC2086
(cd "$work" && run_fc ${FCFLAGS:--O2} $f08 -fPIC -I"$here/fortran" -c "$here/fortran/adtape_mpi_run.F90" -o run.o)
# shellcheck disable=SC2086
$cc -std=gnu11 ${CFLAGS:--O2} -fPIC -I"$here/include" -I"$include" -c "$here/fortran/adtape_mpi_run_fortran.c" \
  -o "$work/run_glue.o"
# shellcheck disable=SC2086
$cc -std=gnu11 ${CFLAGS:--O2} $f08 -fPIC -I"$work/binding" -I"$here/include" -I"$include" \
  -c "$here/fortran/adtape_mpi_fortran.c" -o "$work/glue.o"
rm -f "$out/libadtape_mpi_fortran.a"
ar rcs "$out/libadtape_mpi_fortran.a" "$work/module.o" "$work/glue.o" "$work/run.o" "$work/run_glue.o"
cp "$work/adtape_mpi.mod" "$work/adtape_mpi_run.mod" "$out/"
