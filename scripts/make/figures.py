#!/usr/bin/env python3
"""Fills the tables of docs/performance.md from benches/results.json. Needs only the standard library.

    python3 scripts/make/figures.py            fills the tables
    python3 scripts/make/figures.py --check    fails if a table is stale, if a figure is missing, or if another page states a measured figure

A table stands between `<!-- figures NAME -->` and `<!-- /figures -->`. benches/results.json has

    machine   object   "processor", "cores", "memory", "system": the one machine of all figures
    date      text     the day of the measurement, YYYY-MM-DD
    commit    text     the measured commit
    rows      list     the figures: "table" (the NAME), "name", "value", "unit", "command" (that repeats it)

A value is a number, or null until it is measured; then the page has "not measured", and the check fails.
"""

import argparse
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benches" / "results.json"
PAGE = ROOT / "docs" / "performance.md"
TABLE = re.compile(r"(<!-- figures ([\w-]+) -->\n).*?(<!-- /figures -->)", re.DOTALL)
MISSING = "not measured"
# Measured figures. Limits ("10 MB", "two seconds", "30m") are none.
FIGURE = re.compile(r"\b\d[\d,.]*[ \u00a0](?:s|MB/s|GB/s|(?:pages|chunks|passages|files)(?:/s| a second| per second))(?![\w/])|\b\d[\d,.]*[ \u00a0]?ms\b|\bp(?:50|95|99)\b|\brecall\b[^.\n]{0,40}?(?:\b0?\.\d|\d %)", re.IGNORECASE)
CODE = re.compile(r"^ *(```|~~~).*?^ *\1[^\n]*$|^(?: {4,}|\t)[^\n]*|``[^\n]+?``|`[^`\n]+`|<!--.*?-->|\]\([^)]*\)", re.MULTILINE | re.DOTALL)
DIGITS = re.compile(r"\d{4}-\d{2}-\d{2}")
COMMIT = re.compile(r"[0-9a-f]{7,40}")


def written(value, unit):
    if value is None:
        return MISSING
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.4f}".rstrip("0").rstrip(".")
    return f"{text} {unit}".rstrip()


def cell(text):
    return str(text).replace("|", "\\|")


def machine(results):
    place = results["machine"]
    rows = [(name.capitalize(), place[name]) for name in ("processor", "cores", "memory", "system")]
    yield "| | |"
    yield "|---|---|"
    for name, value in [*rows, ("Date", results["date"]), ("Build", results["commit"])]:
        yield f"| {name} | {cell(MISSING if value is None else value)} |"


def figures(rows):
    yield "| measured | result |"
    yield "|---|---|"
    for row in rows:
        yield f"| {cell(row['name'])} | {written(row['value'], row['unit'])} |"


def commands(rows):
    yield "| tables | command |"
    yield "|---|---|"
    by_command = {}
    for row in rows:
        by_command.setdefault(row["command"], []).append(row["table"])
    for command, tables in by_command.items():
        yield f"| {', '.join(dict.fromkeys(tables))} | `{cell(command)}` |"


def filled(text, results):
    """The page with its tables, and the names of the tables."""
    names = []

    def table(match):
        start, name, end = match.groups()
        names.append(name)
        rows = [row for row in results["rows"] if row["table"] == name]
        if name == "machine":
            lines = machine(results)
        elif name == "commands":
            lines = commands(results["rows"])
        elif rows:
            lines = figures(rows)
        else:
            sys.exit(f"figures.py: docs/performance.md has a table {name}, and benches/results.json has no rows for it")
        return start + "\n" + "\n".join(lines) + "\n\n" + end

    return TABLE.sub(table, text), names


def problems_of(results, names):
    place = results["machine"]
    missing = [f"machine.{name}" for name in ("processor", "cores", "memory", "system") if not place.get(name)]
    missing += ["date"] if not DIGITS.fullmatch(results["date"] or "") else []
    missing += ["commit"] if not COMMIT.fullmatch(results["commit"] or "") else []
    for row in results["rows"]:
        missing += [] if isinstance(row["value"], (int, float)) else [f"{row['table']}: {row['name']}"]
    yield from (f"benches/results.json: not measured: {name}" for name in missing)
    yield from (f"benches/results.json: a row of the table {row['table']}, which docs/performance.md lacks" for row in results["rows"] if row["table"] not in names)


def figures_elsewhere():
    for page in sorted((ROOT / "docs").glob("*.md")):
        if page == PAGE:
            continue
        text = CODE.sub(lambda match: "\n" * match.group().count("\n"), page.read_text(encoding="utf-8"))
        for match in FIGURE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"docs/{page.name}:{line}: a measured figure belongs to docs/performance.md: {match.group()!r}"


def main():
    parser = argparse.ArgumentParser(description="Fills the tables of docs/performance.md from benches/results.json.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if something is stale, missing or in another page")
    check = parser.parse_args().check
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    old = PAGE.read_text(encoding="utf-8")
    new, names = filled(old, results)
    if not check:
        PAGE.write_text(new, encoding="utf-8")
        print("Filled the tables of docs/performance.md." if new != old else "The tables of docs/performance.md are up to date.")
        return
    problems = [*problems_of(results, names), *figures_elsewhere()]
    if new != old:
        problems.append("docs/performance.md: a table is stale: run scripts/make/figures.py")
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(f"figures.py: {len(problems)} problem(s)")
    print("All figures are measured, and stand in docs/performance.md only.")


if __name__ == "__main__":
    main()
