#!/usr/bin/env python3
"""Makes the MCP bundle, which Claude Desktop and other clients install with a double click. Called by scripts/package.sh.

Validated and packed with @anthropic-ai/mcpb, whose command `mcpb` must be in PATH or is fetched by npx in the version below.
"""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSION, SYSTEM, MACHINE = (os.environ[name] for name in ("VERSION", "SYSTEM", "MACHINE"))
STAGE, OUT = Path(os.environ["STAGE"]), Path(os.environ["OUT"])
MCPB = "@anthropic-ai/mcpb@2.1.2"
PLATFORM = {"linux": "linux", "macos": "darwin", "windows": "win32"}
# The data folder that the command line uses on this system, so that both see the same collections.
DATA_FOLDER = {
    "linux": "${HOME}/.local/share/casetrack/data",
    "macos": "${HOME}/Library/Application Support/casetrack/data",
    "windows": "${HOME}\\AppData\\Local\\casetrack\\data",
}


def manifest():
    program = "bin/casetrack.exe" if SYSTEM == "windows" else "bin/casetrack"
    return {
        "manifest_version": "0.3",
        "name": "casetrack",
        "display_name": "CaseTrack",
        "version": VERSION,
        "description": "Search your own documents on your own machine, with citations to page, paragraph and line.",
        "long_description": "CaseTrack reads PDF files and scans, office documents, e-mail and archives into one collection for each "
        "matter. The assistant searches them and cites the passages. The program makes no network connections; what the assistant "
        "reads goes to the assistant.",
        "author": {"name": "The CaseTrack contributors"},
        "license": "MIT OR Apache-2.0",
        "icon": "icon.png",
        "keywords": ["documents", "search", "citations", "legal", "local"],
        "server": {
            "type": "binary",
            "entry_point": program,
            "mcp_config": {
                "command": "${__dirname}/" + program,
                "args": [
                    "mcp",
                    "--data-dir=${user_config.data_folder}",
                    "--read-only=${user_config.read_only}",
                    "--toolsets=${user_config.toolsets}",
                    # Clients put each folder of the list in the place of the last word.
                    "--roots",
                    "${user_config.folders}",
                ],
                "env": {},
            },
        },
        # Which tools there are depends on the settings.
        "tools_generated": True,
        "prompts_generated": True,
        "user_config": {
            "data_folder": {
                "type": "directory",
                "title": "Data folder",
                "description": "Where the collections are kept. The command line uses the same folder unless you choose another one.",
                "required": True,
                "default": DATA_FOLDER[SYSTEM],
            },
            "folders": {
                "type": "directory",
                "title": "Folders to look in",
                "description": "Where the assistant may look for files by name and time. This does not limit what it may read: it can read "
                "any file that it is told of, except keys and credentials, unless allowed_roots in config.toml in the data folder limits that.",
                "multiple": True,
                "required": True,
                "default": ["${HOME}/Documents"],
            },
            "toolsets": {
                "type": "string",
                "title": "Sets of tools",
                "description": "core: search, read and cite. ingest: add documents. graph: names, references, obligations, redlines, threads. "
                "watch: keep collections up to date with folders. time: find files by their times. Others can be named, too: files, index, "
                "workbench, space. Fewer sets leave the assistant more room; a tool of another set cannot be called.",
                "required": True,
                "default": "core,ingest,graph,watch,time",
            },
            "read_only": {
                "type": "boolean",
                "title": "Read only",
                "description": "Offer only tools that change nothing: search and read, but add, change and delete no documents.",
                "required": False,
                "default": False,
            },
        },
        "compatibility": {"platforms": [PLATFORM[SYSTEM]]},
    }


def main():
    mcpb = [shutil.which("mcpb")] if shutil.which("mcpb") else [shutil.which("npx"), "--yes", "--package", MCPB, "mcpb"]
    target = OUT / f"casetrack-{VERSION}-{SYSTEM}-{MACHINE}.mcpb"
    with tempfile.TemporaryDirectory() as work:
        bundle = Path(work) / "bundle"
        shutil.copytree(STAGE, bundle)
        # What only a shell uses.
        for folder in ("man", "bash-completion", "zsh", "fish", "applications"):
            shutil.rmtree(bundle / "share" / folder, ignore_errors=True)
        shutil.copy(ROOT / "scripts/package/casetrack.png", bundle / "icon.png")
        (bundle / "manifest.json").write_text(json.dumps(manifest(), indent=2) + "\n", encoding="utf-8")
        subprocess.run([*mcpb, "validate", bundle / "manifest.json"], check=True)
        subprocess.run([*mcpb, "pack", bundle, target], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
