#!/usr/bin/env python3
"""Makes of annotated contracts a folder for `casetrack eval FOLDER --within-files`.

usage: contract_spans.py DATA_DIR FOLDER [--sample N]

DATA_DIR holds txt/*.txt and clauses.jsonl, one annotation a line:
  {"file": name without extension, "description", "quotes": [{"spans": [[start, end]]}]}
A query is a clause's description, a gold span a quote of it, wherever it stands. --sample takes so many contracts, drawn with a
fixed seed. Needs the Python standard library only.
"""
import argparse, json, random, shutil
from pathlib import Path

SEED = 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int)
    options = parser.parse_args()
    files = sorted((options.data / "txt").glob("*.txt"))
    if options.sample:
        files = sorted(random.Random(SEED).sample(files, min(options.sample, len(files))))
    (options.folder / "documents").mkdir(parents=True, exist_ok=True)
    for file in files:
        shutil.copyfile(file, options.folder / "documents" / file.name)
    names = {file.stem for file in files}
    with open(options.folder / "spans.jsonl", "w", encoding="utf-8") as spans:
        for line in open(options.data / "clauses.jsonl", encoding="utf-8"):
            clause = json.loads(line)
            for quote in clause["quotes"] if clause["file"] in names else []:
                if quote["spans"]:
                    gold = {"query": clause["description"], "file": clause["file"] + ".txt", "spans": quote["spans"]}
                    spans.write(json.dumps(gold) + "\n")


main()
