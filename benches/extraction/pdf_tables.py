#!/usr/bin/env python3
"""Measures how tables of PDF files are found, against tables that were marked by eye.

usage: pdf_tables.py CONTRACTS_DIR [--casetrack PROGRAM] [--draw FOLDER] [--list]

CONTRACTS_DIR holds the contracts of which benches/extraction/pdf_tables/marks.tsv has marks: one line for each table on their pages, with the
file, the page, rows and columns, tabs between them. All pages of these files count: a table that is found on a page without a
marked one is wrong, and so is the second on a page with one.

| measured | |
|---|---|
| found | marked tables where one is found on the page, in the order on the page |
| right | found tables that belong to a marked one |
| columns, rows | of these, those with as many columns; and with as many rows, within a fifth |

--draw renders the pages with what was found drawn over them, into FOLDER; it needs the Python packages pypdfium2 and Pillow.
"""
import argparse, collections, csv, json, os, subprocess, tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("contracts")
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("--casetrack", default=os.path.join(target, "release", "casetrack"))
    parser.add_argument("--draw", help="folder for pictures of the pages")
    parser.add_argument("--list", action="store_true", help="also list what was missed, and what was found wrongly")
    options = parser.parse_args()
    marks = collections.defaultdict(list)
    files = []
    with open(os.path.join(HERE, "pdf_tables", "marks.tsv"), encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines, delimiter="\t"):
            files.append(line["file"])
            if line["page"]:
                marks[line["file"], int(line["page"])].append((int(line["rows"]), int(line["columns"])))
    files = sorted(set(files))
    found = {}
    with ThreadPoolExecutor(2) as threads:
        for file, tables in zip(files, threads.map(lambda file: tables_of(options, file), files)):
            found.update({(file, page): tables for page, tables in tables.items()})
    count = collections.Counter(marked=sum(map(len, marks.values())), found=sum(map(len, found.values())))
    for place in sorted(set(marks) | set(found)):
        want, have = marks.get(place, []), found.get(place, [])
        for (rows, columns), table in zip(want, have):
            count["both"] += 1
            count["columns"] += columns == table["columns"]
            count["rows"] += abs(rows - len(table["rows"])) * 5 <= rows
            if options.list and (columns != table["columns"] or abs(rows - len(table["rows"])) * 5 > rows):
                print("differs:", *place, f"{rows} x {columns} marked, {len(table['rows'])} x {table['columns']} found")
        for what, more in (("missed", want[len(have):]), ("wrong", have[len(want):])):
            if more and options.list:
                print(f"{what}:", *place, len(more))
        if options.draw and have:
            draw(options, place, have)
    both = count["both"]
    print(f"{len(files)} files, {count['marked']} marked tables, {count['found']} found")
    print(f"found {both / max(1, count['marked']):.3f}, right {both / max(1, count['found']):.3f}; "
          f"columns {count['columns'] / max(1, both):.3f}, rows {count['rows'] / max(1, both):.3f}")


def tables_of(options, file):
    """By page, the tables of a file: how many columns, and the boxes of their rows."""
    path = os.path.join(options.contracts, file)
    with tempfile.TemporaryDirectory() as home:
        output = subprocess.run([options.casetrack, "--data-dir", home, "--json", "inspect", path], capture_output=True)
    pages = collections.defaultdict(list)
    for page in json.loads(output.stdout)["pages"]:
        tables = {}
        for block in page["blocks"]:
            if isinstance(block["kind"], dict) and "TableRow" in block["kind"]:
                row = block["kind"]["TableRow"]
                line = page["text"][:block["char_start"]].count("\n")
                table = tables.setdefault(row["table"], {"columns": 0, "rows": []})
                table["columns"] = max(table["columns"], row["last_column"])
                table["rows"].append(page["line_boxes"][line])
        if tables:
            pages[page["number"]] = [tables[number] for number in sorted(tables)]
    return pages


def draw(options, place, tables):
    import pypdfium2
    from PIL import ImageDraw
    file, page = place
    picture = pypdfium2.PdfDocument(os.path.join(options.contracts, file))[page - 1].render(scale=1).to_pil().convert("RGB")
    pen = ImageDraw.Draw(picture)
    for table in tables:
        for box in table["rows"]:
            pen.rectangle([box["left"], box["top"], box["right"], box["bottom"]], outline="red")
    os.makedirs(options.draw, exist_ok=True)
    picture.save(os.path.join(options.draw, f"{file}-{page}.png"))


if __name__ == "__main__":
    main()
