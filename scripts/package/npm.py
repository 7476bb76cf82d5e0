#!/usr/bin/env python3
"""Makes the npm packages: `casetrack`, which starts the program, and one that carries it for this system.

npm installs the second as an optional dependency of the first where `os` and `cpu` fit. Called by scripts/package.sh; needs npm.
"""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from addresses import MCP_NAME, SITE
from documents import alone

ROOT = Path(__file__).resolve().parents[2]
VERSION, SYSTEM, MACHINE = (os.environ[name] for name in ("VERSION", "SYSTEM", "MACHINE"))
STAGE, OUT = Path(os.environ["STAGE"]), Path(os.environ["OUT"])
# Node's names. The program of macOS serves both processors, so its package names no one `cpu`.
OS = {"linux": "linux", "macos": "darwin", "windows": "win32"}
CPU = {"x86_64": ["x64"], "aarch64": ["arm64"], "universal2": ["x64", "arm64"]}
PLATFORMS = ["linux-x64", "linux-arm64", "darwin", "win32-x64"]


def common(name, description):
    return {"name": name, "version": VERSION, "description": description, "license": "MIT OR Apache-2.0"}


def pack(folder, manifest):
    (folder / "package.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    for licence in ("LICENSE-MIT", "LICENSE-APACHE"):
        shutil.copy(ROOT / licence, folder)
    npm = shutil.which("npm")
    subprocess.run([npm, "pack", "--silent", "--pack-destination", OUT], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def main():
    platform = OS[SYSTEM] if SYSTEM == "macos" else f"{OS[SYSTEM]}-{CPU[MACHINE][0]}"
    with tempfile.TemporaryDirectory() as work:
        carrier = Path(work) / "carrier"
        shutil.copytree(STAGE, carrier)
        manifest = common(f"casetrack-{platform}", f"The program of casetrack for {platform}")
        manifest |= {"os": [OS[SYSTEM]], "cpu": CPU[MACHINE], "files": ["bin", "lib", "share"], "preferUnplugged": True}
        if SYSTEM == "linux":
            manifest["libc"] = ["glibc"]
        pack(carrier, manifest)

        launcher = Path(work) / "launcher"
        launcher.mkdir()
        shutil.copy(ROOT / "scripts/package/launcher.js", launcher / "casetrack.js")
        (launcher / "README.md").write_text(alone(), encoding="utf-8")
        manifest = common("casetrack", "Search your own documents on your own machine, with exact citations")
        manifest |= {
            # The MCP registry compares it with the name in server.json.
            "mcpName": MCP_NAME,
            "homepage": SITE,
            "keywords": ["mcp", "documents", "search", "citations", "legal"],
            "bin": {"casetrack": "casetrack.js"},
            "files": ["casetrack.js"],
            "engines": {"node": ">=18"},
            "optionalDependencies": {f"casetrack-{name}": VERSION for name in PLATFORMS},
        }
        pack(launcher, manifest)


if __name__ == "__main__":
    main()
