#!/usr/bin/env bash
# Tests the program of another system on Debian x86_64: Windows under Wine, Linux on ARM under QEMU. Tests that left_out.tsv names do not run.
# The last lines count the tests, and list those left out with the reasons. usage: scripts/systems/test.sh TARGET [ARGUMENT OF cargo test]...
set -euo pipefail
export CASETRACK_TARGET=${1:?usage: scripts/systems/test.sh TARGET [ARGUMENT OF cargo test]...}
shift
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

scripts/systems/build.sh "$CASETRACK_TARGET"
[ "$CASETRACK_TARGET" != aarch64-unknown-linux-gnu ] || scripts/systems/qemu.sh

skipped=()
while IFS=$'\t' read -r target name reason; do
    if [ "$target" = "$CASETRACK_TARGET" ]; then skipped+=(--skip "$name"); fi
done <scripts/systems/left_out.tsv
export RUST_TEST_THREADS=${RUST_TEST_THREADS:-4}
log=$CARGO_TARGET_DIR/$CASETRACK_TARGET/test.log
status=0
# A server of PostgreSQL runs on the machine's own system only, so the tests of that store are left out.
cargo test --release --locked --workspace --exclude casetrack-postgres --no-fail-fast "$@" -- "${skipped[@]}" 2>&1 | tee "$log" || status=$?

say "Left out on $CASETRACK_TARGET:"
awk -F '\t' -v target="$CASETRACK_TARGET" '$1 == target { print "  " $2 ": " $3 }' scripts/systems/left_out.tsv >&2
say "$(awk '/^test result:/ { passed += $4; failed += $6; ignored += $8; filtered += $12 }
    END { printf "%d passed, %d failed, %d ignored, %d left out", passed, failed, ignored, filtered }' "$log")"
exit "$status"
