#!/usr/bin/env bash
# Makes the packages of CaseTrack for this machine: archive, Debian package, Python wheel, npm packages and MCP bundle, with
# their SHA-256, an SBOM and all licences. docs/dev/releasing.md describes them.
# usage: scripts/package.sh [--binary PROGRAM] [--out DIR] [archive|deb|wheel|npm|mcpb]...
# Without --binary, sets everything up and builds first, with the profile dist: full optimisation across crates. Without kinds, makes all that this system can make.
set -euo pipefail
export CASETRACK_BUILD_PROFILE=dist
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

program=
out=$CARGO_TARGET_DIR/packages
kinds=()
while [ $# -gt 0 ]; do
    case $1 in
    --binary) program=$(realpath "$2") && shift 2 ;;
    --out) out=$2 && shift 2 ;;
    archive | deb | wheel | npm | mcpb) kinds+=("$1") && shift ;;
    *) fail "$1 is neither an option nor a kind of package." "usage: $(sed -n 's/^# usage: //p' "${BASH_SOURCE[0]}")" ;;
    esac
done
if [ -z "$program" ]; then
    scripts/setup.sh
    program=$BIN
fi
[ -x "$program" ] || fail "There is no program at $program."
if [ ${#kinds[@]} -eq 0 ]; then
    kinds=(archive wheel npm mcpb)
    if command -v dpkg-deb >/dev/null; then kinds+=(deb); fi
fi

# shellcheck disable=SC2155  # a failure of either ends the script in the next line
export VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n1)
reported=$("$program" --version)
[ "$reported" = "casetrack $VERSION" ] || fail "$program says \"$reported\", Cargo.toml says $VERSION." "Build it again."

# The name of the system as the archive has it, and the target that Cargo knows.
case $(uname -s) in
Linux) SYSTEM=linux ;;
Darwin) SYSTEM=macos ;;
MINGW* | MSYS*) SYSTEM=windows ;;
*) fail "No packages are made for $(uname -s)." ;;
esac
MACHINE=${CASETRACK_MACHINE:-$(uname -m)}
MACHINE=${MACHINE/arm64/aarch64}
export SYSTEM MACHINE
OUT=$(mkdir -p "$out" && cd "$out" && pwd)
STAGE=$(mktemp -d)/casetrack-$VERSION-$SYSTEM-$MACHINE
export OUT STAGE
trap 'rm -rf -- "$(dirname "$STAGE")"' EXIT

# The same commit gives the same times in every package.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

say "Staging $program"
scripts/package/stage.sh "$program"
for kind in "${kinds[@]}"; do
    say "Making: $kind"
    case $kind in
    archive | deb) "scripts/package/$kind.sh" ;;
    *) python3 "scripts/package/$kind.py" ;;
    esac
done

cd "$OUT"
sums=$(find . -maxdepth 1 -type f ! -name SHA256SUMS | sed 's|^\./||' | LC_ALL=C sort)
# shellcheck disable=SC2086  # no name of a package has a space
{ command -v sha256sum >/dev/null && sha256sum $sums || shasum -a 256 $sums; } >SHA256SUMS
for file in $sums; do
    size=$(($(wc -c <"$file") / 1000000))
    say "$(printf '%4d MB  %s' "$size" "$file")"
    [ "$size" -lt 100 ] || fail "$file is larger than 100 MB."
done
