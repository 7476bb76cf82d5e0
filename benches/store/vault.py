#!/usr/bin/env python3
"""What a vault costs: the same folder in a plain collection and in a vault, in turn.

usage: vault.py PROGRAM FOLDER [--rounds R] [--searches N] [--seed N] [--work FOLDER]

In each round, which of the two comes first changes. Both get a new data directory each time, and one small file before the folder, so that models
are loaded. Measured are: files/s of the ingestion, by the duration that the program reports; the time of each of N searches in one session of
the protocol, whose words are drawn from the titles and texts of the collection; the time from a new process to the first answer, of which the vault's
does not count unlocking; and unlocking itself, nearly all of which is Argon2id. Printed are the medians of the rounds, the ratio of the two, and whether it keeps
the bars: ingestion at least 0.95 of plain, p50 of searches at most 1.1 of plain, opening at most one second for 100,000 passages. Needs the Python
standard library only.
"""
import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
from mcp_client import Client  # noqa: E402

NAME = "Measured"
PASSPHRASE = "of the measurement\n"
FORMS = ("plain", "vault")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--searches", type=int, default=300)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--work", help="where collections are made [default: the system's temporary folder]")
    options = parser.parse_args()
    found = {form: {"files/s": [], "p50 ms": [], "open s": [], "unlock s": []} for form in FORMS}
    passages = 0
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        for number in range(options.rounds):
            # Who comes second finds the files in the memory of the system.
            for form in FORMS if number % 2 == 0 else reversed(FORMS):
                home = Path(work, form)
                passages = measure(options, home, form, Path(work), found[form])
                shutil.rmtree(home)
    print(f"{options.rounds} rounds, {options.searches} searches each, {passages} passages")
    middle = {form: {what: statistics.median(values) for what, values in one.items() if values} for form, one in found.items()}
    for what in found["plain"]:
        shown = [f"{form} {middle[form][what]:.2f} ({min(found[form][what]):.2f}–{max(found[form][what]):.2f})" for form in FORMS if what in middle[form]]
        ratio = f", ratio {middle['vault'][what] / middle['plain'][what]:.3f}" if what in middle["plain"] else ""
        print(f"  {what}: {', '.join(shown)}{ratio}")
    kept = {
        "ingestion ≥ 0.95": middle["vault"]["files/s"] >= 0.95 * middle["plain"]["files/s"],
        "p50 ≤ 1.1": middle["vault"]["p50 ms"] <= 1.1 * middle["plain"]["p50 ms"],
        "open ≤ 1 s for each 100,000 passages": middle["vault"]["open s"] <= max(1, passages / 100_000),
    }
    print("; ".join(f"{bar}: {'kept' if holds else 'missed'}" for bar, holds in kept.items()))


def measure(options, home, form, work, into):
    """One round of one form; the passages of the collection."""
    def run(*arguments, given=""):
        command = [options.program, "--data-dir", str(home), *arguments]
        done = subprocess.run(command, input=given, capture_output=True, text=True, env={**os.environ, "CASETRACK_IDLE_SECONDS": "600"})
        if done.returncode != 0:
            sys.exit(f"{' '.join(arguments)} failed:\n{done.stdout[-500:]}{done.stderr[-500:]}")
        return done.stdout

    home.mkdir()
    (home / "config.toml").write_text("[limits]\ncalls_per_minute = 100000\n")
    vault = ("--vault", "--passphrase-stdin") if form == "vault" else ()
    run("new", NAME, *vault, given=PASSPHRASE)
    one = work / "one.txt"
    one.write_text("A first file, so that the models are loaded before anything is measured.\n")
    run("ingest", str(one), "-c", NAME)
    report = json.loads(run("--json", "ingest", str(options.folder), "-c", NAME))
    into["files/s"].append(len(report["ingested"]) * 1000 / report["duration_ms"])
    texts = [item["name"] for item in json.loads(run("--json", "documents", "-c", NAME))]
    words = sorted({word for text in texts for word in re.findall(r"[A-Za-zÄÖÜäöüß]{4,}", text)}) or ["agreement"]
    session = Client([options.program, "--data-dir", home, "mcp", "--collection", NAME])
    draw = random.Random(options.seed)
    queries = [" ".join(draw.choices(words, k=3)) for _ in range(options.searches)]
    for query in queries[:5]:
        session.call("search_documents", query=query)
    into["p50 ms"].append(statistics.median(session.timed("search_documents", query=query)[1] for query in queries))
    session.close()
    run("stop")
    if form == "vault":
        begun = time.monotonic()
        run("unlock", "--passphrase-stdin", given=PASSPHRASE)
        into["unlock s"].append(time.monotonic() - begun)
    else:
        run("collections")
    # The process is there; the collection is not open, and no model is loaded, which a list of documents does not need.
    begun = time.monotonic()
    run("documents", "-c", NAME)
    into["open s"].append(time.monotonic() - begun)
    passages = json.loads(run("--json", "collections"))[0]["chunks"]
    run("stop")
    return passages


if __name__ == "__main__":
    main()
