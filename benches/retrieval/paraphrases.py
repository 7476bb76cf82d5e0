#!/usr/bin/env python3
"""Measures whether a question to every document finds the same documents in other words, and the right ones.

usage: paraphrases.py CASETRACK COLLECTION FOLDER... [--data-dir DIR] [--show]

COLLECTION holds the texts that contract_parts.py copied. Each FOLDER holds the annotations, as described there. The questions of paraphrases.jsonl, each
in four wordings, are asked with `casetrack ask --json`. A contract answers a question if the question's category is annotated in it. Printed
for each question, and as means over all of them:

- the overlap (Jaccard) of the documents that are found, over the pairs of wordings; two empty sets overlap fully
- F1 of the documents that are found, over the wordings
- the numbers of documents with the annotation, and of documents that are found by each wording

--show also lists F1 of each wording where the wordings differ. Needs the Python standard library only.
"""
import argparse, itertools, json, statistics, subprocess
from pathlib import Path

from contract_parts import annotations


def jaccard(a, b):
    return len(a & b) / len(a | b) if a | b else 1.0


def f1(found, having):
    return 2 * len(found & having) / (len(found) + len(having)) if found or having else 1.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("casetrack")
    parser.add_argument("collection")
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--data-dir")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    place = ["--data-dir", options.data_dir] if options.data_dir else []

    def asked(wording):
        command = [options.casetrack, *place, "ask", wording, "-c", options.collection, "--limit", "1000", "--json", "-q"]
        rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["rows"]
        return {Path(row["document_name"]).stem for row in rows}, {Path(row["document_name"]).stem for row in rows if row["found"]}

    having = {}
    for clause in annotations(options.folder):
        having.setdefault(clause["category"], set()).add(clause["file"])
    overlaps, scores = [], []
    for line in (Path(__file__).parent / "paraphrases.jsonl").read_text().splitlines():
        question = json.loads(line)
        answers = [asked(wording) for wording in question["wordings"]]
        right = having.get(question["category"], set()) & answers[0][0]
        found = [found for _, found in answers]
        overlaps.append(statistics.mean(jaccard(a, b) for a, b in itertools.combinations(found, 2)))
        scores.append(statistics.mean(f1(one, right) for one in found))
        numbers = f"annotated {len(right)}, found {[len(one) for one in found]}"
        print(f"{question['category']}: overlap {overlaps[-1]:.2f}, F1 {scores[-1]:.2f}, {numbers}", flush=True)
        if options.show and overlaps[-1] < 1:
            for wording, one in zip(question["wordings"], found):
                print(f"    {f1(one, right):.2f} {wording}")
    print(f"{len(scores)} questions: overlap {statistics.mean(overlaps):.3f}, F1 {statistics.mean(scores):.3f}")


main()
