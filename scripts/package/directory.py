#!/usr/bin/env python3
"""Writes server.json, the entry of the MCP registry, and the manifests of the plugin. Needs only the standard library.

usage: directory.py            writes them, with the version of Cargo.toml
       directory.py --check    fails if they are not current
"""

import json
import re
import sys
from pathlib import Path

from addresses import DESCRIPTION, MCP_NAME, SITE

ROOT = Path(__file__).resolve().parents[2]
VERSION = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.MULTILINE)[1]


def server():
    """One entry for each package that starts the server without a file of its own."""

    def package(registry, hint):
        return {
            "registryType": registry,
            "identifier": "casetrack",
            "version": VERSION,
            "runtimeHint": hint,
            "transport": {"type": "stdio"},
            "packageArguments": [
                {"type": "positional", "value": "mcp"},
                {
                    "type": "named",
                    "name": "--toolsets",
                    "description": "Sets of tools, with commas between them; without it, those of daily work",
                    "isRequired": False,
                },
                {
                    "type": "named",
                    "name": "--root",
                    "description": "Folder in which the assistant may look for files",
                    "isRequired": False,
                    "isRepeated": True,
                    "format": "filepath",
                },
            ],
        }

    return {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": MCP_NAME,
        "title": "CaseTrack",
        "description": DESCRIPTION,
        "version": VERSION,
        "websiteUrl": SITE,
        "packages": [package("npm", "npx"), package("pypi", "uvx")],
    }


def plugin():
    return {
        "name": "casetrack",
        "version": VERSION,
        "description": DESCRIPTION,
        "author": {"name": "The CaseTrack contributors", "url": SITE},
        "homepage": SITE,
        "license": "MIT OR Apache-2.0",
        "keywords": ["documents", "search", "citations", "legal", "local"],
    }


def marketplace():
    return {
        "name": "casetrack",
        "owner": {"name": "The CaseTrack contributors"},
        "plugins": [{"name": "casetrack", "source": "./plugin", "description": DESCRIPTION, "version": VERSION}],
    }


FILES = {
    "server.json": server,
    "plugin/.claude-plugin/plugin.json": plugin,
    "plugin/.mcp.json": lambda: {"mcpServers": {"casetrack": {"command": "casetrack", "args": ["mcp"]}}},
    ".claude-plugin/marketplace.json": marketplace,
}


def main():
    stale = []
    for name, made in FILES.items():
        file, text = ROOT / name, json.dumps(made(), indent=2, ensure_ascii=False) + "\n"
        if sys.argv[1:] != ["--check"]:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif not file.is_file() or file.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        sys.exit(f"Not current: {', '.join(stale)}. Run: python3 scripts/package/directory.py")


if __name__ == "__main__":
    main()
