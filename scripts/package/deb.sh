#!/usr/bin/env bash
# The Debian package: what is staged, below /usr. Called by scripts/package.sh.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

case $MACHINE in
x86_64) architecture=amd64 ;;
aarch64) architecture=arm64 ;;
*) fail "Debian's name for the architecture $MACHINE is not known here." ;;
esac
root=$(mktemp -d)
trap 'rm -rf -- "$root"' EXIT
mkdir -p "$root/tree/usr" "$root/tree/DEBIAN" "$root/debian"
cp -R "$STAGE/." "$root/tree/usr/"
chmod 755 "$root/tree"

# Debian wants manual pages and the log of changes compressed, and the licence in a file named copyright.
doc=$root/tree/usr/share/doc/casetrack
if [ -d "$root/tree/usr/share/man" ]; then find "$root/tree/usr/share/man" -type f -exec gzip -9n {} +; fi
gzip -9n "$doc/CHANGELOG.md" && mv "$doc/CHANGELOG.md.gz" "$doc/changelog.gz"
if [ -d "$root/tree/usr/share/zsh/site-functions" ]; then
    mv "$root/tree/usr/share/zsh/site-functions" "$root/tree/usr/share/zsh/vendor-completions"
fi
{
    echo "CaseTrack is licensed under MIT or Apache-2.0, at your choice."
    echo "The licences of what it is made of are in /usr/share/doc/casetrack/licences."
    printf '\n'
    cat LICENSE-MIT
    printf '\nApache-2.0: see /usr/share/common-licenses/Apache-2.0\n'
} >"$doc/copyright"

# dpkg-shlibdeps reads which versions of the system's libraries the program needs; it insists on a source package's control file.
printf 'Source: casetrack\n\nPackage: casetrack\nArchitecture: any\n' >"$root/debian/control"
depends=$(cd "$root" && dpkg-shlibdeps -O --ignore-missing-info tree/usr/bin/casetrack tree/usr/lib/casetrack/libpdfium.so 2>/dev/null |
    sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || fail "dpkg-shlibdeps did not say which libraries the program needs." "Install dpkg-dev and run this again."

cat >"$root/tree/DEBIAN/control" <<CONTROL
Package: casetrack
Version: $VERSION
Architecture: $architecture
Maintainer: ${CASETRACK_MAINTAINER:-The CaseTrack contributors}
Installed-Size: $(du -sk "$root/tree/usr" | cut -f1)
Depends: $depends
Recommends: tesseract-ocr, tesseract-ocr-eng, tesseract-ocr-osd
Section: text
Priority: optional
Description: local-first document search with exact citations
 CaseTrack reads PDF files and scans, office documents, e-mail and archives into
 one collection for each matter, and finds passages with their file, page,
 paragraph, line and character. Assistants search over MCP. Nothing leaves the
 machine. Scans are read without other programs. Tesseract is recommended: it
 reads pages faster, and scripts other than Latin, Chinese and Japanese.
CONTROL
install -m 755 scripts/package/prerm.sh "$root/tree/DEBIAN/prerm"
(cd "$root/tree" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/tree/DEBIAN/md5sums"
dpkg-deb --root-owner-group -Zzstd -z19 --build "$root/tree" "$OUT/casetrack_${VERSION}_$architecture.deb" >/dev/null
