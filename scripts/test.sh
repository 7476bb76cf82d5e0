#!/usr/bin/env bash
# Sets CaseTrack up and runs every test, or those whose name contains a word: scripts/test.sh chunker
# All arguments go to `cargo test`.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

scripts/setup.sh

# Licences, bans and sources need no network and take a second; known vulnerabilities are looked up by the workflow.
if [ $# -eq 0 ] && cargo deny --version >/dev/null 2>&1; then
    say "Checking the dependencies"
    cargo deny --offline check bans licenses sources
fi

# The same profile as the build: RocksDB and candle are compiled once.
say "Testing"
started=$SECONDS
cargo test --release --locked --workspace "$@"
say "All tests passed in $((SECONDS - started)) s"
