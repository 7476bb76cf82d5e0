#!/usr/bin/env python3
"""Puts libpdfium, which reads PDF files, and its licences into ~/.cache/casetrack/pdfium/, or with a platform of pip, such
as `win_amd64`, that system's library into ~/.cache/casetrack/pdfium-win_amd64/.

The library comes out of the Python package pypdfium2: pip fetches the wheel for this machine, and pdfium-requirements.txt
pins its content. Does nothing when the pinned library is already there and intact, or when somebody has put a library of
their own there (one without the file INSTALLED beside it). Needs only the standard library and pip.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parent / "pdfium-requirements.txt"
PLATFORM = sys.argv[1] if len(sys.argv) > 1 else None
TARGET = Path.home() / ".cache" / "casetrack" / (f"pdfium-{PLATFORM}" if PLATFORM else "pdfium")
LIBRARIES = ("libpdfium.so", "libpdfium.dylib", "pdfium.dll")


def fail(message):
    sys.exit(f"fetch_pdfium.py: {message}")


def pinned():
    """What is pinned, such as `pypdfium2==5.15.2`."""
    lines = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    return next(line.split()[0] for line in lines if "==" in line)


def stamp(library):
    """The content of the file INSTALLED: what was unpacked, and the digest it had then."""
    return f"{pinned()} {library.name} sha256:{hashlib.sha256(library.read_bytes()).hexdigest()}\n"


def installed():
    """The library in place, with a word on its origin; nothing if it must be fetched again."""
    record = TARGET / "INSTALLED"
    for library in (TARGET / name for name in LIBRARIES):
        if not library.is_file():
            continue
        if not record.is_file():
            return library, "your own"
        if record.read_text(encoding="utf-8") == stamp(library):
            return library, pinned()
    return None


def download(folder):
    """Fetches the wheel with pip, which checks its SHA-256."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary=:all:", "--require-hashes", "--requirement", str(REQUIREMENTS), "--dest", str(folder)]
    command += ["--platform", PLATFORM] if PLATFORM else []
    if subprocess.run(command, stdin=subprocess.DEVNULL).returncode != 0:
        fail(
            f"pip could not fetch {pinned()} (its message stands above).\n"
            "If pip is missing, install it (Debian: apt-get install python3-pip). If pip has no network, fetch the wheel on\n"
            "another machine, put it into a folder, and run this again with PIP_NO_INDEX=1 PIP_FIND_LINKS=/that/folder.\n"
            f"If no wheel matches this machine, build libpdfium yourself and put it into {TARGET}"
        )
    return next(folder.glob("*.whl"))


def unpack(wheel):
    """Copies the library and the licences out of the wheel; the library appears last and at once."""
    TARGET.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        member = next((name for name in names if name.rpartition("/")[2] in LIBRARIES), None)
        if member is None:
            fail(f"{wheel.name} holds no libpdfium; it is not the wheel that this script expects.")
        licences = TARGET / "licenses"
        shutil.rmtree(licences, ignore_errors=True)
        for name in names:
            _, found, rest = name.partition(".dist-info/licenses/")
            if found and not name.endswith("/"):
                path = licences / rest
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.read(name))
        library = TARGET / member.rpartition("/")[2]
        partial = library.with_name(library.name + ".partial")
        partial.write_bytes(archive.read(member))
        partial.chmod(0o755)
        os.replace(partial, library)
    (TARGET / "INSTALLED").write_text(stamp(library), encoding="utf-8")
    return library


def main():
    if found := installed():
        library, origin = found
        print(f"libpdfium: {library} ({origin}), already there")
        return
    with tempfile.TemporaryDirectory() as folder:
        library = unpack(download(Path(folder)))
    print(f"libpdfium: {library} ({pinned()}), fetched")


if __name__ == "__main__":
    main()
