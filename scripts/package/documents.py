#!/usr/bin/env python3
"""Puts the documents into a package. Called by stage.sh, wheel.py and npm.py; needs only the standard library.

usage: documents.py STAGE    writes README.md and all that it leads to into STAGE, where models and samples are
       documents.py --alone  prints README.md for places that have nothing else: pages of package registries

A link to a file that is not there becomes its words.
"""

import os.path
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
from links import TOKEN, rewrite  # noqa: E402

DOC, PARTS = "share/doc/casetrack", "share/casetrack"
PAGES = ["README.md", "CHANGELOG.md", "SECURITY.md"]


def read(file):
    return (ROOT / file).read_text(encoding="utf-8")


def alone():
    """README.md without pictures. The documents are in the program."""

    def place(path):
        is_topic = path.startswith("docs/") and path.endswith(".md") and path != "docs/SUMMARY.md"
        return [f"`casetrack help {Path(path).stem}`"] if is_topic else None

    return rewrite(read("README.md"), "README.md", place)


def write(stage):
    docs = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*") if path.is_file())
    places = {file: f"{DOC}/{file}" for file in [*PAGES, *docs]}
    for part in ("models", "samples"):
        for path in (stage / PARTS / part).rglob("*"):
            places[path.relative_to(stage / PARTS).as_posix()] = path.relative_to(stage).as_posix()

    for file, target in places.items():
        # The weights for OCR are staged from elsewhere.
        if not (ROOT / file).is_file():
            continue

        def place(path, folder=os.path.dirname(target)):
            return os.path.relpath(places[path], folder) if path in places else [f"`{path}` in the sources"]

        (stage / target).parent.mkdir(parents=True, exist_ok=True)
        if file.endswith(".md"):
            (stage / target).write_text(rewrite(read(file), file, place), encoding="utf-8")
        else:
            shutil.copy(ROOT / file, stage / target)
    for target in places.values():
        if target.endswith(".md"):
            check(stage / target)


def check(file):
    for found in TOKEN.finditer(file.read_text(encoding="utf-8")):
        target = (found["target"] or "").partition("#")[0]
        if target and not re.match(r"[a-z]+:", target) and not (file.parent / target).exists():
            sys.exit(f"documents.py: {file.name} leads to {target}, which is not in the package")


if __name__ == "__main__":
    if sys.argv[1:] == ["--alone"]:
        print(alone(), end="")
    else:
        write(Path(sys.argv[1]))
