#!/bin/sh
# rustc, as cargo calls it in this repository (.cargo/config.toml).
#
# A static library of rustc carries some functions of math.h (cbrt, fma, fmod, rint, …) and of complex numbers for
# machines that lack them. A program that is linked with it would call these in place of those of its libm and compiler:
# last bits of cbrt and of quotients are others, and some take longer (rust-lang/rust#142119). In libadtape.a they are
# local, so no program finds them.
#
# Rust's own objects contain their intermediate code, half of the archive. A clang whose LLVM is older than Rust's takes
# it for objects of -flto, which it cannot read. Without it every linker takes the machine code.
#
# OBJCOPY: objcopy for the target, if it is not that of this machine.
"$@" || exit
crate= kind= directory= suffix= before=
for argument; do
  case $before in
    --crate-name) crate=$argument ;;
    --crate-type) kind="$kind $argument" ;;
    --out-dir) directory=$argument ;;
    -C) case $argument in extra-filename=*) suffix=${argument#extra-filename=} ;; esac ;;
  esac
  before=$argument
done
archive=$directory/libadtape$suffix.a
case "$crate $kind" in "adtape "*staticlib*) ;; *) exit 0 ;; esac
[ -f "$archive" ] || exit 0
names=$(nm --plugin= --defined-only "$archive" 2>/dev/null |
  awk '$2 ~ /^[TW]$/ && $3 ~ /^[a-z]|^__(mul|div).c3$/ && $3 !~ /^adtape_/ { print $3 }' | sort -u)
# shellcheck disable=SC2046
${OBJCOPY:-objcopy} --remove-section=.llvmbc --remove-section=.llvmcmd \
  ${names:+$(printf -- '--localize-symbol=%s ' $names)} "$archive" || {
  echo "scripts/rustc.sh: $archive keeps intermediate code and its own $(echo $names)" >&2
  echo "  install binutils for the target, or name its objcopy: OBJCOPY=aarch64-linux-gnu-objcopy" >&2
}
