#!/usr/bin/env python3
"""Runs commands and draws what a terminal would show as an SVG, for the documents.

usage: picture.py --program PROGRAM --data-dir DIR --out FILE.svg -- COMMAND [-- COMMAND]...
COMMAND are the arguments of one call of casetrack, shown as they would be typed. Blank lines of the output are kept; nothing else is
drawn than what the program printed. Needs only the standard library.
"""

import argparse
import html
import os
import re
import shlex
import subprocess
import sys

COLUMNS = 100
# A character of the usual monospaced fonts is 0.6 em wide.
FONT, ADVANCE, LINE, MARGIN = 13, 7.8, 18, 18
PROMPT, PLAIN, DIM = "#7ee787", "#e6edf3", "#9da7b3"
# Colours of a usual palette, by their codes (ECMA-48, SGR).
PALETTE = {31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea"}
# Viewers of SVG drop spaces at the beginning of a line.
SPACE = "\N{NO-BREAK SPACE}"
CODES = re.compile(r"\x1b\[([0-9;]*)m")


def styled(line):
    """A line as SVG: its parts in the colour and weight that its codes ask for."""
    drawn, codes = [], set()
    for number, part in enumerate(CODES.split(line)):
        if number % 2:
            new = {int(code or 0) for code in part.split(";")}
            codes = set() if 0 in new else codes | new
        elif part:
            colour = next((PALETTE[code % 60] for code in codes if code % 60 in PALETTE), DIM if 2 in codes else PLAIN)
            weight = ' font-weight="bold"' if 1 in codes else ""
            drawn.append(f'<tspan fill="{colour}"{weight}>{html.escape(part).replace(" ", SPACE)}</tspan>')
    return "".join(drawn)


def main():
    own, *commands = [list(part) for part in split(sys.argv[1:])]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--program", "--data-dir", "--out"):
        parser.add_argument(option, required=True)
    options = parser.parse_args(own)
    lines = []
    for command in commands:
        call = [options.program, "--data-dir", options.data_dir, "-q", "--color", "always", *command]
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"COLUMNS": str(COLUMNS)}
        done = subprocess.run(call, capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            sys.exit(f"picture.py: {shlex.join(command)} failed:\n{done.stderr}")
        typed = "$ casetrack " + " ".join(f'"{word}"' if " " in word else word for word in command)
        lines += [f'<tspan fill="{PROMPT}">{html.escape(typed)}</tspan>', ""]
        lines += [*map(styled, done.stdout.rstrip().split("\n")), ""]
    width, height = round(COLUMNS * ADVANCE + 2 * MARGIN), len(lines) * LINE + 2 * MARGIN
    drawn = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">']
    drawn.append(f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>')
    drawn.append(f'<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="{FONT}">')
    for number, line in enumerate(lines, 1):
        if line:
            y = MARGIN + number * LINE - 5
            drawn.append(f'<text x="{MARGIN}" y="{y}">{line}</text>')
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
