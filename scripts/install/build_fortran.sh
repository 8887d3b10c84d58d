#!/usr/bin/env bash
# Compiles adtape's Fortran module and its C glue with one Fortran compiler.
#
#   build_fortran.sh SOURCES INCLUDE OUT        writes to OUT: adtape.mod, libadtape_fortran.a, adtape_derived.inc, ..._polymorphic.inc
#   build_fortran.sh --name                     prints the compiler's name here: gfortran-12, flang-19
#
#   SOURCES  directory of adtape's Fortran sources      INCLUDE  directory of adtape.h
#   FC       Fortran compiler (default gfortran)        FCFLAGS  its flags (default -O2)
#   CC       C compiler for the glue (default gcc)      CFLAGS   its flags (default -O2)
#
# A module file is read by no other compiler than the one that wrote it, so this script is installed with the
# sources. The glue reads array descriptors, whose layout is the Fortran compiler's own: it is compiled with that
# compiler's ISO_Fortran_binding.h, which a C compiler does not find by itself.
set -euo pipefail

fc=${FC:-gfortran}
cc=${CC:-gcc}

fail() { echo "build_fortran.sh: $*" >&2; exit 1; }
# FC may carry arguments, as `FC="ccache gfortran"` does.
run_fc() { # shellcheck disable=SC2086
  $fc "$@"; }

command -v "${fc%% *}" >/dev/null || fail "there is no Fortran compiler '$fc': install one (Debian: gfortran) or name it with FC="

compiler_name() {
  local banner number
  banner=$(run_fc --version 2>/dev/null | head -1) || true
  number=$(printf '%s' "$banner" | sed 's/.*[^0-9.]\([0-9][0-9]*\)\.[0-9][0-9]*\(\.[0-9].*\)*$/\1/' | grep -E '^[0-9]+$' || true)
  case $banner in
    *"GNU Fortran"*) number=$(run_fc -dumpversion); echo "gfortran-${number%%.*}" ;;
    *flang*)         echo "flang-${number:-unknown}" ;;
    *)               echo "$(basename "${fc%% *}")${number:+-$number}" ;;
  esac
}

# The directory of ISO_Fortran_binding.h: asked of gfortran, else beside the compiler's installation.
binding_header() {
  local asked home
  asked=$(run_fc -print-file-name=include/ISO_Fortran_binding.h 2>/dev/null) || true
  if [ -f "$asked" ]; then echo "$asked"; return; fi
  home=$(dirname "$(dirname "$(readlink -f "$(command -v "${fc%% *}")")")")
  find "$home/include" "$home/lib" -name ISO_Fortran_binding.h -print -quit 2>/dev/null
}

[ "${1:-}" != --name ] || { compiler_name; exit; }
[ $# -eq 3 ] || { sed -n '2,12s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$3"
sources=$(realpath "$1") include=$(realpath "$2") out=$(realpath "$3")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

header=$(binding_header)
[ -f "$header" ] || fail "'$fc' has no ISO_Fortran_binding.h (Fortran 2018): adtape's glue cannot be compiled for it"
mkdir "$work/binding"
cp "$header" "$work/binding/"

# Position-independent, so that the archive can also go into a shared library.
# shellcheck disable=SC2086
(cd "$work" && run_fc ${FCFLAGS:--O2} -fPIC -I"$sources" -c "$sources/adtape.F90" -o adtape.o)
# shellcheck disable=SC2086
$cc ${CFLAGS:--O2} -fPIC -I"$work/binding" -I"$include" -c "$sources/adtape_glue.c" -o "$work/adtape_glue.o"

rm -f "$out/libadtape_fortran.a"
ar rcs "$out/libadtape_fortran.a" "$work/adtape.o" "$work/adtape_glue.o"
cp "$work"/*.mod "$sources"/generated/adtape_derived.inc "$sources"/adtape_polymorphic.inc "$out/"
