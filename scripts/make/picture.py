#!/usr/bin/env python3
"""Runs commands and draws what a terminal would show as an SVG, for the documents. It has the colours of a light and of a dark terminal, and
shows those of the reader's theme.

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
# A class of the style sheet, and its colour on a light and on a dark terminal.
COLOURS = {
    "ground": ("#ffffff", "#0d1117"), "plain": ("#1f2328", "#e6edf3"), "dim": ("#636c76", "#9da7b3"),
    "red": ("#a40e26", "#ff7b72"), "green": ("#116329", "#7ee787"), "yellow": ("#7d4e00", "#e3b341"),
    "blue": ("#0550ae", "#79c0ff"), "magenta": ("#8250df", "#d2a8ff"), "cyan": ("#1b7c83", "#76e3ea"),
}
# Those of a code, modulo 60, which makes bright ones like others (ECMA-48, SGR).
CLASSES = {31: "red", 32: "green", 33: "yellow", 34: "blue", 35: "magenta", 36: "cyan"}
# Viewers of SVG drop spaces at the beginning of a line.
SPACE = "\N{NO-BREAK SPACE}"
CODES = re.compile(r"\x1b\[([0-9;]*)m")
# Codes that end others: of the colour, of weight, of the line below.
ENDS = {39: set(range(30, 38)) | set(range(90, 98)), 22: {1, 2}, 24: {4}}


def styled(line, codes=None):
    """A line as SVG: its parts in the colour and weight of its codes. `codes` are those in force, which continue after the line."""
    drawn = []
    codes = set() if codes is None else codes
    for number, part in enumerate(CODES.split(line)):
        if number % 2:
            for code in (int(code or 0) for code in part.split(";")):
                if code == 0:
                    codes.clear()
                elif code in ENDS:
                    codes -= ENDS[code]
                else:
                    codes.add(code)
        elif part:
            colour = next((CLASSES[code % 60] for code in sorted(codes) if code % 60 in CLASSES), "dim" if 2 in codes else "plain")
            weight = ' font-weight="bold"' if 1 in codes else ""
            drawn.append(f'<tspan class="{colour}"{weight}>{html.escape(part).replace(" ", SPACE)}</tspan>')
    return "".join(drawn)


def style():
    """The style sheet, with the colours of both themes."""
    light, dark = ("".join(f".{name}{{fill:{both[look]}}}" for name, both in COLOURS.items()) for look in (0, 1))
    return f"<style>{light}@media(prefers-color-scheme:dark){{{dark}}}</style>"


def svg(lines, columns):
    """Lines that are SVG already, as the picture of a terminal."""
    width, height = round(columns * ADVANCE + 2 * MARGIN), len(lines) * LINE + 2 * MARGIN
    drawn = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">']
    drawn.append(style())
    drawn.append(f'<rect width="{width}" height="{height}" rx="8" class="ground"/>')
    drawn.append(f'<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="{FONT}">')
    for number, line in enumerate(lines, 1):
        if line:
            drawn.append(f'<text x="{MARGIN}" y="{MARGIN + number * LINE - 5}">{line}</text>')
    return "\n".join([*drawn, "</g>", "</svg>", ""])


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
        lines += [f'<tspan class="green">{html.escape(typed)}</tspan>', ""]
        lines += [*map(styled, done.stdout.rstrip().split("\n")), ""]
    with open(options.out, "w", encoding="utf-8") as file:
        file.write(svg(lines, COLUMNS))


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
