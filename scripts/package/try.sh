#!/usr/bin/env bash
# Tries the packages, each in a copy of a bare Debian without the repository and without a network: installs it, uses it as
# session.py says, removes it, and compares what is left. Needs Linux and root; the first run makes the bare systems
# (debootstrap, network). usage: scripts/package/try.sh DIR [archive|deb|pages|wheel|npm|mcpb]...
# DIR holds the packages that scripts/package.sh made. CASETRACK_ROOTS names where the bare systems are kept.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

ROOTS=${CASETRACK_ROOTS:-$HOME/.cache/casetrack/roots}
# What a session may leave: the data, and what installers keep for themselves.
LEFT='^\./home/ann/\.local/share/casetrack/data(/|$)|^\./home/ann/(\.npm|\.cache/(uv|pip|node-gyp)|\.local/share/uv)(/|$)|^\./(var/(lib/(dpkg|apt)|log|cache)|tmp|etc/ld\.so\.cache|proc|dev)(/|$)'

# --- preparation, with a network ---

prepare() {
    mkdir -p "$ROOTS"
    [ "$(id -u)" -eq 0 ] || fail "Only root can make and enter the bare systems." "Run it with sudo."
    if [ ! -e "$ROOTS/bare.ready" ]; then
        command -v debootstrap >/dev/null || fail "debootstrap is missing." "Run: apt-get install debootstrap"
        say "Making a bare Debian in $ROOTS/bare"
        rm -rf -- "$ROOTS/bare"
        debootstrap --variant=minbase bookworm "$ROOTS/bare" >"$ROOTS/bare.log"
        chroot "$ROOTS/bare" useradd --create-home ann
        touch "$ROOTS/bare.ready"
    fi
    if [ ! -e "$ROOTS/scans.ready" ]; then
        say "Making one with tesseract in $ROOTS/scans"
        rm -rf -- "$ROOTS/scans"
        cp -a "$ROOTS/bare" "$ROOTS/scans"
        chroot "$ROOTS/scans" apt-get install -qq --yes --no-install-recommends tesseract-ocr tesseract-ocr-eng tesseract-ocr-osd >"$ROOTS/scans.log" 2>&1 </dev/null
        touch "$ROOTS/scans.ready"
    fi
    if [ ! -e "$ROOTS/tools.ready" ]; then
        say "Making one with Python, uv, node and npm in $ROOTS/tools"
        rm -rf -- "$ROOTS/tools"
        cp -a "$ROOTS/bare" "$ROOTS/tools"
        chroot "$ROOTS/tools" apt-get install -qq --yes --no-install-recommends python3-venv >"$ROOTS/tools.log" 2>&1 </dev/null
        cp "$(readlink -f "$(command -v node)")" "$ROOTS/tools/usr/local/bin/node"
        mkdir -p "$ROOTS/tools/usr/local/lib/node_modules"
        cp -R "$(npm root --global)/npm" "$ROOTS/tools/usr/local/lib/node_modules/"
        ln -s ../lib/node_modules/npm/bin/npm-cli.js "$ROOTS/tools/usr/local/bin/npm"
        ln -s ../lib/node_modules/npm/bin/npx-cli.js "$ROOTS/tools/usr/local/bin/npx"
        python3 -m pip download --quiet --no-deps --dest "$ROOTS/tools/opt" uv
        touch "$ROOTS/tools.ready"
    fi
    [ -d "$ROOTS/mcpb/node_modules" ] || npm install --silent --prefix "$ROOTS/mcpb" @anthropic-ai/mcpb@2.1.2
}

# --- within the bare system: no network, processes of its own ---

as_user() { chroot --userspec=ann:ann "$ROOT" env -i HOME=/home/ann LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin "$@"; }
as_root() { chroot "$ROOT" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
files() { (cd "$ROOT" && find . -path ./proc -prune -o -print) | LC_ALL=C sort; }
# session SAMPLES PROGRAM...
session() {
    local samples=$1
    shift
    python3 scripts/package/session.py --samples "$samples" --started "$STARTED" ${SERVER:+--server "$SERVER"} -- \
        chroot --userspec=ann:ann "$ROOT" env -i HOME=/home/ann LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin "$@"
}
the() {
    local found
    found=$(compgen -G "$PACKAGES/$1") || fail "No $1 in $PACKAGES." "Make it with scripts/package.sh."
    echo "$found" | head -n1
}

try_archive() {
    local archive name
    archive=$(the 'casetrack-*-linux-*.tar.zst')
    name=$(basename "$archive" .tar.zst)
    zstd -dcq "$archive" | as_user tar -x -C /home/ann
    session "/home/ann/$name/share/casetrack/samples" "/home/ann/$name/bin/casetrack"
    as_user rm -r "/home/ann/$name"
}

# Runs a line as ann types it at a terminal; questions are answered with yes.
typed() {
    local status=0
    python3 scripts/package/terminal.py chroot --userspec=ann:ann "$ROOT" env -i HOME=/home/ann LANG=C.UTF-8 TERM=dumb CASETRACK_PAGER=cat \
        PATH=/usr/local/bin:/usr/bin:/bin bash -c "$1" >"$ROOT/tmp/shown" || status=$?
    # The scan is read without tesseract, so the status is 0.
    [ $status -eq 0 ] || fail "\"$1\" of the documents ends with status $status:" "$(cat "$ROOT/tmp/shown")"
}

# The lines of a document that call the program, one after the other.
typed_lines_of() {
    local line
    while IFS= read -r line; do typed "$line"; done < <(sed -n "$2"'s/^    \(casetrack .*\)$/\1/p' "$1")
}

# Installed, used and removed with the lines of README.md and docs/installing.md, word for word.
try_deb() {
    local line
    # debootstrap leaves lists of packages. With them apt asks before it fetches what is recommended, which it cannot here.
    rm -rf -- "$ROOT"/var/lib/apt/lists/*
    cp "$(the 'casetrack_*.deb')" "$ROOT/tmp/"
    line=$(sed -n 's/^    sudo \(apt install .*\)$/\1/p' README.md)
    as_root sh -c "cd /tmp && ${line/_amd64/_$(dpkg --print-architecture)}" >"$ROOT/tmp/apt" 2>&1 </dev/null || fail "$line" "$(cat "$ROOT/tmp/apt")"
    session /usr/share/casetrack/samples casetrack
    as_user rm -r /home/ann/.local/share/casetrack/data
    typed_lines_of README.md ''
    grep -q "answered after .* tools:" "$ROOT/tmp/shown" || fail "README.md does not end with the tools of the assistant:" "$(cat "$ROOT/tmp/shown")"
    printf '  the lines of README.md do what they say\n'
    typed_lines_of docs/installing.md '/^## Removing it/,$ '
    # Removed while an assistant is connected and the background process runs: the one is named, the other ends.
    as_user mkdir /home/ann/.cursor
    as_user casetrack -q connect cursor --yes >/dev/null 2>&1
    as_user casetrack -q collections >/dev/null
    as_root dpkg --remove casetrack >"$ROOT/tmp/removed"
    grep -q "take it out of /home/ann/.cursor/mcp.json" "$ROOT/tmp/removed" || fail "Removing the package does not name the assistant."
    for _ in $(seq 100); do is_running /usr/bin/casetrack && sleep 0.1 || break; done
    ! is_running /usr/bin/casetrack || fail "A process of the package is left."
    printf '  removed with its process; the assistant that was connected is named\n'
    as_user rm -r /home/ann/.cursor
}

# Installs the Debian package, then follows the pages word for word. Claude Desktop is found from its page on.
try_pages() {
    cp "$(the 'casetrack_*.deb')" "$ROOT/tmp/"
    as_root sh -c "dpkg --install /tmp/casetrack_*.deb" >"$ROOT/tmp/installed"
    follow tutorial
    as_user mkdir /home/ann/.config/Claude
    as_user casetrack -q start /home/ann/harbour-point --name "Harbour Point" --no-connect >/dev/null 2>&1
    follow claude-desktop
    as_user casetrack -q delete "Harbour Point" --yes >/dev/null
    as_user rm -r /home/ann/.config/Claude /home/ann/harbour-point
    for page in search add-documents check-a-draft contract-table versions evidence backup queries how-search-works guarantees files; do
        follow "$page" --sample samples/harbour-point
    done
    as_user casetrack -q stop >/dev/null
    as_root dpkg --remove casetrack >/dev/null
    as_user sh -c 'cd && rm -r ./*'
}

# follow PAGE [OPTION]...
follow() {
    local page=$1
    shift
    python3 scripts/check/follow.py "docs/$page.md" --home "$ROOT/home/ann" "$@" -- chroot --userspec=ann:ann "$ROOT" env -i HOME=/home/ann LANG=C.UTF-8 \
        TERM=xterm NO_COLOR=1 COLUMNS=100 CASETRACK_PAGER=cat PATH=/usr/local/bin:/usr/bin:/bin bash -c >"$ROOT/tmp/followed" 2>"$ROOT/tmp/problems" ||
        fail "docs/$page.md is not as the program is:" "$(cat "$ROOT/tmp/problems")"
    printf '  docs/%s.md does what it shows\n' "$page"
}

is_running() { readlink "$ROOT"/proc/[0-9]*/exe 2>/dev/null | grep -qF "$1"; }

try_wheel() {
    local wheel
    wheel=$(the 'casetrack-*.whl')
    cp "$wheel" "$ROOT/tmp/"
    wheel=/tmp/$(basename "$wheel")
    as_user python3 -m venv /home/ann/venv
    as_user /home/ann/venv/bin/pip install --quiet --no-index "$wheel"
    session /home/ann/venv/share/casetrack/samples /home/ann/venv/bin/casetrack
    as_user /home/ann/venv/bin/pip install --quiet --no-index --find-links /opt uv
    as_user /home/ann/venv/bin/uvx --quiet --offline --from "$wheel" casetrack -q search "interest" -c "Harbour Point" -k 1 | grep -q "1 result in Harbour Point" ||
        fail "uvx casetrack does not find the passage."
    as_user /home/ann/venv/bin/uvx --quiet --offline --from "$wheel" casetrack -q stop
    printf '  uvx casetrack searches the same collection\n'
    as_user /home/ann/venv/bin/pip uninstall --quiet --yes casetrack
    [ -z "$(find "$ROOT"/home/ann/venv/{bin,lib,share}/casetrack -type f 2>/dev/null)" ] || fail "pip left files of the package."
    as_user rm -r /home/ann/venv
}

try_npm() {
    local package
    for package in "$(the "casetrack-$VERSION.tgz")" "$(the 'casetrack-linux-*.tgz')"; do cp "$package" "$ROOT/tmp/"; done
    local packages=(/tmp/casetrack-"$VERSION".tgz /tmp/"$(basename "$(the 'casetrack-linux-*.tgz')")")
    as_user npm install --silent --offline --global --prefix /home/ann/npm "${packages[@]}"
    session "$(as_user find /home/ann/npm -type d -name samples | head -n1)" /home/ann/npm/bin/casetrack
    as_user npx --silent --offline --yes --package "${packages[0]}" --package "${packages[1]}" casetrack -q search "interest" \
        -c "Harbour Point" -k 1 | grep -q "1 result in Harbour Point" || fail "npx casetrack does not find the passage."
    as_user npx --silent --offline --yes --package "${packages[0]}" --package "${packages[1]}" casetrack -q stop
    printf '  npx casetrack searches the same collection\n'
    as_user npm uninstall --silent --global --prefix /home/ann/npm casetrack "$(basename "${packages[1]}" "-$VERSION.tgz")"
    [ -z "$(find "$ROOT/home/ann/npm" -type f)" ] || fail "npm left $(find "$ROOT/home/ann/npm" -type f | head -n3)"
    as_user rm -r /home/ann/npm
}

try_mcpb() {
    local module=$ROOTS/mcpb/node_modules/@anthropic-ai/mcpb
    node "$module/dist/cli/cli.js" unpack "$(the 'casetrack-*.mcpb')" "$ROOT/home/ann/bundle" >/dev/null
    as_root chown -R ann:ann /home/ann/bundle
    as_user mkdir -p /home/ann/Documents /home/ann/Papers
    # With the settings as they are offered the first time, and read-only with other folders and sets of tools.
    local settings tools=()
    for settings in '{}' '{"read_only": true, "folders": ["/home/ann/Documents", "/home/ann/Papers"], "toolsets": "core,ingest,time"}'; do
        SERVER=$(node scripts/package/bundle.mjs "$module" "$ROOT/home/ann/bundle" /home/ann/bundle /home/ann "$settings")
        if [ "$settings" = '{}' ]; then
            local user='["chroot", "--userspec=ann:ann", "'$ROOT'", "env", "-i", "HOME=/home/ann"]'
            SERVER=$(python3 -c 'import json, sys; print(json.dumps(json.loads(sys.argv[1]) + json.loads(sys.argv[2])))' "$user" "$SERVER")
            session /home/ann/bundle/share/casetrack/samples /home/ann/bundle/bin/casetrack
        else
            mapfile -t tools < <(python3 -c 'import json, sys; print("\n".join(json.loads(sys.argv[1])))' "$SERVER")
            printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"try","version":"1"}}}' \
                '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' |
                as_user "${tools[@]}" >"$ROOT/tmp/answers" || fail "The server does not start with two folders."
            grep -q '"search_documents"' "$ROOT/tmp/answers" || fail "The server lists no search_documents."
            ! grep -q '"name":"ingest_document"' "$ROOT/tmp/answers" || fail "The server offers ingest_document although it is read-only."
            ! grep -q '"name":"list_entities"' "$ROOT/tmp/answers" || fail "The server offers list_entities, which is in none of the sets."
            printf '  read-only with two folders and fewer tools: no tool that changes anything\n'
        fi
    done
    as_user /home/ann/bundle/bin/casetrack -q stop
    as_user rm -r /home/ann/bundle /home/ann/Documents /home/ann/Papers
}

inside() {
    KIND=$1 ROOT=$2 PACKAGES=$3
    mount -t proc proc "$ROOT/proc"
    as_user mkdir -p /home/ann/.config
    [ "$(ls -A /sys/class/net 2>/dev/null | wc -l)" -le 1 ] || [ -z "$(ip route 2>/dev/null)" ] || fail "There is a network here."
    local before left
    before=$(files)
    STARTED=$(date +%s.%N)
    "try_$KIND"
    left=$(LC_ALL=C comm -13 <(printf '%s\n' "$before") <(files) | grep -Ev "$LEFT" | grep -vxE '\./home/ann/\.(local(/share(/casetrack)?)?|cache)' || true)
    [ -z "$left" ] || fail "The $KIND package left more than data:" "$(printf '%s\n' "$left" | head -n20)"
    printf '  removed; only data is left\n'
}

VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n1)
if [ "${1:-}" = --inside ]; then
    inside "$2" "$3" "$4"
    exit
fi
[ $# -ge 1 ] || fail "Where are the packages?" "usage: scripts/package/try.sh DIR [archive|deb|pages|wheel|npm|mcpb]..."
packages=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- archive deb pages wheel npm mcpb
prepare
(cd "$packages" && sha256sum --check --quiet SHA256SUMS) || fail "The packages do not have the digests in SHA256SUMS."
for kind in "$@"; do
    case $kind in
    pages) bare=$ROOTS/scans ;;
    wheel | npm) bare=$ROOTS/tools ;;
    *) bare=$ROOTS/bare ;;
    esac
    root=$ROOTS/try-$kind
    rm -rf -- "$root"
    cp -a --reflink=auto "$bare" "$root"
    echo "$kind"
    # Ends with all that was started in it.
    unshare --mount --net --pid --fork --kill-child "$0" --inside "$kind" "$root" "$packages"
    rm -rf -- "$root"
done
say "Every package works in a bare system: $*"
