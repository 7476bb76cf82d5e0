#!/usr/bin/env bash
# Builds the program for another system on Debian x86_64: x86_64-pc-windows-gnu or aarch64-unknown-linux-gnu. usage: scripts/systems/build.sh TARGET
set -euo pipefail
export CASETRACK_TARGET=${1:?usage: scripts/systems/build.sh TARGET}
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

missing=()
for package in $TARGET_PACKAGES; do
    dpkg-query --show --showformat '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    say "Installing: ${missing[*]}"
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes -qq --no-install-recommends "${missing[@]}"
fi
rustup target add "$CASETRACK_TARGET"
python3 scripts/setup/fetch_pdfium.py "$TARGET_WHEELS"
scripts/setup/rocksdb.sh
say "Building for $CASETRACK_TARGET"
cargo build --profile "$CASETRACK_BUILD_PROFILE" --locked --workspace
say "Built $BIN"
