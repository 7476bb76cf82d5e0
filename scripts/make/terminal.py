#!/usr/bin/env python3
"""Shows the commands that people use most, as a terminal shows them, in docs/terminal.md, and in colour in docs/images. Needs tmux and
the standard library.

    python3 scripts/make/terminal.py [--binary PROGRAM] [--check]

Runs the program on a copy of the sample matter in terminals of 80 and 120 columns. Words that are cut at the edge of either are an error.
Puts what the one of 80 columns shows between the two marks in the document, and draws it. With --check nothing is written.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from picture import CODES, styled, svg

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "terminal.md"
IMAGES = ROOT / "docs" / "images"
BEGIN, END = "<!-- captures: begin -->\n", "<!-- captures: end -->\n"
# As long as what is shown in its place, so that lines break where they would break there.
HOME, SHOWN_HOME = "/tmp/anna", "/home/ann"
PATIENCE = 300

# The widths that are tried; the first is shown.
WIDTHS = (80, 120)
# Title, name of the picture, command, and when to take the picture: at a text that is on the way to the end, else at the end.
SCENES = [
    ("The program alone", "alone", "casetrack", None),
    ("While files are read", "progress", 'casetrack start "Harbour Point"', "passages/s"),
    ("After the first start", "start", "", None),
    ("Search", "search", 'casetrack search "late payment interest after the amendment" -k 3', None),
    ("A result by its number", "show", "casetrack show 2", None),
    ("Summary", "summary", "casetrack summary", None),
    ("The contracts in a table", "sheet", "casetrack sheet --columns parties,agreement_date,governing_law", None),
    ("Assistants", "connect", "casetrack connect", None),
    ("What is missing", "doctor", "casetrack doctor", None),
    ("An error: a name that is not there", "error-name", "casetrack search rent -c Harbor", None),
    ("An error: a folder that is not there", "error-folder", "casetrack start ~/Harbor", None),
    ("An error: a result that is not there", "error-result", "casetrack show 9", None),
    ("An error: a configuration that cannot be read", "error-connect", "echo '{' > .cursor/mcp.json; casetrack connect cursor", None),
]


class Terminal:
    """A terminal of tmux, whose server is this script's own."""

    def __init__(self, columns, environment):
        self.name = f"casetrack-captures-{os.getpid()}"
        shell = ["env", "-i", *(f"{name}={value}" for name, value in environment.items()), "bash", "--norc"]
        self.tmux("new-session", "-d", "-x", str(columns), "-y", "200", "-s", "a", "-c", HOME, *shell)

    def tmux(self, *arguments):
        command = ["tmux", "-L", self.name, "-f", "/dev/null", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def lines(self):
        """What is on the screen, with the codes of its colours."""
        return self.tmux("capture-pane", "-e", "-p", "-t", "a").rstrip("\n").split("\n")

    def type(self, text):
        self.tmux("send-keys", "-t", "a", text, "Enter")

    def wait(self, is_there):
        """The lines as soon as what they say is what is waited for."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            lines = self.lines()
            while lines and not plain(lines[-1]):
                lines.pop()
            if is_there("\n".join(map(plain, lines))):
                return lines
            time.sleep(0.05)
        sys.exit(f"The terminal does not show what was expected after {PATIENCE} s:\n" + "\n".join(map(plain, lines)))

    def end(self):
        self.tmux("kill-server")


def plain(line):
    return CODES.sub("", line).rstrip()


def is_done(screen):
    return screen.split("\n")[-1] == "$"


def pictures(columns, binary):
    """What a terminal of this width shows for each scene."""
    shutil.rmtree(HOME, ignore_errors=True)
    os.makedirs(f"{HOME}/.cursor")
    shutil.copytree(ROOT / "samples" / "harbour-point", f"{HOME}/Harbour Point")
    # As a package puts it there.
    for folder in ("bin", "share/casetrack", "lib"):
        os.makedirs(f"{HOME}/.local/{folder}")
    shutil.copy(binary, f"{HOME}/.local/bin/casetrack")
    shutil.copytree(ROOT / "models", f"{HOME}/.local/share/casetrack/models")
    shutil.copytree(Path.home() / ".cache" / "casetrack" / "pdfium", f"{HOME}/.local/lib/casetrack")
    environment = {
        "HOME": HOME, "PATH": f"{HOME}/.local/bin:/usr/bin:/bin", "TERM": "screen-256color", "PS1": "$ ", "LANG": "C.UTF-8",
        "CASETRACK_PAGER": "cat",
    }
    terminal = Terminal(columns, environment)
    taken = []
    try:
        terminal.wait(is_done)
        for title, name, command, at in SCENES:
            if command:
                # At the beginning it is clear, which would be taken for the answer.
                if taken:
                    terminal.type("clear")
                    terminal.wait(lambda screen: screen == "$")
                terminal.type(command)
            if at:
                lines = terminal.wait(lambda screen: at in screen)
            else:
                # A question of `start` is answered with no.
                lines = terminal.wait(lambda screen: is_done(screen) and screen != "$" or screen.endswith("[y/N]"))
                if plain(lines[-1]).endswith("[y/N]"):
                    terminal.type("n")
                    lines = terminal.wait(is_done)
                lines.pop()
                while lines and not plain(lines[-1]):
                    lines.pop()
            taken.append((title, name, [line.replace(HOME, SHOWN_HOME) for line in lines]))
    finally:
        subprocess.run([binary, "stop", "--data-dir", f"{HOME}/.local/share/casetrack/data"], capture_output=True)
        terminal.end()
        shutil.rmtree(HOME, ignore_errors=True)
    return taken


def draw(name, columns, lines):
    """Writes the picture of a scene; the link to it."""
    codes = set()
    file = IMAGES / f"terminal-{name}.svg"
    file.write_text(svg([styled(line.rstrip(), codes) for line in lines], columns), encoding="utf-8")
    return f"[In colour](images/{file.name})"


def cut_words(columns, lines):
    """Words that go over the edge, which only paths and commands to copy may."""
    for line, following in zip(lines, lines[1:]):
        is_full = len(line) == columns and line[-1].isalnum() and following[:1].isalnum()
        if is_full and not any(mark in line for mark in ("/", '"', "casetrack ")):
            yield line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = os.environ.get("CARGO_TARGET_DIR", str(Path.home() / ".cache" / "casetrack-target"))
    parser.add_argument("--binary", default=f"{target}/release/casetrack", help="the program")
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    text, problems = "", []
    for columns in WIDTHS:
        for title, name, lines in pictures(columns, str(Path(arguments.binary).resolve())):
            shown = list(map(plain, lines))
            problems += [f"{title}, {columns} columns: {line}" for line in cut_words(columns, shown)]
            if columns == WIDTHS[0] and not arguments.check:
                link = draw(name, columns, lines)
                text += f"\n### {title}\n\n{link}\n\n```\n" + "\n".join(shown) + "\n```\n"
    if problems:
        sys.exit("Words are cut:\n" + "\n".join(problems))
    if not arguments.check:
        before, rest = DOCUMENT.read_text(encoding="utf-8").split(BEGIN)
        after = rest.split(END)[1]
        DOCUMENT.write_text(before + BEGIN + text + "\n" + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
