#!/usr/bin/env bash
# The front end of the workbench. Nobody needs it to build CaseTrack: what it makes is committed.
#   scripts/web.sh build     makes crates/casetrack-web/dist from crates/casetrack-web/ui
#   scripts/web.sh check     checks types, that dist is what ui makes, and the grammar of the documents
#   scripts/web.sh test      tests it in Chromium over the program; arguments go to node --test
#   scripts/web.sh shots     takes the pictures in docs/images
#   scripts/web.sh bars      measures it where there is very much; --minutes N: its memory for so long
#   scripts/web.sh all       check and test, or a line that says why they are skipped
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

UI=crates/casetrack-web/ui
DIST=crates/casetrack-web/dist
# All files together, in bytes.
MOST=400000

# Vite's: 20.19, or 22.12 and later.
have_node() {
    command -v npm >/dev/null || return 1
    node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit((a === 20 && b >= 19) || (a === 22 && b >= 12) || a > 22 ? 0 : 1)' 2>/dev/null
}

packages_there() {
    [ "$UI/node_modules/.package-lock.json" -nt "$UI/package-lock.json" ] || (cd "$UI" && npm ci --no-audit --no-fund --silent)
}

chromium_at() { command -v "${CHROMIUM:-chromium}" 2>/dev/null; }

have_chromium() {
    chromium_at >/dev/null && return 0
    command -v apt-get >/dev/null || return 1
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null && sudo -n true 2>/dev/null || return 1
        as_root=(sudo)
    fi
    say "Installing Chromium${as_root:+ (with sudo)}"
    { "${as_root[@]}" apt-get update -qq &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive timeout 150 \
            apt-get install --yes -qq --no-install-recommends chromium fonts-dejavu-core; } </dev/null >/dev/null 2>&1
    chromium_at >/dev/null
}

need_node() {
    have_node || fail "Node 20.19, 22.12 or later is missing." "Install it with npm, then run this again."
    packages_there || fail "The packages of $UI could not be installed." "Check the network connection, then run this again."
}

need_chromium() {
    have_chromium || fail "Chromium is missing." "Install it, or set CHROMIUM to where it is, then run this again."
    CHROMIUM=$(chromium_at)
    export CHROMIUM
}

make_into() {
    (cd "$UI" && npx tsc --noEmit && npx vite build --logLevel warn --outDir "$1" --emptyOutDir &&
        npx vite build --logLevel warn --mode evidence --outDir "$1")
}

check() {
    local made bytes
    made=$(mktemp -d)
    make_into "$made"
    diff -r "$made" "$DIST" >/dev/null || fail "$DIST is not what $UI makes." "Run: scripts/web.sh build"
    rm -rf "$made"
    bytes=$(cat "$DIST"/* | wc -c)
    [ "$bytes" -le "$MOST" ] || fail "$DIST has $bytes bytes; at most $MOST are allowed."
    say "The front end is what its source makes: $bytes bytes"
    node scripts/check/grammar.mjs
}

run_tests() {
    [ -x "${CASETRACK_BIN:-$BIN}" ] || fail "There is no program at $BIN." "Run: scripts/setup.sh"
    CASETRACK_BIN=${CASETRACK_BIN:-$BIN} node --test --test-concurrency=1 "$@" tests/web/*.test.mjs
}

case ${1:-} in
build)
    need_node
    make_into "$ROOT/$DIST"
    ;;
check)
    need_node
    check
    ;;
test)
    need_node
    need_chromium
    run_tests "${@:2}"
    ;;
shots | bars)
    need_node
    need_chromium
    CASETRACK_BIN=${CASETRACK_BIN:-$BIN} node "tests/web/$1.mjs" "${@:2}"
    ;;
all)
    if ! have_node; then
        say "Skipped: the workbench's checks and tests need Node 20.19, 22.12 or later"
    elif ! packages_there; then
        say "Skipped: the workbench's checks and tests, as their packages could not be fetched"
    else
        check
        if have_chromium; then
            need_chromium
            run_tests
        else
            say "Skipped: the workbench's tests need Chromium"
        fi
    fi
    ;;
*)
    sed -n '2,8s/^# //p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
