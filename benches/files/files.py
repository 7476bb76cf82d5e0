#!/usr/bin/env python3
"""Times `casetrack files` on a tree of small files, beside find, and beside fd and plocate where they are installed.

Usage: benches/files/files.py PROGRAM [--files N] [--flat] [--tree DIR] [--runs N]

Makes the tree in a temporary folder (100 files in a folder, two levels of folders, names of three words; with --flat all in one folder), or
uses one that it made in DIR before. Warms the system's cache by one walk, and prints the median of several runs of each command as a
Markdown table. What is walked is timed in turns with find. Questions of an assistant are timed in one session, as clients keep it, and the
time until a change is seen with a live folder. Needs only the standard library.
"""

import argparse
import json
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
from mcp_client import Client  # noqa: E402

WORDS = (
    "lease brandt notice draft final signed annex letter invoice order report memo minutes board budget claim deed title survey plan "
    "photo scan copy mail reply offer bid award change permit audit trial motion brief exhibit witness statement"
).split()


def make_tree(root, count, is_flat=False):
    rng = random.Random(7)
    folder = root
    root.mkdir(parents=True)
    for number in range(count):
        if number % 100 == 0 and not is_flat:
            folder = root / f"{number // 10_000:03}" / f"{number // 100 % 100:03}"
            folder.mkdir(parents=True, exist_ok=True)
        name = " ".join(rng.choice(WORDS) for _ in range(3))
        path = folder / f"{name} {number}.{rng.choice(('pdf', 'docx', 'txt', 'eml'))}"
        path.write_bytes(b"x" * rng.randrange(200))
        stamp = 1_600_000_000 + rng.randrange(100_000_000)
        os.utime(path, (stamp, stamp))


def timed(command):
    """Milliseconds, and the output."""
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=True)
    return (time.perf_counter() - started) * 1000, done.stdout


def wait_for_indexes(database):
    """Until the thread that indexes is done. Reads the database beside it."""
    done = """SELECT (SELECT max(id) FROM entries) <= names_up_to
        AND (SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name LIKE 'entries_%') = 6 FROM state"""
    started = time.perf_counter()
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    while not connection.execute(done).fetchone()[0]:
        time.sleep(0.05)
    connection.close()
    return (time.perf_counter() - started) * 1000


class Session(Client):
    """A session of an assistant, with the options of `casetrack mcp`."""

    def __init__(self, casetrack, *options, client="bench"):
        super().__init__([*casetrack, "mcp", *options], client)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--flat", action="store_true")
    parser.add_argument("--tree", type=Path)
    parser.add_argument("--runs", type=int, default=3, help="more than 3 exceed the calls that a client may make in a minute")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root, home = options.tree or Path(folder, "tree"), Path(folder, "home")
        if not root.exists():
            make_tree(root, options.files, options.flat)
        catalog = home / "catalog" / "files.sqlite"
        casetrack = [str(options.program.resolve()), "--quiet", "--data-dir", str(home), "--json"]
        times = {}

        def row(label, command, runs=options.runs):
            for _ in range(runs):
                milliseconds, output = timed(command)
                times.setdefault(label, []).append(milliseconds)
            return output

        fields = "%p %y %s %b %T@ %C@ %A@ %D %i\\n"
        find = ["find", str(root), "-printf", fields]
        subprocess.run(find, stdout=subprocess.DEVNULL, check=True)
        fd = shutil.which("fdfind") or shutil.which("fd")
        # The owner is started before anything is timed.
        subprocess.run([*casetrack, "files", "roots"], capture_output=True, check=True)
        row("find -printf of the same fields", find, 1)
        index = [*casetrack, "files", "index", str(root)]
        first = json.loads(row("files index, first", index, 1))[0]
        times["after it, until all is indexed"] = [wait_for_indexes(catalog)]
        for _ in range(options.runs):
            row("find -printf of the same fields", find, 1)
            again = json.loads(row("files index, nothing changed", index, 1))[0]
            if fd:
                row("fd, listing alone", [fd, "-uu", ".", str(root)], 1)
        assert first["added"] >= options.files and again["added"] == again["removed"] == 0, (first, again)
        row("files watch, with its walk", [*casetrack, "files", "watch", str(root)], 1)
        in_tree = ["--in", str(root)]
        for _ in range(options.runs):
            row("files find brandt, live folder", [*casetrack, "files", "find", "brandt", *in_tree], 1)
            row("files recent, live folder", [*casetrack, "files", "recent", str(root)], 1)
            row("files find, largest first, live folder", [*casetrack, "files", "find", *in_tree, "--sort", "largest"], 1)
            row("files roots, which is the cost of a command", [*casetrack, "files", "roots"], 1)
        session = Session(casetrack, "--toolsets", "time", "--root", str(root))

        def ask(label, arguments):
            _, milliseconds = session.timed("find_files_by_time", **arguments)
            times.setdefault(f"find_files_by_time in a session: {label}", []).append(milliseconds)

        for _ in range(options.runs * 10):
            for label, arguments in (
                ("name, newest first", {"name": "brandt"}),
                ("rare name, newest first", {"name": " 4711"}),
                ("name, by path", {"name": "brandt", "sort": "path_asc"}),
                ("time range, newest first", {"when": "2021"}),
                ("day, by path", {"when": "2021-03-05", "sort": "path_asc"}),
                ("changed, newest first", {"time_field": "changed"}),
                ("changed, name, oldest first", {"time_field": "changed", "name": "brandt", "sort": "time_asc"}),
                ("changed in a range, by path", {"time_field": "changed", "when": "last 7 days", "sort": "path_asc"}),
                ("created, newest first", {"time_field": "created"}),
                ("created before a range, by path", {"time_field": "created", "when": "before 2020", "sort": "path_asc"}),
                ("first seen, newest first", {"time_field": "first_seen"}),
                ("first seen, name, oldest first", {"time_field": "first_seen", "name": "brandt", "sort": "time_asc"}),
                ("first seen in a range, by path", {"time_field": "first_seen", "when": "last 7 days", "sort": "path_asc"}),
            ):
                ask(label, arguments)
        # Each walks the folder, because nothing reports that a file was read.
        for _ in range(options.runs):
            ask("accessed, newest first, with a walk", {"time_field": "accessed"})
        for number in range(options.runs):
            name = f"seen at once {number}"
            (next(root.glob("*/*/"), root) / name).write_bytes(b"x")
            started = time.perf_counter()
            while name not in json.dumps(session.call("find_files_by_time", name=name)):
                assert time.perf_counter() - started < 10, "a change is not seen"
            times.setdefault("until a new file is seen", []).append((time.perf_counter() - started) * 1000)
        session.close()
        plocate = shutil.which("plocate")
        if plocate and shutil.which("updatedb"):
            database = str(Path(folder, "plocate.db"))
            build = ["updatedb", "--require-visibility", "no", "-U", str(root), "-o", database, "--prunepaths", ""]
            row("updatedb (plocate)", build, 1)
            row("plocate brandt, first 50", [plocate, "-d", database, "-l", "50", "brandt"])
        for made in root.rglob("seen at once *") if options.tree else ():
            made.unlink()
        subprocess.run([*casetrack, "stop"], capture_output=True, check=True)
        entries = first["files"] + first["folders"]
        print(f"{entries:,} entries, {os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}, {catalog.stat().st_size / entries:.0f} bytes an entry on disk\n")
        print("| | ms |\n|---|---|")
        for label, milliseconds in times.items():
            print(f"| {label} | {statistics.median(milliseconds):,.0f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
