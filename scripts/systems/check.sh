#!/usr/bin/env bash
# Type-checks the program for systems that this one is not: code that only they compile breaks unseen otherwise. Nothing is linked or run.
# What is written in C and C++ is left out: a stand-in for the compiler makes empty files of it. usage: scripts/systems/check.sh [TARGET]...
# Needs rustup, and libclang as the build does.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

[ $# -gt 0 ] || set -- aarch64-unknown-linux-gnu aarch64-apple-darwin x86_64-apple-darwin x86_64-pc-windows-gnu
command -v rustup >/dev/null || fail "rustup is missing, which installs the standard library for other systems."
rustup target add "$@"

stand_in=$(mktemp -d)
trap 'rm -rf -- "$stand_in"' EXIT
cat >"$stand_in/cc" <<'EOF'
#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
    -o) : >"$2" ;;
    -Fo*) : >"${1#-Fo}" ;;
    esac
    shift
done
EOF
chmod +x "$stand_in/cc"
# The bindings of RocksDB need the compiler's own headers only, which are the same for all systems.
BINDGEN_EXTRA_CLANG_ARGS="-ffreestanding -isystem $(gcc -print-file-name=include)"
export BINDGEN_EXTRA_CLANG_ARGS
mkdir "$stand_in/rocksdb"
export ROCKSDB_LIB_DIR=$stand_in/rocksdb

for target in "$@"; do
    say "Type-checking for $target"
    name=${target//-/_}
    env "CC_$name=$stand_in/cc" "CXX_$name=$stand_in/cc" "AR_$name=ar" \
        cargo check --locked --workspace --target "$target" --target-dir "$CARGO_TARGET_DIR/check-systems"
done
say "Type-checked: $*"
