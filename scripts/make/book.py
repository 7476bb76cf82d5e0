#!/usr/bin/env python3
"""Preprocessor of mdBook for links that leave the book. With the setting `git-repository-url` of book.toml they become absolute; without
it, they become their words with the path in the sources. Needs only the standard library."""

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
    folder = context["config"]["book"]["src"].rstrip("/")
    # Named `sections` before mdBook 0.5.
    pages = {f"{folder}/{page['path']}": page for page in chapters(book.get("items") or book.get("sections") or []) if page.get("path")}

    for file, page in pages.items():

        def place(path, base=os.path.dirname(file)):
            # mdBook copies every file of the folder that is not Markdown.
            if path in pages or path.startswith(f"{folder}/") and not path.endswith(".md") and (ROOT / path).is_file():
                return os.path.relpath(path, base)
            if url:
                return f"{url.rstrip('/')}/{'tree' if (ROOT / path).is_dir() else 'blob'}/main/{path}"
            return [f"`{path}` in the sources"]

        page["content"] = rewrite(page["content"], file, place)
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
