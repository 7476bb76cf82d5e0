#!/usr/bin/env python3
"""Follows pages of the book word for word: runs their commands in order and compares the output that they show with the real one.

usage: follow.py PAGE... --home DIR [--sample DIR] -- SHELL...
SHELL starts a shell that takes a line as its last argument, such as `bash -c`, or chroot and `bash -c`. --home is the home of its user
as this script sees it. Each line runs in a terminal of its own, in that folder; questions are answered with yes. With --sample, every page
begins with the sample matter in ~/harbour-point, unless the page makes the matter itself; afterwards the matter is deleted. Fails if a line
ends with an error that the page does not show, or if a page shows output that does not appear. `…` in shown output omits any text.
IDs, times, durations and sizes may differ. Needs only the standard library.

A line with a placeholder, such as NAME, does not run. Comments in a page steer this script:
  <!-- save as FILE -->  the next block is written to this file
  <!-- not run -->       the next block is neither run nor compared: it needs another machine, more files, or a second person
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

TERMINAL = Path(__file__).resolve().parents[1] / "package" / "terminal.py"
MATTER = "Harbour Point"
CALL = re.compile(r"(casetrack|cd|cp|sed|mkdir) ")
# Calls that need an administrator, a network or a person. They do not run.
FOREIGN = re.compile(r"(sudo|python3|pip|npm|tar|read|export|curl|claude|psql|createdb) ")
PLACEHOLDER = re.compile(r"(?<![\w\"'./-])[A-Z]{2,}(?![\w.])")
# Statuses of a command that did its work: files that could not be read, and quotations that differ, give 3.
DONE = (0, 3)
BUSY = "is being used at this moment"
SAME = [
    (r"\x1b\[[0-9;?]*[A-Za-z]", ""),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?Z)?", "TIME"),
    (r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8}([0-9a-f]{56}|-[0-9a-f-]{27})?\b", "ID"),
    (r"\b[\d.]+ (ms|seconds?|minutes?|kB|MB|bytes)\b", r"N \1"),
    (r"\s*│\s*|\s+", " "),
]


def blocks(text):
    """The code blocks of a page: each with its lines and the comment that steers it. A block in a list is indented more."""
    steer, lines, fence = None, [], False
    for line in [*text.split("\n"), ""]:
        is_fence = line.strip().startswith("```")
        if is_fence or not fence and not re.match(r" {4,}\S", line):
            if lines and (is_fence or line.strip() or len(lines[0]) - len(lines[0].lstrip()) < 4 or fence):
                yield steer, [part.strip() if not fence else part for part in lines]
                steer, lines = None, []
            fence = fence != is_fence
            comment = re.match(r"\s*<!-- (save as \S+|not run) -->", line)
            steer = comment[1] if comment else steer
        if not is_fence and (fence or re.match(r" {4,}\S", line)):
            lines.append(line)


def calls(lines):
    """The lines of a block that call a program, each joined with its continuation. Empty if the block is output."""
    joined = "\n".join(lines).replace("\\\n", " ").split("\n")
    is_call = CALL.match(joined[0]) or FOREIGN.match(joined[0])
    return [re.sub(r"\s{2,}#.*", "", line) for line in joined] if is_call else []


def plain(text, home):
    for pattern, to in [(re.escape(str(home)), "/home/ann"), *SAME]:
        text = re.sub(pattern, to, text)
    return text.strip()


def missing(shown, real, home):
    """The first part of the shown output that is not in the real one, behind the parts before it."""
    rest = plain(real, home)
    for part in plain("\n".join(shown), home).split("…"):
        if part := part.strip():
            _, found, rest = rest.partition(part)
            if not found:
                return part
    return None


class Reader:
    def __init__(self, shell, home):
        self.shell, self.home, self.folder, self.problems = shell, home, "~", []

    def run(self, line):
        command = [sys.executable, str(TERMINAL), *self.shell, f"cd {self.folder} && {line}"]
        for _ in range(30):
            done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            # The watch of the folder may be reading a change. The program reports that, and a person tries again.
            if BUSY not in done.stdout:
                break
            time.sleep(1)
        if line.startswith("cd "):
            self.folder = line[3:]
        return done.returncode, done.stdout

    def follow(self, page):
        """Runs the page. A failure is a problem unless the page shows it."""
        pending, real = [], ""
        for steer, lines in blocks(page.read_text(encoding="utf-8")):
            if steer and steer.startswith("save as "):
                indent = len(lines[0]) - len(lines[0].lstrip())
                (self.home / steer[8:]).write_text("".join(f"{line[indent:]}\n" for line in lines), encoding="utf-8")
            elif steer:
                continue
            elif commands := calls(lines):
                self.problems += pending
                pending, real = [], ""
                for command in commands:
                    if not CALL.match(command) or PLACEHOLDER.search(command):
                        continue
                    status, output = self.run(command)
                    print(f"$ {command}\n{output}")
                    real += output
                    if status not in DONE:
                        pending.append(f"{page.name}: `{command}` ends with status {status}: {output.strip()[:300]}")
            elif real:
                if (lacking := missing(lines, real, self.home)) is None:
                    pending = []
                else:
                    self.problems.append(f"{page.name}: shows output that does not appear: {lacking[:300]}")
                    pending = []
        self.problems += pending
        self.folder = "~"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--home", required=True, type=Path)
    parser.add_argument("--sample", type=Path)
    options, shell = parser.parse_args(sys.argv[1 : sys.argv.index("--")]), sys.argv[sys.argv.index("--") + 1 :]
    reader = Reader(shell, options.home)
    for page in options.pages:
        makes_matter = re.search(rf'casetrack (new "{MATTER}"|start )', page.read_text(encoding="utf-8"))
        if options.sample:
            shutil.rmtree(options.home / "harbour-point", ignore_errors=True)
            shutil.copytree(options.sample, options.home / "harbour-point")
            owner = options.home.stat()
            for path in [options.home / "harbour-point", *(options.home / "harbour-point").rglob("*")]:
                os.chown(path, owner.st_uid, owner.st_gid)
            if not makes_matter:
                reader.run(f'casetrack start ~/harbour-point --name "{MATTER}" --no-connect')
        reader.follow(page)
        if options.sample:
            reader.run(f'casetrack delete "{MATTER}" --yes; casetrack unwatch ~/harbour-point')
    for problem in reader.problems:
        print(problem, file=sys.stderr)
    if reader.problems:
        sys.exit(f"follow.py: {len(reader.problems)} problem(s)")


if __name__ == "__main__":
    main()
