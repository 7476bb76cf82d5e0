#!/usr/bin/env python3
"""Runs commands and draws what a terminal would show as an SVG, for the documents.

usage: picture.py --program PROGRAM --data-dir DIR --out FILE.svg -- COMMAND [-- COMMAND]...
COMMAND are the arguments of one call of casetrack, shown as they would be typed. Blank lines of the output are kept; nothing else is
drawn than what the program printed. Needs only the standard library.
"""

import argparse
import html
import os
import shlex
import subprocess
import sys
import textwrap

COLUMNS = 110
# A character of the usual monospaced fonts is 0.6 em wide.
FONT, ADVANCE, LINE, MARGIN = 13, 7.8, 18, 18
COLOURS = {"prompt": "#7ee787", "quote": "#e6edf3", "citation": "#79c0ff", "plain": "#9da7b3"}


def kind(line):
    if line.startswith("$ "):
        return "prompt"
    if line.lstrip().startswith("│") or line.startswith("Clean"):
        return "quote"
    return "citation" if line[:1].isdigit() and line[1:2] == "." else "plain"


def main():
    own, *commands = [list(part) for part in split(sys.argv[1:])]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--program", "--data-dir", "--out"):
        parser.add_argument(option, required=True)
    options = parser.parse_args(own)
    lines = []
    for command in commands:
        call = [options.program, "--data-dir", options.data_dir, "-q", *command]
        done = subprocess.run(call, capture_output=True, text=True, env={**os.environ, "COLUMNS": str(COLUMNS), "NO_COLOR": "1"})
        if done.returncode != 0:
            sys.exit(f"picture.py: {shlex.join(command)} failed:\n{done.stderr}")
        lines += ["$ casetrack " + " ".join(f'"{word}"' if " " in word else word for word in command), ""]
        for line in done.stdout.rstrip().split("\n"):
            # A narrow terminal breaks long lines as this does.
            lines += textwrap.wrap(line, COLUMNS, drop_whitespace=False, subsequent_indent="   ") or [""]
        lines.append("")
    width, height = round(COLUMNS * ADVANCE + 2 * MARGIN), len(lines) * LINE + 2 * MARGIN
    drawn = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">']
    drawn.append(f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>')
    drawn.append(f'<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="{FONT}" xml:space="preserve">')
    for number, line in enumerate(lines, 1):
        if line:
            y = MARGIN + number * LINE - 5
            drawn.append(f'<text x="{MARGIN}" y="{y}" fill="{COLOURS[kind(line)]}">{html.escape(line)}</text>')
    with open(options.out, "w", encoding="utf-8") as file:
        file.write("\n".join([*drawn, "</g>", "</svg>", ""]))


def split(words):
    """The words between each `--`."""
    part = []
    for word in words:
        if word == "--":
            yield part
            part = []
        else:
            part.append(word)
    yield part


if __name__ == "__main__":
    main()
