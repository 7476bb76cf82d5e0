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
    session = Session(options.program, home)
    draw = random.Random(options.seed)
    queries = [" ".join(draw.choices(words, k=3)) for _ in range(options.searches)]
    for query in queries[:5]:
        session.search(query)
    into["p50 ms"].append(1000 * statistics.median(session.search(query) for query in queries))
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


class Session:
    def __init__(self, program, home):
        command = [program, "--data-dir", str(home), "mcp", "--collection", NAME]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.number = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", hello)
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method, parameters):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": parameters})
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.number:
                if "error" in answer or answer["result"].get("isError"):
                    sys.exit(f"{method} failed: {line[:500]}")
                return answer
        sys.exit("The session ended.")

    def search(self, query):
        """Seconds until the answer is there."""
        begun = time.monotonic()
        self.ask("tools/call", {"name": "search_documents", "arguments": {"query": query}})
        return time.monotonic() - begun

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


if __name__ == "__main__":
    main()
