#!/usr/bin/env python3
"""Makes of annotated contracts a folder for `casetrack eval FOLDER`.

usage: contract_spans.py DATA_DIR FOLDER [--sample N] [--half first|second] [--named] [--foreign]

DATA_DIR holds txt/*.txt and clauses.jsonl, one annotation a line:
  {"file": name without extension, "description", "quotes": [{"spans": [[start, end]]}]}
A query is a clause's description, a gold span a quote of it, wherever it stands: measure with --within-files. With --named a query
also says which contract is meant, for a search across all of them: "DESCRIPTION in the DOCUMENT between PARTY and PARTY?", after
manifest.jsonl ({"_id", "document_name", "parties"}); contracts whose parties it does not give are not asked about.
With --foreign letters are exchanged, vowels for vowels and consonants for consonants, in texts and queries: a language that no model has
learnt, in which words occur as in English.
--sample takes that number of contracts, drawn with a fixed seed; --half asks only about every other contract, and takes all.
Needs the Python standard library only.
"""
import argparse, json, random, re
from pathlib import Path

SEED = 1
HALVES = {"first": 0, "second": 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--half", choices=HALVES)
    parser.add_argument("--named", action="store_true")
    parser.add_argument("--foreign", action="store_true")
    options = parser.parse_args()
    written = (lambda text: text.translate(exchanged())) if options.foreign else (lambda text: text)
    files = sorted((options.data / "txt").glob("*.txt"))
    if options.sample:
        files = sorted(random.Random(SEED).sample(files, min(options.sample, len(files))))
    (options.folder / "documents").mkdir(parents=True, exist_ok=True)
    for file in files:
        (options.folder / "documents" / file.name).write_text(written(file.read_text(encoding="utf-8")), encoding="utf-8")
    asked = [file.stem for file in files][HALVES.get(options.half, 0)::2 if options.half else 1]
    # what is put after a description
    places = {name: "" for name in asked}
    if options.named:
        manifest = map(json.loads, open(options.data / "manifest.jsonl", encoding="utf-8"))
        named = {contract["_id"]: place(contract) for contract in manifest}
        places = {name: named[name] for name in asked if named.get(name)}
    with open(options.folder / "spans.jsonl", "w", encoding="utf-8") as spans:
        for line in open(options.data / "clauses.jsonl", encoding="utf-8"):
            clause = json.loads(line)
            for quote in clause["quotes"] if clause["file"] in places else []:
                if quote["spans"]:
                    after = places[clause["file"]]
                    query = clause["description"].rstrip("?. ") + after if after else clause["description"]
                    spans.write(json.dumps({"query": written(query), "file": clause["file"] + ".txt", "spans": quote["spans"]}) + "\n")


def exchanged():
    """A table for str.translate."""
    letters = {}
    for kind in "aeiou", "bcdfghjklmnpqrstvwxyz":
        others = list(kind)
        random.Random(SEED).shuffle(others)
        letters.update(zip(kind + kind.upper(), others + [other.upper() for other in others]))
    return str.maketrans(letters)


def place(contract):
    """" in the DOCUMENT between PARTY and PARTY?", or nothing where the manifest lacks the names."""
    name = " ".join(re.sub(r"[(“\"”]+\s*$", "", contract["document_name"].strip()).split())
    if name.isupper():
        name = name.title()
    # 'Acme, Inc. ("Buyer", "Party"); (each "Party")': the defined terms are no names
    parties = [re.sub(r"\(.*|[\"“].*|, *collectively.*", "", party).strip(" ,") for party in contract["parties"].split(";")]
    parties = [party for party in parties if sum(c.isalpha() for c in party) > 2 and not party.startswith(("individually", "collectively"))]
    if not name or not parties:
        return None
    return f" in the {name} between {' and '.join(parties[:2])}?" if len(parties) > 1 else f" in the {name} of {parties[0]}?"


main()
