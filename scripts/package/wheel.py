#!/usr/bin/env python3
"""Makes the Python wheel of what is staged. Called by scripts/package.sh; needs only the standard library.

The wheel has no Python code. Its `data/scripts` go to the environment's bin folder and its `data/data` to its root, so the
program lies there as it does everywhere: bin/casetrack, lib/casetrack, share/casetrack. maturin would build the program again.
"""

import base64
import hashlib
import os
import re
import subprocess
import time
import zipfile
from pathlib import Path

from addresses import DOCUMENTATION, MCP_NAME, SITE
from documents import alone

ROOT = Path(__file__).resolve().parents[2]
VERSION, SYSTEM, MACHINE = (os.environ[name] for name in ("VERSION", "SYSTEM", "MACHINE"))
STAGE, OUT = Path(os.environ["STAGE"]), Path(os.environ["OUT"])
INFO = f"casetrack-{VERSION}.dist-info"
DATA = f"casetrack-{VERSION}.data"
# What builds today need: macOS 11 is the oldest that Rust and pdfium support on both kinds of processor.
MACOS = "11_0"


def platform_tag():
    if SYSTEM == "windows":
        return {"x86_64": "win_amd64", "aarch64": "win_arm64"}[MACHINE]
    if SYSTEM == "macos":
        return f"macosx_{MACOS}_" + {"aarch64": "arm64"}.get(MACHINE, MACHINE)
    # The newest glibc of which the program uses a function; pip refuses the wheel on systems with an older one.
    used = ""
    for file in ("bin/casetrack", "lib/casetrack/libpdfium.so"):
        used += subprocess.run(["objdump", "-T", STAGE / file], check=True, capture_output=True, text=True).stdout
    major, minor = max(tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_(\d+\.\d+)", used))
    return f"manylinux_{major}_{minor}_{MACHINE}"


def members():
    """Names in the wheel, with their files."""
    for path in sorted(path for path in STAGE.rglob("*") if path.is_file()):
        name = path.relative_to(STAGE)
        if name.parts[0] == "bin":
            yield f"{DATA}/scripts/{name.name}", path
        else:
            yield f"{DATA}/data/{name.as_posix()}", path
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        yield f"{INFO}/licenses/{name}", ROOT / name
    yield f"{INFO}/licenses/THIRD-PARTY.txt", STAGE / "share/doc/casetrack/licences/THIRD-PARTY.txt"


def metadata():
    return f"""Metadata-Version: 2.4
Name: casetrack
Version: {VERSION}
Summary: Search your own documents on your own machine, with exact citations; on the command line and over MCP
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-MIT
License-File: LICENSE-APACHE
License-File: THIRD-PARTY.txt
Requires-Python: >=3.8
Project-URL: Homepage, {SITE}
Project-URL: Documentation, {DOCUMENTATION}
Description-Content-Type: text/markdown

{alone()}

<!-- The MCP registry looks for this line. -->
mcp-name: {MCP_NAME}
"""


def main():
    tag = f"py3-none-{platform_tag()}"
    wheel = f"Wheel-Version: 1.0\nGenerator: casetrack\nRoot-Is-Purelib: false\nTag: {tag}\n"
    target = OUT / f"casetrack-{VERSION}-{tag}.whl"
    when = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    records = []
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(name, content, mode=0o644):
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            records.append(f"{name},sha256={digest},{len(content)}")

        for name, path in members():
            add(name, path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)
        add(f"{INFO}/METADATA", metadata().encode())
        add(f"{INFO}/WHEEL", wheel.encode())
        archive.writestr(zipfile.ZipInfo(f"{INFO}/RECORD", when), "\n".join([*records, f"{INFO}/RECORD,,", ""]))


if __name__ == "__main__":
    main()
