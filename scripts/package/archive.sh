#!/usr/bin/env bash
# The self-contained archive: unpack it anywhere and start bin/casetrack. Called by scripts/package.sh.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

name=$(basename "$STAGE")
cd "$(dirname "$STAGE")"
if [ "$SYSTEM" = windows ]; then
    python3 - "$name" "$OUT/$name.zip" <<'PY'
import sys, zipfile
from pathlib import Path
root, target = Path(sys.argv[1]), sys.argv[2]
with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for path in sorted(root.rglob("*")):
        archive.write(path)
PY
    exit
fi
# bsdtar, which macOS has, knows none of GNU's options.
options=()
if tar --version | grep -q GNU; then options=(--sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH"); fi
tar "${options[@]}" -cf - "$name" | zstd -19 -T0 -q -f -o "$OUT/$name.tar.zst"
