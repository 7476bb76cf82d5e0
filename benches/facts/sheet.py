#!/usr/bin/env python3
"""Measures the matter sheet against contracts with known facts. Standard library only.

    python3 benches/facts/sheet.py PROGRAM FOLDER [--part A|B] [--wrong]

FOLDER holds txt/, manifest.jsonl (one contract a line: parties, dates, law) and clauses.jsonl (notice periods, renewal terms). All texts are
ingested into one collection of a temporary data directory; then one call returns the sheet. PROGRAM may also be a file, *.jsonl, that the example
`facts` of casetrack-nlp wrote: the same rules without ingestion. For each column it prints the share of gold cells that
the sheet has right, and the share of filled cells that are right. --part B takes every fourth line of the manifest, from the fourth; --part A
takes the others. The rules are written with part A in view. --wrong prints the cells of part A that are wrong; it is refused for others. Dates that the gold leaves open ("[]/[]/2020") count only against cells that contradict them.
"""
import argparse
import datetime
import difflib
import json
import re
import subprocess
import tempfile
import time
import unicodedata
from pathlib import Path

SUFFIXES = set("inc incorporated llc ltd limited corp corporation co company lp llp plc gmbh ag sa nv bv spa na lc pty the".split())
PLACES = set("state commonwealth province republic kingdom federal united of the and peoples people s usa us uk".split())
NUMBERS = {word: number for number, word in enumerate(
    "zero one two three four five six seven eight nine ten eleven twelve".split())}


def words(text):
    text = unicodedata.normalize("NFKD", text.replace("™", "")).lower()
    text = re.sub(r"(?<=\b\w)\.(?=\w\b)", "", text)
    return re.findall(r"[a-z0-9]+", text)


def name(text):
    kept = [word for word in words(text) if word not in SUFFIXES]
    return " ".join(kept) or " ".join(words(text))


def gold_parties(record):
    """The names of the parties; terms, blanks and descriptions of several parties are left out."""
    found = []
    for part in record["parties"].split(";"):
        quoted = re.findall(r"\(([^)]*)\)?", part)
        bare = re.sub(r"\([^)]*\)?", " ", part)
        if re.search(r"(?i)together with|shall .*referred", bare):
            continue
        if re.search(r"(?i)\bpart(y|ies)\b|collectively|\btogether\b|joint venturers", " ".join(quoted)) and re.search(
                r"(?i)\band\b|\bwith\b|^\s*$", bare):
            continue
        bare = re.sub(r"(?i)individually as.*|and/or.*|and all of its.*|or its subsidiaries.*|, as .*|\bd/b/a\b.*", "", bare)
        for piece in re.split(r", (?=The )", bare):
            key = name(piece)
            if re.search(r"[A-Za-z]", piece) and key and key not in ("customer", "distributor"):
                found.append(key)
    return found


def day(text):
    """(year, month, day) with None for what is left open; None for no date."""
    found = re.fullmatch(r"(\[\]|\d+)/(\[\]|\d+)/(\[\]|\d+)", text.strip())
    if not found:
        return None
    month, at, year = (None if part == "[]" else int(part) for part in found.groups())
    if year is not None and year < 100:
        year += 2000 if year < 50 else 1900
    return year, month, at


def same_day(gold, cell, slack=0):
    wanted = day(gold)
    if wanted is None:
        return gold.lower() == cell.lower()
    found = re.match(r"(\d{4})-(\d\d)-(\d\d)", cell)
    if not found:
        return False
    found = tuple(map(int, found.groups()))
    if None in wanted:
        return all(a is None or a == b for a, b in zip(wanted, found))
    return abs((datetime.date(*wanted) - datetime.date(*found)).days) <= slack


def is_formula(expiry):
    """True for an end of the term whose day the contract does not give: "2 years from the Launch Date"."""
    return bool(expiry) and expiry != "perpetual" and not re.match(r"\d{4}-\d\d-\d\d", expiry)


def period(text):
    """Days of the first length of time in a text."""
    text = text.lower()
    if "month-to-month" in text:
        text = "1 month"
    found = re.search(r"(\d+|[a-z]+)\s*(?:business )?(day|week|month|year)", text)
    if not found:
        return None
    count = int(found[1]) if found[1].isdigit() else NUMBERS.get(found[1], 1)
    return count * {"day": 1, "week": 7, "month": 30, "year": 365}[found[2]] + (5 * (count // 12) if found[2] == "month" else 0)


def periods(text):
    return [found for found in (period(part) for part in text.split(";")) if found]


def named(wanted, cell):
    """Whether a cell names a party; the gold has typing errors, so nine tenths of the letters in their order are enough."""
    if wanted in " ".join(words(cell)) or wanted in name(cell):
        return True
    parts = [name(part.split("(")[0]) for part in cell.split(";")]
    return any(difflib.SequenceMatcher(None, wanted, part).ratio() >= 0.9 for part in parts)


def places(text):
    return {frozenset(w for w in words(part) if w not in PLACES) for part in re.split(r";|,|\band\b", text)} - {frozenset()}


def right(column, gold, cell):
    """Whether a filled cell agrees with a filled gold cell."""
    if column == "parties":
        return all(named(wanted, cell) for wanted in gold)
    if column in ("agreement_date", "effective_date"):
        return same_day(gold, cell)
    if column == "expiry":
        return same_day(gold, cell, slack=1) or gold.lower() == "perpetual" and cell.startswith("until ")
    if column == "governing_law":
        return bool(places(gold) & places(cell)) and (places(gold) <= places(cell) or places(cell) <= places(gold))
    if column in ("notice_period", "renewal_term"):
        found = period(cell)
        return found is not None and found in periods(gold)
    if column == "title":
        wanted, found = words(gold), words(cell)
        a, b = " ".join(wanted), " ".join(found)
        return a == b or (a in b or b in a) and min(len(wanted), len(found)) * 2 >= max(len(wanted), len(found))
    raise ValueError(column)


COLUMNS = ["title", "parties", "agreement_date", "effective_date", "expiry", "governing_law", "notice_period", "renewal_term"]


def gold_cells(folder):
    """{document: {column: gold}}: "" where the gold has nothing, None where it cannot be judged."""
    cells = {}
    for line in (folder / "manifest.jsonl").read_text().splitlines():
        record = json.loads(line)
        cells[record["_id"]] = {
            "title": record["document_name"], "parties": gold_parties(record) or None, "agreement_date": record["agreement_date"],
            "effective_date": record["effective_date"], "expiry": record["expiration_date"],
            "governing_law": record["governing_law"], "notice_period": "", "renewal_term": ""}
    columns = {"Notice Period To Terminate Renewal": "notice_period", "Renewal Term": "renewal_term"}
    for line in (folder / "clauses.jsonl").read_text().splitlines():
        clause = json.loads(line)
        if clause["category"] in columns and clause["file"] in cells:
            answer = clause["answer"]
            judged = answer if periods(answer) else None
            cells[clause["file"]][columns[clause["category"]]] = judged
    return cells


def of_part(gold, part):
    """The cells of one part of the contracts, or of all."""
    return {key: cells for at, (key, cells) in enumerate(gold.items()) if part is None or (at % 4 == 3) == (part == "B")}


def score(gold, sheet, show):
    """Prints, for each column, recall over gold cells and precision of filled cells. `sheet`: {document: {column: text}}."""
    print(f"{'column':16}{'gold':>6}{'right':>7}{'share':>7}   {'filled':>6}{'right':>7}{'share':>7}")
    both, formulas = [0, 0, 0, 0], 0
    for column in COLUMNS:
        count = [0, 0, 0, 0]
        for document, cells in gold.items():
            wanted, cell = cells[column], sheet.get(document, {}).get(column, "")
            if wanted is None:
                continue
            open_date = isinstance(wanted, str) and "[]" in wanted
            agrees = bool(cell) and bool(wanted) and right(column, wanted, cell)
            if wanted and not open_date:
                count[0] += 1
                count[1] += agrees
            # a formula states no day that the gold could contradict
            if column == "expiry" and is_formula(cell) and not agrees:
                formulas += 1
                continue
            if cell:
                count[2] += 1
                count[3] += agrees
            if show and not agrees and (cell or wanted and not open_date):
                print(f"   {column}: {document[:42]}: gold {wanted!r}, cell {cell!r}")
        if column in ("agreement_date", "effective_date"):
            both = [a + b for a, b in zip(both, count)]
        row(column, count)
        if column == "effective_date":
            row("both dates", both)
        if column == "expiry":
            print(f"{'  as a formula':16}{formulas:6}")


def row(label, count):
    share = lambda part, whole: f"{part / whole:7.3f}" if whole else "      -"
    print(f"{label:16}{count[0]:6}{count[1]:7}{share(count[1], count[0])}   {count[2]:6}{count[3]:7}{share(count[3], count[2])}")


def made(program, folder):
    """The sheet that the program makes: {document: {column: text}}."""
    with tempfile.TemporaryDirectory() as data:
        def run(*arguments):
            command = [str(program), "--data-dir", data, *arguments]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout
        run("new", "contracts")
        run("ingest", str(folder / "txt"), "--collection", "contracts")
        for at in ("first", "second"):
            started = time.monotonic()
            answer = json.loads(run("sheet", "contracts", "--json"))
            print(f"{at} call: {time.monotonic() - started:.2f} s for {len(answer['rows'])} documents")
    sheet = {}
    for line in answer["rows"]:
        document = line["document_name"].removesuffix(".txt")
        sheet[document] = {column: "; ".join(value["value"] for value in values) for column, values in line["cells"].items()}
    return sheet


def read(path):
    """The sheet from lines that the example wrote."""
    sheet = {}
    for line in path.read_text().splitlines():
        found = json.loads(line)
        cells = {"parties" if kind == "party" else kind: "; ".join(value for value, *_ in values) for kind, values in found["cells"].items()}
        sheet[found["document"].removesuffix(".txt")] = cells
    return sheet


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", choices=["A", "B"])
    parser.add_argument("--wrong", action="store_true")
    options = parser.parse_args()
    if options.wrong and options.part != "A":
        parser.error("--wrong is for --part A: the other contracts stay unseen")
    gold = of_part(gold_cells(options.folder), options.part)
    sheet = read(options.program) if options.program.suffix == ".jsonl" else made(options.program, options.folder)
    score(gold, sheet, options.wrong)


if __name__ == "__main__":
    main()
