#!/usr/bin/env bash
# Installs what a make target needs and this machine lacks.
#
#   scripts/setup.sh [demo|demo-mpi|test|matrix|mpi-random|bench|build|install|sanitize|test-flang|fuzz|mutants|loom|counts|lint|oldest-rust|reference] ...
#
# It says what it installs. Where it cannot (no root and no sudo, no apt-get, no network), it says exactly what
# to install and fails. With all there it takes a fraction of a second and changes nothing.
#
#   NO_INSTALL=1   install nothing: only say what is missing
#   FC=, CC=       for install: the compilers that build the Fortran module (default gfortran, gcc)
set -euo pipefail
cd "$(dirname "$0")/.."

# The tools, one a line: name | Debian package | Fedora package | what it is. How each is tried: have_<name>.
tools='
cc          | gcc libc6-dev | gcc glibc-devel        | C compiler and linker
cxx         | g++           | gcc-c++                | C++ compiler
gfortran    | gfortran      | gcc-gfortran           | Fortran compiler
clang       | clang         | clang                  | second C compiler
clangs      | clang-14 clang-15 clang-16 clang-19 | clang14 clang15 clang16 clang | the versions of clang that Debian has
nm          | binutils      | binutils               | lists the symbols of a library
cmake       | cmake         | cmake                  | builds the test program of the CMake package
meson       | meson         | meson                  | builds the project of docs/builds.md
ninja       | ninja-build   | ninja-build            | the same
pkg_config  | pkg-config    | pkgconf-pkg-config     | finds an installed adtape
valgrind    | valgrind      | valgrind               | memory checker, instruction counts
sanitizers  | gcc           | libasan libubsan       | run-time libraries of -fsanitize=address,undefined
openmpi     | libopenmpi-dev openmpi-bin | openmpi-devel | Open MPI, mpicc.openmpi and mpiexec.openmpi
mpich       | libmpich-dev mpich | mpich-devel     | MPICH, mpicc.mpich and mpiexec.mpich
mpi         | libopenmpi-dev openmpi-bin | openmpi-devel | an MPI, mpicc, mpifort and mpiexec
lbfgs       | liblbfgs-dev  | liblbfgs-devel         | optimiser of the demo, libLBFGS
lapack      | liblapack-dev | lapack-devel           | linear algebra, for tests of its rules
fftw        | libfftw3-dev  | fftw-devel             | transforms, for tests of their rules
gsl         | libgsl-dev    | gsl-devel              | special functions, for tests of their rules
python      | python3-venv  | python3                | Python, for the package checkpoint_schedules
flang       | flang-19 clang-19 | flang clang        | LLVM compilers, flang-new-19 and clang-19
'

# What each target needs; rust_* are handled by rust_setup.
needs() {
  case $1 in
    test)        echo cc cxx gfortran clang nm cmake meson ninja pkg_config lbfgs lapack gsl fftw openmpi mpich flang ;;
    matrix)      echo clangs ;;
    mpi-random)  echo cc cxx openmpi mpich ;;
    demo)        echo cc clang gfortran lbfgs ;;
    demo-mpi)    echo cc gfortran mpi ;;
    bench)       echo cc cxx gfortran ;;
    sanitize)    echo cc gfortran valgrind sanitizers rust_nightly ;;
    races)       echo cc rust_nightly rust_source ;;
    counts)      echo cc gfortran valgrind ;;
    test-flang)  echo cc cxx cmake pkg_config flang ;;
    fuzz)        echo cc cxx rust_nightly rust_fuzz ;;
    mutants)     echo cc rust_mutants ;;
    reference)   echo cc python reference ;;
    build | loom) echo cc ;;
    lint)        echo cc rust_lint ;;
    oldest-rust) echo cc rust_oldest ;;
    install)     if [ -n "${FC:-}" ] && command -v "$FC" >/dev/null; then echo cc; else echo cc gfortran; fi ;;
    *)           echo "scripts/setup.sh: no target $1" >&2; exit 2 ;;
  esac
}

compiles() { # language, source, compiler and flags
  "${@:3}" -x "$1" -fsyntax-only - >/dev/null 2>&1 <<<"$2"
}
# A compiler without its C library's headers is as good as none, so each compiles a line.
# CC may carry arguments; who sets it has a linker for cargo, too.
# shellcheck disable=SC2086
have_cc()         { { [ -n "${CC:-}" ] || command -v cc >/dev/null; } && compiles c '#include <stdio.h>' ${CC:-gcc}; }
have_cxx()        { compiles c++ '#include <cstdint>' g++; }
have_gfortran()   { compiles f95 'end' gfortran; }
have_clang()      { compiles c '#include <stdio.h>' clang; }
have_clangs()     { for clang in clang-14 clang-15 clang-16 clang-19; do command -v $clang >/dev/null || return 1; done; }
have_nm()         { command -v nm >/dev/null; }
have_cmake()      { command -v cmake >/dev/null; }
have_meson()      { command -v meson >/dev/null; }
have_ninja()      { command -v ninja >/dev/null; }
have_pkg_config() { command -v pkg-config >/dev/null; }
have_valgrind()   { command -v valgrind >/dev/null; }
have_openmpi()    { command -v mpicc.openmpi >/dev/null && command -v mpiexec.openmpi >/dev/null; }
have_mpich()      { command -v mpicc.mpich >/dev/null && command -v mpiexec.mpich >/dev/null; }
# Any will do; MPICC, MPIFC and MPIEXEC name another than the system's.
have_mpi()        { command -v "${MPICC:-mpicc}" && command -v "${MPIFC:-mpifort}" && command -v "${MPIEXEC:-mpiexec}"; } >/dev/null
have_lbfgs()      { compiles c '#include <lbfgs.h>' gcc; }
have_lapack()     { gcc -x c - -x none -o /dev/null -llapack -lblas 2>/dev/null <<<'void dsyev_(void); int main(void) { dsyev_(); }'; }
have_fftw()       { compiles c '#include <fftw3.h>' gcc; }
have_gsl()        { compiles c '#include <gsl/gsl_sf.h>' gcc; }
have_flang()      { command -v flang-new-19 >/dev/null && command -v clang-19 >/dev/null; }
have_python()     { python3 -c 'import ensurepip, venv' 2>/dev/null; }
have_sanitizers() { gcc -fsanitize=address,undefined -x c - -o /dev/null 2>/dev/null <<<'int main(void) { return 0; }'; }

say() { printf 'set-up: %s\n' "$*"; }

column() { # tool, column
  printf '%s' "$tools" | awk -F'|' -v tool="$1" -v n="$2" '
    { name = $1; gsub(/ /, "", name) }
    name == tool { gsub(/^ +| +$/, "", $n); print $n }'
}

packages() { # Debian packages of the tools given, each once, on one line
  for tool in "$@"; do column "$tool" 2; done | tr ' ' '\n' | sort -u | tr '\n' ' ' | sed 's/ $//'
}

explain_and_fail() { # why, tools
  local why=$1 tool; shift
  {
    echo
    echo "adtape's set-up cannot go on: $why."
    echo "Needed for 'make $targets' and missing:"
    for tool in "$@"; do
      printf '  %-12s %s (Debian, Ubuntu: %s; Fedora: %s)\n' "${tool//_/-}" "$(column "$tool" 4)" \
        "$(column "$tool" 2)" "$(column "$tool" 3)"
    done
    echo "Install them, then run make again. On Debian and Ubuntu, as root:"
    echo "  apt-get update && apt-get install -y --no-install-recommends $(packages "$@")"
  } >&2
  exit 1
}

# Sets `root` to the prefix that runs a command as root, or fails. Without a terminal sudo must not ask.
find_root() {
  root=()
  [ "$(id -u)" -eq 0 ] && return 0
  command -v sudo >/dev/null || return 1
  if sudo -n true 2>/dev/null; then root=(sudo -n); return 0; fi
  [ -t 0 ] && [ -t 2 ] || return 1
  say "sudo will ask for your password"
  root=(sudo)
}

apt() { "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=2 "$@"; }

install_tools() { # tools
  local wanted log
  wanted=$(packages "$@")
  [ -z "${NO_INSTALL:-}" ] || explain_and_fail "NO_INSTALL is set" "$@"
  command -v apt-get >/dev/null || explain_and_fail "there is no apt-get on this machine" "$@"
  find_root || explain_and_fail "installing packages takes root, and sudo is missing or wants a password" "$@"
  log=$(mktemp)
  say "installing with apt-get, as root: $wanted"
  # The list of packages is refreshed only where the one there does not do: a fresh machine has none.
  # shellcheck disable=SC2086
  if ! apt install -y --no-install-recommends $wanted </dev/null >"$log" 2>&1; then
    say "refreshing apt-get's list of packages"
    apt update </dev/null >"$log" 2>&1 || true
    # shellcheck disable=SC2086
    if ! apt install -y --no-install-recommends $wanted </dev/null >>"$log" 2>&1; then
      grep -E '^(E|W|Err):' "$log" | head -8 >&2 || tail -8 "$log" >&2
      rm -f "$log"
      explain_and_fail "apt-get failed (its messages are above; is there a network?)" "$@"
    fi
  fi
  rm -f "$log"
  for tool in "$@"; do
    "have_$tool" || explain_and_fail "after the installation this still does not work" "$tool"
  done
}

rust_oldest() { sed -n 's/^rust-version *= *"\(.*\)"/\1/p' Cargo.toml; }

rust_fail() { # why, what to do
  printf "\nadtape's set-up cannot go on: %s.\n%s\n" "$1" "$2" >&2
  exit 1
}

# adtape needs cargo itself, never installed here: which Rust a machine has is its owner's choice.
require_rust() {
  local oldest have
  oldest=$(rust_oldest)
  command -v cargo >/dev/null || rust_fail "there is no cargo on the PATH or in ~/.cargo/bin" \
    "Install Rust $oldest or later: https://rustup.rs"
  have=$(cargo --version | sed 's/^cargo \([0-9.]*\).*/\1/')
  [ "$(printf '%s\n%s\n' "$oldest" "$have" | sort -V | head -1)" = "$oldest" ] ||
    rust_fail "cargo $have is too old, adtape needs Rust $oldest or later" "With rustup: rustup update stable"
}

require_toolchain() { # name, further arguments to rustup
  local name=$1; shift
  cargo "+$name" --version >/dev/null 2>&1 && return 0
  command -v rustup >/dev/null || rust_fail "this target needs Rust's $name toolchain, and there is no rustup to get it with" \
    "Install rustup (https://rustup.rs), then: rustup toolchain install $name"
  [ -z "${NO_INSTALL:-}" ] || rust_fail "NO_INSTALL is set, and Rust's $name toolchain is missing" \
    "Install it: rustup toolchain install $name --profile minimal"
  say "installing Rust's $name toolchain with rustup"
  rustup -q toolchain install "$name" --profile minimal --no-self-update "$@" ||
    rust_fail "rustup could not install the $name toolchain" \
      "With a network: rustup toolchain install $name --profile minimal"
}

# The source of the standard library, to instrument that too.
require_source() {
  [ -d "$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library" ] && return 0
  [ -z "${NO_INSTALL:-}" ] && command -v rustup >/dev/null && say "installing the nightly toolchain's rust-src with rustup" &&
    rustup -q component add rust-src --toolchain nightly && return 0
  rust_fail "the source of Rust's standard library is missing" "With rustup: rustup component add rust-src --toolchain nightly"
}

require_lint() {
  cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 && return 0
  [ -z "${NO_INSTALL:-}" ] && command -v rustup >/dev/null && say "installing rustfmt and clippy with rustup" &&
    rustup -q component add rustfmt clippy && return 0
  rust_fail "rustfmt or clippy is missing" "With rustup: rustup component add rustfmt clippy"
}

# A subcommand of cargo, built into target/tools where the machine has none.
require_subcommand() { # name
  command -v "$1" >/dev/null || [ -x "target/tools/bin/$1" ] && return 0
  [ -z "${NO_INSTALL:-}" ] || rust_fail "NO_INSTALL is set, and $1 is missing" "Install it: cargo install --locked $1"
  say "installing $1 into target/tools"
  cargo install --quiet --locked --root target/tools "$1" ||
    rust_fail "$1 could not be installed" "With a network: cargo install --locked $1"
}

# A package of Python, in an environment of its own.
require_reference() {
  local there=target/reference/bin/python
  "$there" -c 'import checkpoint_schedules' 2>/dev/null && return 0
  [ -z "${NO_INSTALL:-}" ] || rust_fail "NO_INSTALL is set, and the Python package checkpoint_schedules is missing" \
    "Install it: python3 -m venv target/reference && target/reference/bin/pip install checkpoint_schedules==1.0.4"
  say "installing the Python package checkpoint_schedules into target/reference"
  mkdir -p target && python3 -m venv target/reference && target/reference/bin/pip install -q checkpoint_schedules==1.0.4 ||
    rust_fail "the Python package checkpoint_schedules could not be installed" \
      "With a network: target/reference/bin/pip install checkpoint_schedules==1.0.4"
}

# The crates that a Cargo.lock names, downloaded once: those for this machine, not those for Windows.
require_crates() { # manifest
  local fetch
  fetch=(cargo fetch --quiet --locked --manifest-path "$1" --target "$(rustc -vV | sed -n 's/^host: //p')")
  "${fetch[@]}" --offline 2>/dev/null && return 0
  say "downloading the crates that ${1%toml}lock names"
  "${fetch[@]}" || rust_fail "the crates that ${1%toml}lock names could not be downloaded (cargo's message is above)" \
    "They are needed once. With a network: cargo fetch --locked --manifest-path $1. Without: run 'cargo vendor' where there is one, and bring the directory."
}

[ $# -gt 0 ] || set -- test
targets="$*"
wanted=$(for target in "$@"; do needs "$target"; done | tr ' ' '\n' | sort -u)

require_rust
missing=()
for tool in $wanted; do
  case $tool in rust_* | reference) continue ;; esac
  "have_$tool" || missing+=("$tool")
done
[ ${#missing[@]} -eq 0 ] || install_tools "${missing[@]}"

for tool in $wanted; do
  case $tool in
    rust_nightly) require_toolchain nightly ;;
    rust_oldest)  require_toolchain "$(rust_oldest)" ;;
    rust_source)  require_source ;;
    rust_lint)    require_lint ;;
    rust_fuzz)    require_subcommand cargo-fuzz ;;
    rust_mutants) require_subcommand cargo-mutants ;;
    reference)    require_reference ;;
  esac
done
require_crates Cargo.toml
for target in "$@"; do
  case $target in demo | test | lint) require_crates examples/shallow_water/plot/Cargo.toml; break ;; esac
done
say "all there for make $targets"
