#!/usr/bin/env bash
# Makes the packages of CaseTrack: archive, Debian package, Python wheel, npm packages and MCP bundle, for Windows also manifests for winget and
# Scoop, with their SHA-256, an SBOM and all licences. docs/dev/releasing.md describes them.
# usage: scripts/package.sh [--target TARGET] [--binary PROGRAM] [--out DIR] [archive|deb|wheel|npm|mcpb|manifests]...
# The packages are for this machine, or for a target of scripts/systems/build.sh. Without --binary, the script sets everything up and builds with
# the profile dist: full optimisation across crates. Without kinds, it makes all that it can make for the system.
set -euo pipefail
export CASETRACK_BUILD_PROFILE=dist
# Before env.sh, which chooses the compilers by it.
if [ "${1:-}" = --target ]; then export CASETRACK_TARGET=${2:?--target needs a target} && shift 2; fi
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

program=
out=$CARGO_TARGET_DIR/packages
kinds=()
while [ $# -gt 0 ]; do
    case $1 in
    --binary) program=$(realpath "$2") && shift 2 ;;
    --out) out=$2 && shift 2 ;;
    archive | deb | wheel | npm | mcpb | manifests) kinds+=("$1") && shift ;;
    *) fail "$1 is neither an option nor a kind of package." "usage: $(sed -n 's/^# usage: //p' "${BASH_SOURCE[0]}")" ;;
    esac
done
if [ -z "$program" ]; then
    if [ -n "${CASETRACK_TARGET:-}" ]; then scripts/systems/build.sh "$CASETRACK_TARGET"; else scripts/setup.sh; fi
    program=$BIN
fi
[ -e "$program" ] || fail "There is no program at $program."

# shellcheck disable=SC2155  # a failure of either ends the script in the next line
export VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n1)
reported=$(${RUNNER:-} "$program" --version | tr -d '\r')
[ "$reported" = "casetrack $VERSION" ] || fail "$program says \"$reported\", Cargo.toml says $VERSION." "Build it again."

# The name of the system as the archive has it.
case ${CASETRACK_TARGET:-$(uname -s)} in
Linux | *-linux-*) SYSTEM=linux ;;
Darwin) SYSTEM=macos ;;
MINGW* | MSYS* | *-windows-*) SYSTEM=windows ;;
*) fail "No packages are made for ${CASETRACK_TARGET:-$(uname -s)}." ;;
esac
MACHINE=${CASETRACK_MACHINE:-${CASETRACK_TARGET:-$(uname -m)}}
MACHINE=${MACHINE%%-*}
MACHINE=${MACHINE/arm64/aarch64}
if [ ${#kinds[@]} -eq 0 ]; then
    kinds=(archive wheel npm mcpb)
    case $SYSTEM in
    linux) ! command -v dpkg-deb >/dev/null || kinds+=(deb) ;;
    windows) kinds+=(manifests) ;;
    esac
fi
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
