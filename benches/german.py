#!/usr/bin/env python3
"""Writes three retrieval sets of German law: questions of laymen, searches of lawyers, and English questions on the German texts.

usage: german.py FOLDER

FOLDER/german, FOLDER/terms and FOLDER/cross get the layout of BEIR, which `casetrack-lab eval` reads. Each of the 126 sections of
benches/german_law.tsv is a document and has one question in the words of a layman, which are seldom those of the law; 50 of them have
the same question in English. benches/german_law_terms.tsv has searches in the words of the law, in other cases and numbers.
"""
import csv
import json
import sys
from pathlib import Path

LAWS = {
    "GG": "Grundgesetz für die Bundesrepublik Deutschland", "BGB": "Bürgerliches Gesetzbuch", "StGB": "Strafgesetzbuch",
    "KSchG": "Kündigungsschutzgesetz", "BUrlG": "Mindesturlaubsgesetz für Arbeitnehmer", "ArbZG": "Arbeitszeitgesetz",
    "EntgFG": "Gesetz über die Zahlung des Arbeitsentgelts an Feiertagen und im Krankheitsfall", "HGB": "Handelsgesetzbuch",
    "UrhG": "Gesetz über Urheberrecht und verwandte Schutzrechte",
}


def sections():
    """(section, text, question in German, question in English or "")"""
    with open(Path(__file__).with_name("german_law.tsv"), encoding="utf-8", newline="") as file:
        rows = csv.reader((line for line in file if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE)
        return [tuple(row) for row in rows]


def terms():
    """Searches by section."""
    lines = Path(__file__).with_name("german_law_terms.tsv").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines if not line.startswith("#"))


def write(folder, question_of):
    folder.mkdir(parents=True, exist_ok=True)
    corpus, queries, grades = [], [], []
    for n, (section, text, *asked) in enumerate(sections()):
        law, number = section.split(" ", 1)
        corpus.append({"_id": f"d{n}", "title": f"{LAWS[law]}, {number}", "text": text})
        question = question_of(section, asked)
        if question:
            queries.append({"_id": f"q{n}", "text": question})
            grades.append(f"q{n}\td{n}\t1")
    for name, rows in (("corpus.jsonl", corpus), ("queries.jsonl", queries)):
        lines = (json.dumps(row, ensure_ascii=False) for row in rows)
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "qrels.tsv").write_text("\n".join(grades) + "\n", encoding="utf-8")
    print(f"{folder}: {len(corpus)} documents, {len(queries)} questions")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    searches = terms()
    write(Path(sys.argv[1]) / "german", lambda section, asked: asked[0])
    write(Path(sys.argv[1]) / "terms", lambda section, asked: searches.get(section))
    write(Path(sys.argv[1]) / "cross", lambda section, asked: asked[1])


if __name__ == "__main__":
    main()
