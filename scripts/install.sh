#!/usr/bin/env bash
# Builds the library and installs it under PREFIX.
#
#   PREFIX   default /usr/local         LIBDIR   default PREFIX/lib
#   DESTDIR  put before every path that is written, for packagers; not part of what the files say
#   COMMAND  the command adtape, if it is built already; default: it is built
#   MPICC    compiler of the MPI to build libadtape_mpi for, as mpicc; default: only its source is installed
#   MPIFC    Fortran compiler of that MPI, as mpifort: its module adtape_mpi too; default: without
#   FC, CC, FCFLAGS, CFLAGS             compilers of the Fortran module and their flags: see build_fortran.sh
#
# What is installed (VERSION as in Cargo.toml, COMPILER as gfortran-12):
#
#   include/adtape.h, include/adtape/*.h, include/adtape/fftw/fftw3.h
#   lib/libadtape.a, libadtape.so.VERSION, libadtape.so.0, libadtape.so
#   include/adtape/kit/*.h, lib/libadtape_kit.a, libadtape_kit.so.VERSION, libadtape_kit.so.0
#   lib/libadtape_kit.so, libadtape_kit_calls.a   a script for linkers, which names the second and libadtape_kit.so.0
#   lib/libadtape_kit_admm2020.…        the same
#   share/adtape/kit/                  the kit as source, for programs compiled with -flto
#   include/adtape_mpi….h, share/adtape/mpi/   libadtape_mpi as source, with build.sh and build_fortran.sh
#   include/adtape/kit/ampi/*.h    the names of Adjoinable MPI
#   lib/libadtape_mpi.…            with MPICC: the library, and libadtape_mpi_kit.a, which has those names
#   lib/adtape/mpi_fortran/        with MPIFC: adtape_mpi.mod, adtape_mpi_run.mod, libadtape_mpi_fortran.a
#   lib/adtape/fortran/COMPILER/       adtape.mod, adtape_derived.inc, adtape_polymorphic.inc, libadtape_fortran.a
#   lib/pkgconfig/                     adtape, adtape-fortran, adtape-fortran-lto, adtape-kit, adtape-kit-admm2020, with MPICC
#                                      adtape-mpi, adtape-mpi-kit, with MPIFC adtape-mpi-fortran, and each with -static
#   lib/cmake/adtape/                  package adtape: adtape::adtape, adtape::static, adtape::fortran, adtape::kit, ...
#   share/adtape/fortran/              module and glue as source, build_fortran.sh: for another compiler; adtape_inlined.c:
#                                      for programs compiled with -flto
#   bin/adtape, share/man/man1/adtape*.1   the command and its manual pages
#   share/doc/adtape/                  licences
#   share/adtape/installed.txt         what is installed, a path a line, for uninstall.sh
#
# The files find each other by relative paths: the tree may be moved. (With a LIBDIR outside PREFIX, not.)
set -euo pipefail
cd "$(dirname "$0")/.."

prefix=$(realpath -ms "${PREFIX:-/usr/local}")
libdir=$(realpath -ms "${LIBDIR:-$prefix/lib}")
built=${CARGO_TARGET_DIR:-target}/release

# `sudo make install` after `make build`: root has no cargo, or another one. What is built is installed then.
if [ -n "${SUDO_USER:-}" ] && [ -f "$built/libadtape.so" ]; then
  echo "installing what $SUDO_USER has built in $built"
else
  scripts/setup.sh install
  cargo build --release --locked --lib
  [ -n "${COMMAND:-}" ] || cargo build --release --locked -p adtape-command
fi
command=${COMMAND:-$built/adtape}

version=$(sed -n 's/^version *= *"\(.*\)"/\1/p' Cargo.toml | head -1)
# The one place that knows the SONAME is the build; what is installed follows the library built.
soname=$(objdump -p "$built/libadtape.so" | awk '$1 == "SONAME" { print $2 }')
compiler=$(scripts/install/build_fortran.sh --name)
[ -n "$soname" ] || { echo "install: $built/libadtape.so has no SONAME" >&2; exit 1; }

dest() { printf '%s%s' "${DESTDIR:-}" "$1"; }
installed=()
note() { # a path that is installed, as the manifest writes it
  installed+=("$(relative "$1" "$prefix" .)")
}
put() { # mode, directory, files
  local file
  for file in "${@:3}"; do note "$2/${file##*/}"; done
  install -d "$(dest "$2")"
  install -m "$1" "${@:3}" "$(dest "$2")/"
}

# A path as the installed file in directory $2 writes it: relative to $3 (that file's own directory, however the
# tool spells it) if both lie under PREFIX, else absolute.
relative() { # path, from, spelling of from
  case "$1/:$2/" in
    "$prefix"/*:"$prefix"/*) printf '%s/%s' "$3" "$(realpath -ms --relative-to="$2" "$1")" ;;
    *) printf '%s' "$1" ;;
  esac
}

fill() { # template, directory, name, spelling of that directory, further substitutions for sed
  install -d "$(dest "$2")"
  sed -e "s|@VERSION@|$version|g" -e "s|@SONAME@|$soname|g" -e "s|@FORTRAN_COMPILER@|$compiler|g" \
    -e "s|@PREFIX@|$(relative "$prefix" "$2" "$4")|g" \
    -e "s|@LIBDIR@|$(relative "$libdir" "$2" "$4")|g" \
    -e "s|@INCLUDEDIR@|$(relative "$prefix/include" "$2" "$4")|g" \
    -e "s|@BINDIR@|$(relative "$prefix/bin" "$2" "$4")|g" \
    -e "s|@DATADIR@|$(relative "$prefix/share" "$2" "$4")|g" \
    "${@:5}" "scripts/install/$1" >"$(dest "$2")/$3"
  chmod 644 "$(dest "$2")/$3"
  note "$2/$3"
}

library() { # shared library as built, name, SONAME, what linkers find if it is a script
  install -d "$(dest "$libdir")"
  install -m 755 "$1" "$(dest "$libdir")/$2.so.$version"
  ln -sf "$2.so.$version" "$(dest "$libdir")/$3"
  note "$libdir/$2.so.$version"
  note "$libdir/$3"
  if [ -n "${4:-}" ]; then
    put 644 "$libdir" "$4"
  else
    ln -sf "$3" "$(dest "$libdir")/$2.so"
    note "$libdir/$2.so"
  fi
}

put 644 "$prefix/include" include/adtape.h
put 644 "$prefix/include/adtape" include/adtape/*.h
put 644 "$prefix/include/adtape/fftw" include/adtape/fftw/fftw3.h

put 644 "$libdir" "$built/libadtape.a"
library "$built/libadtape.so" libadtape "$soname"

kit=$(mktemp -d)
trap 'rm -rf "$kit"' EXIT
kit/build.sh "$built" "$kit"
put 644 "$prefix/include/adtape/kit" kit/include/*.h
put 644 "$prefix/share/adtape/kit" kit/*.c kit/admm_tapenade_interface.f90
put 644 "$prefix/share/adtape/kit/src" kit/src/*.c
put 644 "$libdir" "$kit"/*.a
library "$kit/libadtape_kit.so.0" libadtape_kit libadtape_kit.so.0 "$kit/libadtape_kit.so"
library "$kit/libadtape_kit_admm2020.so.0" libadtape_kit_admm2020 libadtape_kit_admm2020.so.0

put 644 "$prefix/include" mpi/include/*.h
put 644 "$prefix/share/adtape/mpi" mpi/adtape_mpi.c
put 755 "$prefix/share/adtape/mpi" mpi/build.sh mpi/build_fortran.sh
put 644 "$prefix/include/adtape/kit/ampi" mpi/kit/include/ampi/*.h
put 644 "$prefix/share/adtape/mpi/kit" mpi/kit/*.c mpi/kit/*.h
put 644 "$prefix/share/adtape/mpi/kit/include/ampi" mpi/kit/include/ampi/*.h
put 644 "$prefix/share/adtape/mpi/fortran" mpi/fortran/*.*
put 644 "$prefix/share/adtape/mpi/fortran/generated" mpi/fortran/generated/*.inc
put 644 "$prefix/share/adtape/mpi/src" mpi/src/*.c
if [ -n "${MPICC:-}" ]; then
  mpi/build.sh "$built" "$kit/mpi"
  put 644 "$libdir" "$kit/mpi/libadtape_mpi.a" "$kit/mpi/libadtape_mpi_kit.a"
  library "$kit/mpi/libadtape_mpi.so.0" libadtape_mpi libadtape_mpi.so.0
  for suffix in "" -static; do
    fill "adtape-mpi$suffix.pc.in" "$libdir/pkgconfig" "adtape-mpi$suffix.pc" '${pcfiledir}'
    fill adtape-mpi-kit.pc.in "$libdir/pkgconfig" "adtape-mpi-kit$suffix.pc" '${pcfiledir}' -e "s|@SUFFIX@|$suffix|g"
  done
fi
[ -z "${MPIFC:-}" ] || [ -n "${MPICC:-}" ] || { echo "install: MPIFC takes MPICC, its compiler of C" >&2; exit 1; }
if [ -n "${MPIFC:-}" ]; then
  mpi/build_fortran.sh "$kit/mpi_fortran"
  put 644 "$libdir/adtape/mpi_fortran" "$kit"/mpi_fortran/*
  for suffix in "" -static; do
    fill adtape-mpi-fortran.pc.in "$libdir/pkgconfig" "adtape-mpi-fortran$suffix.pc" '${pcfiledir}' \
      -e "s|@SUFFIX@|$suffix|g"
  done
fi

put 644 "$prefix/share/adtape/fortran" fortran-bindings/adtape.F90 fortran-bindings/*.inc fortran-bindings/adtape_glue.c
for folder in generated glue; do
  put 644 "$prefix/share/adtape/fortran/$folder" fortran-bindings/$folder/*.inc
done
put 644 "$prefix/share/adtape/fortran" scripts/install/adtape_inlined.c
put 755 "$prefix/share/adtape/fortran" scripts/install/build_fortran.sh
scripts/install/build_fortran.sh fortran-bindings include "$(dest "$libdir/adtape/fortran/$compiler")"
for file in "$(dest "$libdir/adtape/fortran/$compiler")"/*; do note "$libdir/adtape/fortran/$compiler/${file##*/}"; done

for suffix in "" -static; do
  fill "adtape$suffix.pc.in" "$libdir/pkgconfig" "adtape$suffix.pc" '${pcfiledir}'
  for name in adtape-fortran adtape-fortran-lto; do
    fill "$name.pc.in" "$libdir/pkgconfig" "$name$suffix.pc" '${pcfiledir}' -e "s|@SUFFIX@|$suffix|g"
  done
  for name in adtape-kit adtape-kit-admm2020; do
    fill "$name$suffix.pc.in" "$libdir/pkgconfig" "$name$suffix.pc" '${pcfiledir}'
  done
done
for file in adtapeAdjoint adtapeConfig adtapeConfigVersion; do
  fill "$file.cmake.in" "$libdir/cmake/adtape" "$file.cmake" '${CMAKE_CURRENT_LIST_DIR}'
done

if [ -f "$command" ]; then
  install -d "$(dest "$prefix/bin")"
  install -m 755 "$command" "$(dest "$prefix/bin")/adtape"
  note "$prefix/bin/adtape"
  put 644 "$prefix/share/man/man1" command/man/*.1
else
  echo "without the command: $command is not built (cargo build --release -p adtape-command)"
fi

put 644 "$prefix/share/doc/adtape" LICENSE-MIT LICENSE-APACHE

# What another compiler's module added before stays on the list.
manifest=$(dest "$prefix/share/adtape/installed.txt")
note "$prefix/share/adtape/installed.txt"
{ cat "$manifest" 2>/dev/null || true; printf '%s\n' "${installed[@]}"; } | sort -u >"$kit/installed.txt"
install -m 644 "$kit/installed.txt" "$manifest"

echo "installed adtape $version under $(dest "$prefix"), Fortran module for $compiler"
[ -n "${MPICC:-}" ] ||
  echo "  without libadtape_mpi; to build it: MPICC=mpicc $prefix/share/adtape/mpi/build.sh $libdir $libdir"
case $libdir in /usr/lib | /lib) ;; *)
  [ -n "${DESTDIR:-}" ] || echo "  to find it: export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir (or: ldconfig, cmake -DCMAKE_PREFIX_PATH=$prefix)"
esac
