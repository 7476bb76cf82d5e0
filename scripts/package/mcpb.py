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

from addresses import DESCRIPTION, DOCUMENTATION, PRIVACY, SITE, SUPPORT

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


SCREENSHOTS = ["workbench-search.png", "workbench-reader.png", "workbench-draft.png", "workbench-sheet.png"]
# Three sessions with the sample matter, which the program contains.
EXAMPLES = """Three examples:

1. "Make a collection Harbour Point of the folder Documents/Harbour Point, and brief me." The assistant calls create_collection, \
ingest_folder and get_collection_summary, and reports parties, dates and documents with their places.
2. "Which rate of interest applies to a late payment, and since when?" The assistant calls search_documents and get_source_context. It cites \
the agreement and the amendment that replaced the rate, each by page, paragraph and line.
3. "Check every quotation of this draft." The assistant calls verify_quotes and lists each quotation as exact, different word by word, or \
not found."""


def manifest():
    program = "bin/casetrack.exe" if SYSTEM == "windows" else "bin/casetrack"
    return {
        "manifest_version": "0.3",
        "name": "casetrack",
        "display_name": "CaseTrack",
        "version": VERSION,
        "description": DESCRIPTION,
        "long_description": "CaseTrack reads PDF files and scans, office documents, e-mail and archives into one collection for each "
        "matter. The assistant searches them and cites the passages. The program makes no network connections; what the assistant "
        "reads goes to the assistant.\n\n" + EXAMPLES,
        "author": {"name": "The CaseTrack contributors", "url": SITE},
        "homepage": SITE,
        "documentation": DOCUMENTATION,
        "support": SUPPORT,
        "privacy_policies": [PRIVACY],
        "license": "MIT OR Apache-2.0",
        "icon": "icon.png",
        "icons": [{"src": "icon.png", "size": "512x512"}],
        "screenshots": [f"screenshots/{name}" for name in SCREENSHOTS],
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
                "description": "core: search, read and cite. ingest: add documents. graph: names, references, related documents. review: "
                "obligations, redlines, quotations, own columns, threads. watch: keep collections up to date with folders. time: find files by their times. Others can be named, too: files, index, "
                "workbench, space. Fewer sets leave the assistant more room; a tool of another set cannot be called.",
                "required": True,
                "default": "core,ingest,graph,review,watch,time",
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
        (bundle / "screenshots").mkdir()
        for name in SCREENSHOTS:
            shutil.copy(ROOT / "docs/images" / name, bundle / "screenshots" / name)
        (bundle / "manifest.json").write_text(json.dumps(manifest(), indent=2) + "\n", encoding="utf-8")
        subprocess.run([*mcpb, "validate", bundle / "manifest.json"], check=True)
        subprocess.run([*mcpb, "pack", bundle, target], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
