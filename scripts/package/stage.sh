#!/usr/bin/env bash
# Lays out in $STAGE what every package carries: bin/, lib/, share/. The program finds its models and libpdfium from its own place.
# Called by scripts/package.sh with the program; needs VERSION, SYSTEM, MACHINE, STAGE and OUT.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"
program=$1
umask 022

case $SYSTEM in
linux) library=libpdfium.so ;;
macos) library=libpdfium.dylib ;;
windows) library=pdfium.dll ;;
esac
suffix=
if [ "$SYSTEM" = windows ]; then suffix=.exe; fi

mkdir -p "$STAGE"/{bin,lib/casetrack,share/casetrack,share/doc/casetrack/licences}
cp "$program" "$STAGE/bin/casetrack$suffix"
# Names of functions are a fifth of the program; a report of a crash does not need them.
if [ "$SYSTEM" != windows ] || [ -n "${TOOLS:-}" ]; then "${TOOLS:+$TOOLS-}strip" "$STAGE/bin/casetrack$suffix"; fi

if [ -z "${CASETRACK_PDFIUM_DIR:-}" ]; then python3 scripts/setup/fetch_pdfium.py ${TARGET_WHEELS:+"$TARGET_WHEELS"} >&2; fi
pdfium=${CASETRACK_PDFIUM_DIR:-$HOME/.cache/casetrack/pdfium${TARGET_WHEELS:+-$TARGET_WHEELS}}
cp "$pdfium/$library" "$STAGE/lib/casetrack/"
cp -R "$pdfium/licenses" "$STAGE/share/doc/casetrack/licences/pdfium"

# Only what belongs to the repository: weights that somebody fetched beside it stay out, except those for OCR.
git ls-files models samples | while IFS= read -r file; do
    mkdir -p "$STAGE/share/casetrack/$(dirname "$file")"
    cp "$file" "$STAGE/share/casetrack/$file"
done

# The second OCR engine, with its licences: it reads scans on systems without tesseract.
fetched=$HOME/.cache/casetrack/models
python3 scripts/setup/fetch_models.py --ocr --to "$fetched" >&2
cp -R "$fetched/ocr-pp-ocrv6-small" "$STAGE/share/casetrack/models/"

doc=$STAGE/share/doc/casetrack
cp LICENSE-MIT LICENSE-APACHE "$doc/"
python3 scripts/package/documents.py "$STAGE"
python3 scripts/package/licences.py >"$doc/licences/THIRD-PARTY.txt"
python3 scripts/package/sbom.py >"$doc/sbom.cdx.json"
cp "$doc/sbom.cdx.json" "$OUT/casetrack-$VERSION-$SYSTEM-$MACHINE.cdx.json"

# What the program writes about itself.
mkdir -p "$STAGE"/share/{man/man1,bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
${RUNNER:-} "$program" man "$STAGE/share/man/man1" >/dev/null
${RUNNER:-} "$program" completions bash >"$STAGE/share/bash-completion/completions/casetrack"
${RUNNER:-} "$program" completions zsh >"$STAGE/share/zsh/site-functions/_casetrack"
${RUNNER:-} "$program" completions fish >"$STAGE/share/fish/vendor_completions.d/casetrack.fish"

# The workbench among the programs of the desktop.
if [ "$SYSTEM" = linux ]; then
    mkdir -p "$STAGE"/share/{applications,icons/hicolor/scalable/apps}
    cp scripts/package/casetrack.desktop "$STAGE/share/applications/"
    cp scripts/package/casetrack.svg "$STAGE/share/icons/hicolor/scalable/apps/"
fi
chmod -R u+rwX,go+rX,go-w "$STAGE"
