#!/usr/bin/env python3
"""Shows the commands that people use most, as a terminal shows them, in docs/terminal.md. Needs tmux and the standard library.

    python3 scripts/terminal_captures.py [--binary PROGRAM] [--check]

Runs the program on a copy of the sample matter in terminals of 80 and 120 columns, and puts what these show between the two marks in the
document. With --check nothing is written, and lines that are wider than their terminal, or words cut at its edge, are an error.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "terminal.md"
BEGIN, END = "<!-- captures: begin -->\n", "<!-- captures: end -->\n"
# As long as what is shown in its place, so that lines break where they would break there.
HOME, SHOWN_HOME = "/tmp/anna", "/home/ann"
PATIENCE = 300

# Title, command, and when to take the picture: at a text that is on the way to the end, else at the end.
SCENES = [
    ("The program alone", "casetrack", None),
    ("While files are read", 'casetrack start "Harbour Point"', "passages/s"),
    ("After the first start", "", None),
    ("Search", 'casetrack search "late payment interest after the amendment" -k 3', None),
    ("A result by its number", "casetrack show 2", None),
    ("Summary", "casetrack summary", None),
    ("The contracts in a table", "casetrack sheet --columns parties,agreement_date,governing_law", None),
    ("Assistants", "casetrack connect", None),
    ("What is missing", "casetrack doctor", None),
    ("An error", "casetrack search rent -c Harbor", None),
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

    def screen(self):
        return [line.rstrip() for line in self.tmux("capture-pane", "-p", "-t", "a").rstrip("\n").split("\n")]

    def type(self, text):
        self.tmux("send-keys", "-t", "a", text, "Enter")

    def wait(self, is_there):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            screen = "\n".join(self.screen()).rstrip()
            if is_there(screen):
                return screen
            time.sleep(0.05)
        sys.exit(f"The terminal does not show what was expected after {PATIENCE} s:\n{screen}")

    def end(self):
        self.tmux("kill-server")


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
        for title, command, at in SCENES:
            if command:
                terminal.type("clear")
                terminal.wait(lambda screen: screen == "$")
                terminal.type(command)
            if at:
                screen = terminal.wait(lambda screen: at in screen)
            else:
                # A question of `start` is answered with no.
                screen = terminal.wait(lambda screen: is_done(screen) or screen.endswith("[y/N]"))
                if screen.endswith("[y/N]"):
                    terminal.type("n")
                    screen = terminal.wait(is_done)
                screen = screen.rstrip("$").rstrip()
            taken.append((title, screen.replace(HOME, SHOWN_HOME)))
    finally:
        subprocess.run([binary, "stop", "--data-dir", f"{HOME}/.local/share/casetrack/data"], capture_output=True)
        terminal.end()
        shutil.rmtree(HOME, ignore_errors=True)
    return taken


def cut_words(columns, screen):
    """Words that go over the edge, which only paths and commands to copy may."""
    lines = screen.split("\n")
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
    for columns in (80, 120):
        for title, screen in pictures(columns, str(Path(arguments.binary).resolve())):
            text += f"\n### {title}, {columns} columns\n\n```\n{screen}\n```\n"
            problems += [f"{title}, {columns} columns: {line}" for line in cut_words(columns, screen)]
    if problems:
        sys.exit("Words are cut:\n" + "\n".join(problems))
    if not arguments.check:
        before, rest = DOCUMENT.read_text(encoding="utf-8").split(BEGIN)
        after = rest.split(END)[1]
        DOCUMENT.write_text(before + BEGIN + text + "\n" + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
