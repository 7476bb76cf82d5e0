#!/usr/bin/env bash
# Runs the official conformance suite of the Model Context Protocol against the built program, over HTTP, on a fresh data directory.
#
#   scripts/check/conformance.sh [OPTIONS OF THE SUITE]     such as --scenario ping
#
# Needs Node.js with npx, and the network for the suite itself. tests/conformance/expected-failures.yml lists the scenarios that want the
# suite's own test tools, and why; the result is that no other fails.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

SUITE=@modelcontextprotocol/conformance@${CONFORMANCE_VERSION:-0.1.16}
EXPECTED=$ROOT/tests/conformance/expected-failures.yml

command -v npx >/dev/null || fail "npx is missing." "Install Node.js, which has it."
[ -x "$BIN" ] || fail "$BIN is missing." "Run scripts/setup.sh first."

home=$(mktemp -d)
log=$home/server.log
server=
finish() {
    if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi
    "$BIN" --data-dir "$home/data" stop >/dev/null 2>&1 || true
    rm -rf "$home"
}
trap finish EXIT

# The suite cannot send a token; the checks of Host and Origin hold all the same.
"$BIN" --data-dir "$home/data" mcp --http 127.0.0.1:0 --no-token 2>"$log" &
server=$!
url=
for _ in $(seq 300); do
    url=$(sed -n 's/.*\(http:.*\/mcp\)$/\1/p' "$log")
    if [ -n "$url" ]; then break; fi
    kill -0 "$server" 2>/dev/null || fail "The server ended: $(cat "$log")"
    sleep 0.1
done
[ -n "$url" ] || fail "The server does not listen: $(cat "$log")"
say "conformance of $url"

# The suite needs Node.js 22; npx brings one where an older one is installed.
node=()
if ! node -e 'process.exit(process.versions.node.split(".")[0] >= 22 ? 0 : 1)'; then node=(-p node@22); fi
npx -y "${node[@]}" -p "$SUITE" -- conformance server --url "$url" --expected-failures "$EXPECTED" "$@"
