#!/usr/bin/env python3
"""Measures how well one question finds all documents that answer it: every kind of clause, asked of all contracts.

usage: sweeps.py DATA_DIR [--work FOLDER] [--program PROGRAM] [--form txt|pdf] [--categories]

DATA_DIR holds txt/ or pdf/ and clauses.jsonl, one annotation a line:
  {"file": name without extension, "category", "description", "quotes": [...]}
A contract has a clause of a category where it has a quote of it. Asked is the description of each category that at least five contracts
have, with one `casetrack ask`. Printed are, as means over the categories and over both halves of them (every other one, in the order of
clauses.jsonl; the share that counts as an answer was chosen on the first half):

- among 2g: the share of the g contracts that have the clause among the first 2g rows
- F1 of the rows that are said to answer
- search, top 50: the share of the g contracts among the documents of `casetrack search --top-k 50`, for comparison
- the longest time of one question

--work keeps the collection for another run; PROGRAM is casetrack of $CARGO_TARGET_DIR/release. Needs the Python standard library only.
"""
import argparse, json, os, statistics, subprocess, tempfile
from pathlib import Path

MIN_CONTRACTS = 5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("--program", default=os.path.join(target, "release", "casetrack"))
    parser.add_argument("--form", choices=["txt", "pdf"], default="txt")
    parser.add_argument("--categories", action="store_true", help="also a line for each category")
    options = parser.parse_args()
    descriptions, having = {}, {}
    for clause in map(json.loads, open(options.data / "clauses.jsonl", encoding="utf-8")):
        descriptions.setdefault(clause["category"], clause["description"])
        if clause["quotes"]:
            having.setdefault(clause["category"], set()).add(clause["file"])
    categories = [category for category in descriptions if len(having.get(category, ())) >= MIN_CONTRACTS]
    with tempfile.TemporaryDirectory(prefix="casetrack-sweeps-") as folder:
        home = options.work or Path(folder)

        def casetrack(*arguments):
            command = [options.program, "--data-dir", home, *arguments, "--json", "-q"]
            return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)

        if not casetrack("collections"):
            casetrack("new", "Contracts")
            casetrack("ingest", options.data / options.form)
        rows, slowest = [], 0
        for category in categories:
            question, gold = descriptions[category], having[category]
            answer = casetrack("ask", question, "--limit", "1000")
            slowest = max(slowest, answer["elapsed_ms"])
            ranked = [Path(row["document_name"]).stem for row in answer["rows"]]
            found = {Path(row["document_name"]).stem for row in answer["rows"] if row["found"]}
            searched = casetrack("search", question, "--top-k", "50")["results"]
            searched = {Path(result["provenance"]["document_name"]).stem for result in searched}
            share = len(gold & set(ranked[:2 * len(gold)])) / len(gold)
            f1 = 2 * len(gold & found) / (len(gold) + len(found))
            rows.append((share, f1, len(gold & searched) / len(gold)))
            if options.categories:
                print(f"{category}: {len(gold)} have it, {len(found)} found, among 2g {share:.2f}, F1 {f1:.2f}", flush=True)
        casetrack("stop")
    print("| categories | number | among 2g | F1 | search, top 50 |\n|---|---|---|---|---|")
    for label, part in ("all", rows), ("first half", rows[::2]), ("second half", rows[1::2]):
        print(f"| {label} | {len(part)} |", " | ".join(f"{statistics.mean(column):.3f}" for column in zip(*part)), "|")
    print(f"\nlongest time of a question: {slowest:.0f} ms")


main()
