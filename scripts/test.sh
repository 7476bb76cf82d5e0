#!/usr/bin/env bash
# Sets CaseTrack up and runs every test, or those whose name contains a word: scripts/test.sh chunker
# All arguments go to `cargo test`. Quick checks come first, and a failure of one ends the run. The tests in Rust all run, so that a failed run lists
# each failure.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

# Licences, bans and sources need no network and take a second; known vulnerabilities are looked up by the workflow.
if [ $# -eq 0 ] && cargo deny --version >/dev/null 2>&1; then
    say "Checking the dependencies"
    cargo deny --offline check bans licenses sources
fi

scripts/setup.sh

# A server for the tests of collections in a database. Without one they fail.
if [ "${CASETRACK_TEST_NO_POSTGRES:-}" = 1 ]; then
    say "CASETRACK_TEST_NO_POSTGRES=1: NOTHING IS TESTED WITH POSTGRESQL"
elif [ -z "${CASETRACK_TEST_POSTGRES:-}" ]; then
    scripts/setup/postgres.sh >/dev/null
fi

# The same profile as the build: RocksDB and the dependencies are compiled once.
if [ $# -eq 0 ] && cargo clippy --version >/dev/null 2>&1; then
    say "Linting"
    cargo clippy --release --workspace --all-targets --locked -- -D warnings
fi
say "Testing"
started=$SECONDS
cargo test --release --locked --workspace --no-fail-fast "$@"
# The workbench, in Chromium; only if all tests were asked for.
[ $# -gt 0 ] || scripts/web.sh all
say "All tests passed in $((SECONDS - started)) s"
