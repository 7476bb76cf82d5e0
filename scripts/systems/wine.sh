#!/usr/bin/env bash
# Runs a Windows program under Wine, in a prefix for tests. usage: scripts/systems/wine.sh PROGRAM.exe [ARGUMENT]...
set -euo pipefail

export WINEPREFIX=${CASETRACK_WINEPREFIX:-$HOME/.cache/casetrack/wine} WINEDEBUG=${WINEDEBUG:--all} WINEARCH=win64 WINEDLLOVERRIDES='mscoree,mshtml='
wine=$(command -v wine64 || command -v /usr/lib/wine/wine64 || command -v wine)
shim=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
if [ ! -e "$shim" ]; then
    mkdir -p "$WINEPREFIX"
    (
        flock 9
        if [ -e "$shim" ]; then exit 0; fi
        "$wine" wineboot --init >&2
        x86_64-w64-mingw32-gcc -shared -O1 -o "$WINEPREFIX/shim.dll" "$(dirname "${BASH_SOURCE[0]}")/bcryptprimitives.c" -ladvapi32
        mv "$WINEPREFIX/shim.dll" "$shim"
    ) 9>"$WINEPREFIX/.lock"
fi
exec "$wine" "$@"
