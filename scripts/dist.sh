#!/usr/bin/env bash
# Writes target/adtape-VERSION.tar.gz: the committed sources, and all crates they need, for machines without a network.
#
# In what it unpacks to, `make install NO_INSTALL=1 PREFIX=…` downloads nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's/^version *= *"\(.*\)"/\1/p' Cargo.toml | head -1)
name=adtape-$version
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -n "$(git status --porcelain --untracked-files=no)" ]; then
  echo "dist: changes that are not committed are left out" >&2
fi
git archive --prefix="$name/" HEAD | tar -x -C "$work"
cd "$work/$name"
mkdir -p .cargo
# What cargo vendor prints says where the crates are.
cargo vendor --locked --versioned-dirs vendor >.cargo/config.toml 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
cd - >/dev/null
mkdir -p target
tar -c -z -f "target/$name.tar.gz" -C "$work" --sort=name --owner=0 --group=0 --numeric-owner \
  --mtime="@$(git log -1 --format=%ct)" "$name"
echo "target/$name.tar.gz"
