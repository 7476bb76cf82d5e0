#!/usr/bin/env python3
"""Times searchFiles in sessions of assistants, on text files of made-up sentences.

Usage: benches/files/smart_search.py PROGRAM [--passages N] [--files N] [--queries N]

Writes files with about so many passages together, has indexFolder read them, and asks each query once: three words of one passage, so that
each has an answer. A client may ask 60 times within a minute, so a client of another name comes after 50. Prints how long the index took, how many passages there
are, and the percentiles. Reading 100,000 passages takes most of an hour on two cores. Needs only the standard library.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from files import WORDS, Session

# Words in a passage, about: the passages that are counted at the end say how many there were.
IN_A_PASSAGE = 255
IN_A_SESSION = 50
SYLLABLES = "ba co di fu ga he ki lo mu na pe ri so ta ve wo za".split()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=2_000)
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args()
    rng = random.Random(7)
    # Few words are frequent and many are rare, as in any text (Zipf).
    words = WORDS + ["".join(rng.choices(SYLLABLES, k=rng.randrange(2, 5))) for _ in range(20_000)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    with tempfile.TemporaryDirectory() as folder:
        root, home = Path(folder, "tree"), Path(folder, "home")
        root.mkdir()
        queries = []
        for number in range(options.files):
            paragraphs = []
            for _ in range(max(options.passages // options.files, 1)):
                drawn = rng.choices(words, weights, k=IN_A_PASSAGE)
                sentences = [" ".join(drawn[at : at + 15]).capitalize() + "." for at in range(0, IN_A_PASSAGE, 15)]
                paragraphs.append(" ".join(sentences))
                if len(queries) < options.queries * 50:
                    queries.append(" ".join(rng.sample(drawn, 3)))
            (root / f"memo {number}.txt").write_text("\n\n".join(paragraphs))
        root = root.resolve()
        casetrack = [str(options.program.resolve()), "--quiet", "--data-dir", str(home)]
        session = Session(casetrack, "--toolsets", "files", "--root", str(root))
        started = time.perf_counter()
        while "job" in session.call("indexFolder", root=str(root)):
            pass
        indexed = time.perf_counter() - started
        times, empty = [], 0
        for count, query in enumerate(rng.sample(queries, options.queries)):
            if count % IN_A_SESSION == 0:
                session.close()
                session = Session(casetrack, "--toolsets", "files", "--root", str(root), client=f"bench {count}")
                # The first search of all loads the models.
                session.call("searchFiles", query="notice")
            found, milliseconds = session.timed("searchFiles", query=query)
            times.append(milliseconds)
            empty += not found["items"]
        session.close()
        described = subprocess.run([*casetrack, "--json", "stats", "-c", "Files"], capture_output=True, check=True).stdout
        subprocess.run([*casetrack, "stop"], capture_output=True, check=True)
    times.sort()
    at = lambda share: times[min(int(len(times) * share), len(times) - 1)]
    passages = json.loads(described)["chunks"]
    print(f"{passages:,} passages, {os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}, indexed in {indexed:,.0f} s")
    print(f"{empty} of {len(times)} queries without an answer\n")
    print(f"searchFiles: p50 {at(0.5):.0f}, p95 {at(0.95):.0f}, p99 {at(0.99):.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
