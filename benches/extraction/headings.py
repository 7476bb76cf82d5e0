#!/usr/bin/env python3
"""Reports how well the clauses of contracts are found, and where their passages begin.

usage: headings.py DATA_DIR [--casetrack PROGRAM] [--half first|second] [--list]

DATA_DIR holds pdf/*.pdf and txt/*.txt. headings/marks.jsonl beside this script names the clauses of some of them, one file a line:
  {"file": "pdf/NAME.pdf", "half": "first" or "second", "clauses": [[page, character, number], ...]}
with the page from 1 and the character of that page from 0 where the clause's number begins. Clauses are those of the first two levels:
articles, "4.", "4.2", "IV.", and letters such as "B." right below the first level; in a schedule, its own. Items such as "(a)" are none.

Prints for each format: the share of the marked clauses that a heading begins with, and the share of the headings with a number that are
marked; and for all files the number of headings and of files without one, the mean length of passages, and the share of passages that begin
inside a sentence: not at the start of a page, a paragraph or an item, nor after a full stop, colon or semicolon. Needs the Python standard library only.
"""
import argparse, collections, json, os, re, subprocess

NUMBERED = re.compile(r"(?i)(?:article|section|clause)\s|§|\d|[IVXL]+\.|[A-Z]\.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("--casetrack", default=os.path.join(target, "release", "casetrack"))
    parser.add_argument("--half", choices=["first", "second"], help="judge only these marks")
    parser.add_argument("--list", action="store_true", help="name clauses that were missed or found wrongly")
    options = parser.parse_args()

    marks = {}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "headings", "marks.jsonl"), encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            if options.half in (None, line["half"]):
                marks[line["file"]] = {(page, char): number for page, char, number in line["clauses"]}
    for folder in ("pdf", "txt"):
        judged, passages = collections.Counter(), collections.Counter()
        for name in sorted(os.listdir(os.path.join(options.data, folder))):
            file = f"{folder}/{name}"
            command = [options.casetrack, "-q", "--json", "inspect", os.path.join(options.data, file)]
            document = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
            found = headings(document)
            passages["files"] += 1
            passages["headings"] += len(found)
            passages["files without"] += not found
            count_passages(document, passages)
            if file in marks:
                judge(file, marks[file], found, judged, options.list)
        if judged["marked"]:
            print(f"{folder}: of {judged['marked']} clauses in {judged['files']} files found {judged['hits'] / judged['marked']:.3f}; "
                  f"of {judged['found']} numbered headings right {judged['hits'] / max(1, judged['found']):.3f}")
        count = passages["passages"]
        print(f"{folder}: {passages['headings']} headings; {passages['files without']} of {passages['files']} files without; "
              f"{count} passages of {passages['characters'] / count:.0f} characters; {passages['inside'] / count:.3f} begin inside a "
              f"sentence, and {passages['page inside'] / count:.3f} with a page that does")


def headings(document):
    """Text of each heading by its page and first character."""
    return {(page["number"], block["char_start"]): page["text"][block["char_start"]:block["char_end"]]
            for page in document["pages"] for block in page["blocks"]
            if isinstance(block["kind"], dict) and "Heading" in block["kind"]}


def judge(file, marks, found, judged, show):
    numbered = {place for place, text in found.items() if NUMBERED.match(text)}
    judged["files"] += 1
    judged["marked"] += len(marks)
    judged["found"] += len(numbered)
    judged["hits"] += len(numbered & marks.keys())
    if show:
        for place in sorted(numbered ^ marks.keys()):
            print(f"  {file} {place}: " + (f"missed {marks[place]}" if place in marks else f"wrong {found[place][:40]!r}"))


def count_passages(document, passages):
    pages = {page["number"]: page for page in document["pages"]}
    for chunk in document["chunks"]:
        page = pages[chunk["page"]]
        text, start = page["text"], chunk["char_start"]
        before, here = text[:start].rstrip(), text[start:start + 10]
        passages["passages"] += 1
        passages["characters"] += chunk["char_end"] - start
        goes_on = re.match(r"[a-z][a-z ]", here)
        if not before:
            passages["page inside"] += bool(goes_on)
            continue
        after_sentence = re.search(r"[.;:!?][)\]\"”’'*]*$", before) or re.match(r"\(\w{1,4}\)", here)
        at_block = any(block["char_start"] == start for block in page["blocks"]) and not goes_on
        passages["inside"] += not (after_sentence or at_block)


if __name__ == "__main__":
    main()
