#!/usr/bin/env bash
# Compiles the library with the oldest Rust that Cargo.toml names; a warning is an error.
#
# In CI a machine may have no way to get that toolchain. What stands in for it there is checked anyway: clippy's
# incompatible_msrv (make lint) knows which Rust each call of the standard library came with, and
# tests/outside/oldest_rust.rs compares with what the dependencies ask for.
set -euo pipefail
cd "$(dirname "$0")/.."

oldest=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' Cargo.toml)
if ! scripts/setup.sh oldest-rust; then
  [ -n "${CI:-}" ] || exit 1
  echo "oldest-rust: Rust $oldest cannot be had here; clippy and tests/outside/oldest_rust.rs stand in for it"
  exit 0
fi
RUSTFLAGS="-D warnings" cargo "+$oldest" check --locked --lib --target-dir target/oldest-rust
echo "oldest-rust: the library compiles with $(cargo "+$oldest" --version)"
