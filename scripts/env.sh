# Sourced by the other scripts: the root of the repository, where the build goes, and how to say things.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT" || exit 1

# Rust that was installed a moment ago is not in PATH yet.
command -v cargo >/dev/null || PATH=$PATH:$HOME/.cargo/bin

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$HOME/.cache/casetrack-target}
case $CARGO_TARGET_DIR in
/*) ;;
*) CARGO_TARGET_DIR=$ROOT/$CARGO_TARGET_DIR ;;
esac

say() { printf '==> %s\n' "$*" >&2; }

# fail MESSAGE [WHAT TO DO NEXT]
fail() {
    printf 'error: %s\n' "$1" >&2
    if [ $# -gt 1 ]; then printf '%s\n' "$2" >&2; fi
    exit 1
}

# `release`, for the demo, the tests and clippy, or `dist`, for packages.
export CASETRACK_BUILD_PROFILE=${CASETRACK_BUILD_PROFILE:-release}

# The program for another system: see scripts/systems/target.sh.
EXE='' built=$CARGO_TARGET_DIR
if [ -n "${CASETRACK_TARGET:-}" ]; then
    source scripts/systems/target.sh
    built=$CARGO_TARGET_DIR/$CASETRACK_TARGET
fi

# RocksDB as scripts/setup/rocksdb.sh compiles it, which setup.sh calls before it builds; ROCKSDB_FROM_CRATE=1 leaves it to the crate.
if [ -z "${ROCKSDB_FROM_CRATE:-}${ROCKSDB_LIB_DIR:-}" ] && [ "$(uname -sm)" = "Linux x86_64" ]; then
    version=$(sed -n '/^name = "librocksdb-sys"$/ { n; s/^version = "\(.*\)"$/\1/p }' Cargo.lock)
    export ROCKSDB_LIB_DIR=$built/rocksdb-${version//+/-} ROCKSDB_STATIC=1
    [ "$CASETRACK_BUILD_PROFILE" = release ] || ROCKSDB_LIB_DIR+=-$CASETRACK_BUILD_PROFILE
fi

# shellcheck disable=SC2034  # used by the scripts that source this file
BIN=$built/$CASETRACK_BUILD_PROFILE/casetrack$EXE
