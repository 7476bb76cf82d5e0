#!/usr/bin/env python3
"""Divides annotated contracts into a part to choose on and a part for the report, and copies the texts of one part.

usage: contract_parts.py FOLDER... --part tune|report --out DIR [--most N]

Each FOLDER holds txt/, manifest.jsonl and clauses.jsonl, with the annotations of CUAD v1 (The Atticus Project, CC BY 4.0). The division is that of
scripts/train/clauses.py: the 100 contracts whose names have the smallest SHA-256 are for the report. The model of clauses is trained on all of them: what rests on it
is too good on both parts. Its own quality on contracts that it did not read is in docs/dev/sheet.md.
Needs the Python standard library only.
"""
import argparse, hashlib, json, shutil
from pathlib import Path

REPORTED = 100


def part_of(folders, part):
    """{name: path of its text} of a part, in the order of the hashes of the names."""
    texts = {}
    for folder in map(Path, folders):
        for line in (folder / "manifest.jsonl").read_text().splitlines():
            name = json.loads(line)["_id"]
            texts[name] = folder / "txt" / f"{name}.txt"
    names = sorted(texts, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    names = names[:REPORTED] if part == "report" else names[REPORTED:]
    return {name: texts[name] for name in names}


def annotations(folders):
    """All annotations that quote the contract: one for each contract and category."""
    for folder in map(Path, folders):
        for line in (folder / "clauses.jsonl").read_text().splitlines():
            clause = json.loads(line)
            if clause["quotes"]:
                yield clause


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--part", choices=["tune", "report"], default="report")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--most", type=int, default=REPORTED)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for path in list(part_of(options.folder, options.part).values())[: options.most]:
        shutil.copyfile(path, options.out / path.name)


if __name__ == "__main__":
    main()
