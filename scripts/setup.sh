#!/usr/bin/env bash
# Makes this machine ready and builds CaseTrack: system packages, libpdfium, model weights, release build.
# Needs git, Rust and Python 3. Run it as often as you like: whatever is in place already is left alone.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

# --- system packages: a C++ compiler for RocksDB and usearch, libclang for RocksDB's bindings, pip for libpdfium, tesseract
# for OCR, which is loaded at run time ---

have_compiler() { command -v c++ >/dev/null && command -v cc >/dev/null; }

# bindgen needs the library and the compiler's own headers (stddef.h); on Debian libclang-dev brings both.
have_libclang() {
    [ -z "${LIBCLANG_PATH:-}" ] || return 0
    [ "$(uname -s)" != Darwin ] || return 0 # part of the Xcode command line tools, as is the compiler
    compgen -G '/usr/lib*/llvm*/lib*/libclang*.so*' >/dev/null || compgen -G '/usr/lib*/libclang*.so*' >/dev/null || return 1
    compgen -G '/usr/lib*/llvm*/lib*/clang/*/include/stddef.h' >/dev/null || compgen -G '/usr/lib*/clang/*/include/stddef.h' >/dev/null
}

have_pip() { python3 -m pip --version >/dev/null 2>&1; }

# The program finds the library by its name; the data says which languages it reads, and which way up a page is.
have_tesseract() {
    [ -z "${CASETRACK_TESSERACT:-}" ] || return 0
    [ "$(uname -s)" != Darwin ] || { command -v tesseract >/dev/null; return; }
    compgen -G '/usr/lib*/libtesseract.so.[45]' >/dev/null || compgen -G '/usr/lib*/*/libtesseract.so.[45]' >/dev/null || return 1
    for language in eng osd; do
        compgen -G "/usr/share/tesseract-ocr/*/tessdata/$language.traineddata" >/dev/null ||
            compgen -G "/usr/share/tess*/$language.traineddata" >/dev/null ||
            [ -e "${TESSDATA_PREFIX:-}/$language.traineddata" ] || return 1
    done
}

packages=()
have_compiler || packages+=(build-essential)
have_libclang || packages+=(libclang-dev)
command -v python3 >/dev/null || packages+=(python3)
have_pip || packages+=(python3-pip)
# The command brings the library under whatever name this version of the system has for it.
have_tesseract || packages+=(tesseract-ocr tesseract-ocr-eng tesseract-ocr-osd)

if [ ${#packages[@]} -gt 0 ]; then
    command -v apt-get >/dev/null || fail "Missing on this machine: ${packages[*]} (Debian's names)." \
        "Install a C++ compiler, libclang with headers, Python 3, pip and tesseract with your package manager, then run this again."
    as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "Missing on this machine: ${packages[*]}." \
            "Ask an administrator to run: apt-get install ${packages[*]}"
        as_root=(sudo)
    fi
    say "Installing system packages: ${packages[*]}${as_root:+ (with sudo)}"
    # A fresh machine has no package lists, an old one has stale ones.
    { "${as_root[@]}" apt-get update -qq &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install --yes --no-install-recommends "${packages[@]}"; } </dev/null ||
        fail "apt-get could not install ${packages[*]}; its message stands above." \
            "Check the network connection and the package sources, then run this again."
else
    say "System packages: all there"
fi

# --- Rust ---

needed=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
command -v cargo >/dev/null || fail "Rust is not installed (no cargo in PATH)." \
    "Install Rust $needed or later, for example with rustup, open a new shell, and run this again."
found=$(rustc --version | cut -d' ' -f2)
[ "$(printf '%s\n' "$needed" "$found" | sort -V | head -n1)" = "$needed" ] ||
    fail "Rust $found is too old: CaseTrack needs $needed or later." "Run: rustup update stable"

# --- what the program reads at run time ---

python3 scripts/setup/fetch_pdfium.py
python3 scripts/setup/fetch_models.py --check || fail "The model weights under models/ are missing or damaged." \
    "Restore them with: git checkout -- models   (or fetch them again: python3 scripts/setup/fetch_models.py)"

# --- build ---

started=$SECONDS
scripts/setup/rocksdb.sh
say "Building in $CARGO_TARGET_DIR (the first time takes many minutes; later seconds)"
# Packages have one program of the workspace.
packages=()
[ "$CASETRACK_BUILD_PROFILE" != dist ] || packages=(--package casetrack)
cargo build --profile "$CASETRACK_BUILD_PROFILE" --locked ${packages[@]+"${packages[@]}"}
say "Built $BIN in $((SECONDS - started)) s"
