#!/usr/bin/env python3
"""Preprocessor of mdBook: links out of docs/ lead nowhere in a book, so they become absolute where book.toml has the setting
`git-repository-url`, and else their words with the path in the sources. Needs only the standard library."""

import json
import os.path
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
from links import rewrite  # noqa: E402


def chapters(items):
    for item in items:
        chapter = item.get("Chapter") if isinstance(item, dict) else None
        if chapter:
            yield chapter
            yield from chapters(chapter["sub_items"])


def main():
    if sys.argv[1:2] == ["supports"]:
        sys.exit(0 if sys.argv[2] == "html" else 1)
    context, book = json.load(sys.stdin)
    url = context["config"].get("output", {}).get("html", {}).get("git-repository-url")

    def place(path):
        if path.startswith("docs/"):
            return os.path.relpath(path, "docs")
        if url:
            return f"{url.rstrip('/')}/{'tree' if (ROOT / path).is_dir() else 'blob'}/main/{path}"
        return [f"`{path}` in the sources"]

    # Named `sections` before mdBook 0.5.
    for chapter in chapters(book.get("items") or book.get("sections") or []):
        if chapter.get("path"):
            chapter["content"] = rewrite(chapter["content"], f"docs/{chapter['path']}", place)
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
