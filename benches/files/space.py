#!/usr/bin/env python3
"""Times sums and searches of resource sets on a tree of small files, beside du and dust (`cargo install du-dust`).

Usage: benches/files/space.py PROGRAM [--files N] [--tree DIR] [--runs N]

Makes the tree of benches/files/files.py in a temporary folder, or uses one that it made in DIR before. Fills a set from all of it, in one session as
clients keep it, warms the system's cache by one walk, and prints the medians in turns as a Markdown table. Needs only the standard library.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from files import Session, make_tree, timed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--tree", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root, home = options.tree or Path(folder, "tree"), Path(folder, "home")
        if not root.exists():
            make_tree(root, options.files)
        root = root.resolve()
        casetrack = [str(options.program.resolve()), "--quiet", "--data-dir", str(home)]
        session, times = Session(casetrack, "--toolsets", "space"), {}

        def note(label, milliseconds):
            times.setdefault(label, []).append(milliseconds)

        note("index, first, until its job has ended", session.timed("index", root=str(root), **{"async": False})[1])
        for name, parent in (("all", None), ("top", "all")):
            session.call("resource-set-create", name=name)
            if parent:
                session.call("resource-set-add-child", parent=name, child=parent)
        source = {"name": "s", "type": "filesystem.watch", "target_set": "all", "config": {"path": str(root)}}
        started = time.perf_counter()
        session.call("plan-create", name="p", mode="continuous", sources=[source])
        session.call("plan-execute", name="p")
        while session.call("plan-get", name="p")["executions"][0]["entries_processed"] == 0:
            time.sleep(0.05)
        note("continuous plan, until its set is filled", (time.perf_counter() - started) * 1000)
        note("resource-sum of size, first", session.timed("resource-sum", name="top", metric="size")[1])
        subprocess.run(["du", "-s", str(root)], capture_output=True, check=True)
        peers = [("du -s --apparent-size", ["du", "-s", "--apparent-size", str(root)])]
        dust = shutil.which("dust")
        if dust:
            peers.append(("dust", [dust, "-s", "-d", "1", str(root)]))
        else:
            print("dust is missing, so the table lacks it: cargo install du-dust", file=sys.stderr)
        for _ in range(options.runs):
            for label, command in peers:
                note(label, timed(command)[0])
            note("disk_usage, which walks the folder unless it is live", session.timed("disk_usage", path=str(root))[1])
            for _ in range(10):
                for label, tool, arguments in (
                    ("resource-sum of size over the graph", "resource-sum", {"name": "top", "metric": "size"}),
                    ("resource-search, largest first", "resource-search", {"name": "all"}),
                    ("resource-search, name contains, by name", "resource-search", {"name": "all", "name_contains": "brandt", "sort_by": "name"}),
                    ("resource-search, extension and size, by time", "resource-search", {"name": "all", "extension": "pdf", "min_size": 100, "sort_by": "mtime"}),
                    ("resource-fuzzy-match, regex", "resource-fuzzy-match", {"name": "all", "field": "name", "pattern": r"bran.t \d+5\.pdf$", "mode": "regex"}),
                ):
                    note(label, session.timed(tool, **arguments)[1])
        before = session.call("resource-sum", name="top", metric="count")["value"]
        for number in range(options.runs):
            made = next(root.glob("*/*/")) / f"seen at once {number}"
            made.write_bytes(b"x")
            started, before = time.perf_counter(), before + 1
            while session.call("resource-sum", name="top", metric="count")["value"] != before:
                assert time.perf_counter() - started < 30, "a change is not seen"
                time.sleep(0.01)
            note("until a new file is in the set", (time.perf_counter() - started) * 1000)
        totals = session.call("resource-sum", name="top", metric="count")["value"]
        session.close()
        for made in root.rglob("seen at once *") if options.tree else ():
            made.unlink()
        subprocess.run([*casetrack, "stop"], capture_output=True, check=True)
        print(f"{totals:,} entries, {os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}\n")
        print("| | ms |\n|---|---|")
        for label, milliseconds in times.items():
            print(f"| {label} | {statistics.median(milliseconds):,.0f} |")
        if not dust:
            print("| dust | not installed |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
