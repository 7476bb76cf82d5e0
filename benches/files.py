#!/usr/bin/env python3
"""Times `casetrack files` on a tree of small files, beside find, and beside fd and plocate where they are installed.

Usage: benches/files.py PROGRAM [--files N] [--runs N]

Makes the tree in a temporary folder (100 files in a folder, two levels of folders, names of three words), warms the system's cache by one
walk, and prints the median of several runs of each command as a Markdown table. Needs only the standard library.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = (
    "lease brandt notice draft final signed annex letter invoice order report memo minutes board budget claim deed title survey plan "
    "photo scan copy mail reply offer bid award change permit audit trial motion brief exhibit witness statement"
).split()


def make_tree(root, count):
    rng = random.Random(7)
    for number in range(count):
        folder = root / f"{number // 10_000:03}" / f"{number // 100 % 100:03}"
        if number % 100 == 0:
            folder.mkdir(parents=True, exist_ok=True)
        name = " ".join(rng.choice(WORDS) for _ in range(3))
        path = folder / f"{name} {number}.{rng.choice(('pdf', 'docx', 'txt', 'eml'))}"
        path.write_bytes(b"x" * rng.randrange(200))
        stamp = 1_600_000_000 + rng.randrange(100_000_000)
        os.utime(path, (stamp, stamp))


def median(command, runs):
    """Milliseconds, and the output of the last run."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        done = subprocess.run(command, capture_output=True, check=True)
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times), done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root, home = Path(folder, "tree"), Path(folder, "home")
        make_tree(root, options.files)
        casetrack = [str(options.program.resolve()), "--quiet", "--data-dir", str(home), "--json"]
        rows = []

        def row(label, command, runs=options.runs):
            milliseconds, output = median(command, runs)
            rows.append((label, milliseconds))
            return output

        fields = "%p %y %s %b %T@ %C@ %A@ %D %i\\n"
        subprocess.run(["find", str(root), "-printf", fields], stdout=subprocess.DEVNULL, check=True)
        row("find -printf of the same fields", ["find", str(root), "-printf", fields])
        fd = shutil.which("fdfind") or shutil.which("fd")
        if fd:
            row("fd, listing alone", [fd, "-uu", ".", str(root)])
        # The owner is started before anything is timed.
        subprocess.run([*casetrack, "files", "roots"], capture_output=True, check=True)
        first = json.loads(row("files index, first", [*casetrack, "files", "index", str(root)], 1))[0]
        again = json.loads(row("files index, nothing changed", [*casetrack, "files", "index", str(root)]))[0]
        assert first["added"] >= options.files and again["added"] == again["changed"] == 0, (first, again)
        in_tree = ["--in", str(root)]
        row("files find brandt, with a walk", [*casetrack, "files", "find", "brandt", *in_tree])
        row("files find brandt --cached", [*casetrack, "files", "find", "brandt", "--cached", *in_tree])
        row("files recent --cached", [*casetrack, "files", "recent", "--cached", str(root)])
        row("files roots, which is the cost of a command", [*casetrack, "files", "roots"])
        plocate = shutil.which("plocate")
        if plocate and shutil.which("updatedb"):
            database = str(Path(folder, "plocate.db"))
            build = ["updatedb", "--require-visibility", "no", "-U", str(root), "-o", database, "--prunepaths", ""]
            row("updatedb (plocate)", build, 1)
            row("plocate brandt, first 50", [plocate, "-d", database, "-l", "50", "brandt"])
        catalog = home / "catalog" / "files.sqlite"
        subprocess.run([*casetrack, "stop"], capture_output=True, check=True)
        entries = first["files"] + first["folders"]
        print(f"{entries:,} entries, {os.cpu_count()} cores, {catalog.stat().st_size / entries:.0f} bytes an entry on disk\n")
        print("| | ms |\n|---|---|")
        for label, milliseconds in rows:
            print(f"| {label} | {milliseconds:,.0f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
