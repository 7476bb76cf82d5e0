#!/usr/bin/env python3
"""Moves a collection to other models and back, and kills the process that does it, again and again, while others search.

usage: move_kills.py PROGRAM --files FOLDER [--to PROFILE] [--kills N] [--pause SECONDS] [--seed N] [--work FOLDER] [--queries FILE]

Ingests FOLDER into a collection with the compact models, and into one with those of PROFILE [default: multilingual, which `casetrack models
add` has added] in another data directory. Moves the first one there and back without disturbance, and compares the time with that of
ingestion. Then moves it back and forth until N processes were killed (SIGKILL of the owner of the data directory and of the command, at
a random moment of at most SECONDS after the command began [default: a third of a move, but at least 2]), while another thread searches all the time.

The bars, of which each is checked: no search fails or lacks a stage; each finds what one of the two collections finds, to the score; after every
kill at the latest the next command goes on; in the end the collection has the models that it was to have, `verify` is clean, and documents and searches
are those of a fresh ingestion. Ends with status 1 if one is missed. --queries: a text file with a query in each line. Needs the Python
standard library only.
"""
import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

FROM = "compact"
NAME = "Moved"
QUERIES = ["termination for convenience", "governing law", "Wann endet der Vertrag?", "limitation of liability", "who may assign the agreement",
           "notice period before renewal", "exclusive distribution of the products", "insurance that the supplier must keep"]


class Home:
    """A data directory with one collection."""

    def __init__(self, program, path):
        self.program, self.path = program, path

    def command(self, *arguments):
        return [self.program, "--data-dir", str(self.path), "--quiet", "--json", *arguments]

    def run(self, *arguments):
        done = subprocess.run(self.command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise RuntimeError(f"{arguments} ended with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}")
        return json.loads(done.stdout)

    def ingest(self, profile, files):
        """Seconds."""
        self.run("new", NAME, "--models", profile)
        report = self.run("ingest", files, "-c", NAME)
        assert not report["failed"], report["failed"][:3]
        return report["duration_ms"] / 1000

    def move(self, profile):
        """Seconds."""
        return self.run("reindex", "--models", profile, "-c", NAME)["duration_ms"] / 1000

    def found(self, query):
        """What a search finds, as far as it does not depend on ids."""
        answer = self.run("search", query, "-c", NAME)
        # That a word was taken for another is no lack.
        lacking = [notice for notice in answer["notices"] if not notice.startswith("No passage contains")]
        if lacking:
            raise RuntimeError(f"a search lacks something: {lacking}")
        return tuple((hit["citation"], hit["score"], hit["text"]) for hit in answer["results"])

    def documents(self):
        listed = self.run("documents", "-c", NAME)
        return sorted((document["path"], document["pages"], document["chunks"]) for document in listed)

    def models(self):
        return self.run("stats", "-c", NAME)["models"]

    def kill_owner(self):
        """Whether there was one: it may be about to publish its address."""
        try:
            os.kill(json.loads((self.path / "owner/address.json").read_text())["pid"], signal.SIGKILL)
            return True
        except (OSError, ValueError):
            return False

    def stop(self):
        subprocess.run(self.command("stop"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Searcher(threading.Thread):
    """Searches until it is told to end, and notes what was wrong."""

    def __init__(self, home, expected):
        super().__init__(daemon=True)
        self.home, self.expected = home, expected
        self.ending, self.searches, self.problems = threading.Event(), 0, []

    def run(self):
        while not self.ending.is_set():
            query = QUERIES[self.searches % len(QUERIES)]
            try:
                found = self.home.found(query)
                if found not in self.expected[query]:
                    self.problems.append(f"{query!r} finds what neither of the two finds: {found[:2]}")
            except (RuntimeError, ValueError, KeyError) as error:
                self.problems.append(f"{query!r}: {error}")
            self.searches += 1
            self.ending.wait(0.1)

    def wait_for_next(self):
        """Until the search under way has its answer."""
        before = self.searches
        while self.searches == before and self.is_alive():
            time.sleep(0.05)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--files", required=True, metavar="FOLDER")
    parser.add_argument("--to", default="multilingual", metavar="PROFILE")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--pause", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work")
    parser.add_argument("--queries")
    options = parser.parse_args()
    if options.queries:
        QUERIES[:] = [line for line in Path(options.queries).read_text(encoding="utf-8").splitlines() if line.strip()]
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        moved, fresh = (Home(options.program, Path(work, name)) for name in ("moved", "fresh"))
        try:
            problems = check(moved, fresh, options)
        finally:
            moved.stop()
            fresh.stop()
    for problem in problems[:20]:
        print("MISSED:", problem)
    sys.exit(bool(problems))


def check(moved, fresh, options):
    problems = []
    files = os.path.abspath(options.files)
    took = {FROM: moved.ingest(FROM, files), options.to: fresh.ingest(options.to, files)}
    models = {FROM: moved.models(), options.to: fresh.models()}
    lists = {FROM: {q: moved.found(q) for q in QUERIES}, options.to: {q: fresh.found(q) for q in QUERIES}}
    documents = fresh.documents()
    fresh.stop()
    if moved.documents() != documents:
        problems.append("the two ingestions differ in their documents")

    def compare(profile, when):
        if moved.models() != models[profile]:
            problems.append(f"{when}: the models are {moved.models()}, not {models[profile]}")
        differ = [q for q in QUERIES if moved.found(q) != lists[profile][q]]
        if differ:
            problems.append(f"{when}: searches differ from those of a fresh ingestion: {differ}")
        if moved.documents() != documents:
            problems.append(f"{when}: the documents differ from those of a fresh ingestion")

    for profile in (options.to, FROM):
        seconds = moved.move(profile)
        print(f"to {profile}: moved in {seconds:.1f} s, ingested in {took[profile]:.1f} s ({took[profile] / seconds:.2f} times as fast)")
        compare(profile, f"moved to {profile} without disturbance")

    rng, pause = random.Random(options.seed), options.pause or max(seconds / 3, 2)
    searcher = Searcher(moved, {q: {lists[FROM][q], lists[options.to][q]} for q in QUERIES})
    searcher.start()
    kills = moves = 0
    target = options.to
    while True:
        command = subprocess.Popen(moved.command("reindex", "--models", target, "-c", NAME), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        if kills < options.kills:
            time.sleep(rng.uniform(0, pause))
            if command.poll() is None:
                # The command first, which would see the end of the owner and go on with another.
                command.kill()
                kills += moved.kill_owner()
                command.communicate()
                # A command is sent three times at most, so no search may meet three kills.
                searcher.wait_for_next()
                continue
        said, problem = command.communicate()
        if command.returncode:
            problems.append(f"a move to {target} failed after {kills} kills: {said[-500:]}{problem[-500:]}")
        moves += 1
        if kills >= options.kills or command.returncode:
            break
        target = FROM if target == options.to else options.to
    searcher.ending.set()
    searcher.join()
    print(f"{kills} kills during {moves} moves, {searcher.searches} searches meanwhile, {len(searcher.problems)} of them wrong")
    problems += searcher.problems
    compare(target, f"after {kills} kills")
    if not moved.run("verify", "-c", NAME)["clean"]:
        problems.append("`verify` is not clean")
    return problems


if __name__ == "__main__":
    main()
