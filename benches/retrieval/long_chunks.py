#!/usr/bin/env python3
"""How to embed chunks longer than the 256 tokens that E1 was trained on.

usage: long_chunks.py CONTRACTS_DIR TEST_SET_DIR... [--cache DIR] [--threads N] [--windows 256 halves]

Compares, for dense retrieval with exact search,
  512               one pass over up to 512 tokens
  256               one pass over the first 256 tokens
  256+256, best     two passes over 256 tokens each, two vectors, the better one counts
  256+256, mean     the same two, their normalised mean as one vector
  halves, best/mean the same with two windows of equal length
on test sets in BEIR's layout (all queries; those with a relevant document of more than 256 tokens) and on SAMPLE contracts
(txt/*.txt and clauses.jsonl with "file", "description", "quotes": [{"spans": [[start, end]]}]): chunks are windows of 2000
characters, stride 1800, the query is a clause's description, asked of its contract; found means that one of the first 5 or 10
chunks overlaps a quoted span. Intervals: 95 %, paired bootstrap over queries, against 512.
--cache keeps the passes of the model for the next run.
Needs: pip install numpy onnx onnxruntime safetensors tokenizers
"""
import argparse
import random
from pathlib import Path

import numpy as np

import reference
import retrieval

TRAINED = 256
SAMPLE, SEED = 25, 1  # as in late_interaction.py


def windows_of(ids, kind):
    """A text's token ids as one or two passes, each with [CLS] and [SEP]."""
    first, content, last = ids[:1], ids[1:-1], ids[-1:]
    room = TRAINED - 2
    if len(content) <= room:
        return [ids]
    middle = room if kind == "256" else (min(len(content), 2 * room) + 1) // 2
    parts = content[:middle], content[middle:2 * room]
    return [np.concatenate([first, part, last]) for part in parts]


class Dense:
    """The vectors of texts in every way that is compared: name → [texts, 1 or 2 vectors, 384]."""

    def __init__(self, encoder, texts, cache, kinds=()):
        self.ids, states, bounds = reference.token_states(encoder, texts, cache)
        whole = np.stack([np.asarray(states[a:b], np.float32).mean(0) for a, b in zip(bounds, bounds[1:])])
        whole = reference.normalised(whole)
        self.vectors = {"512": whole[:, None]}
        for kind in kinds:
            two = cache.get(f"two-{kind}", texts, lambda _: self.two(encoder, kind, whole))
            label = "256+256" if kind == "256" else kind
            if kind == "256":
                self.vectors["256"] = two[:, :1]
            self.vectors[label + ", best"] = two
            self.vectors[label + ", mean"] = reference.normalised(two.mean(1))[:, None]

    def two(self, encoder, kind, whole):
        """Two vectors a text; twice the same where one window holds it."""
        vectors = np.stack([whole, whole], 1)
        passes = [(text, part, window) for text, ids in enumerate(self.ids) if len(ids) > TRAINED
                  for part, window in enumerate(windows_of(ids, kind))]
        for i, states in encoder.run([window for _, _, window in passes]):
            text, part, _ = passes[i]
            vectors[text, part] = reference.normalised(states.mean(0))
        return vectors

    def scores(self, kind, query):
        return (self.vectors[kind] @ query).max(1)


def table(title, kinds, columns):
    """columns: {name: {kind: values a query}}"""
    print(f"\n{title}\n{'':14}" + "".join(f"{name:>36}" for name in columns))
    for kind in kinds:
        cells = []
        for values in columns.values():
            gain, low, high = retrieval.paired_interval(values["512"], values[kind])
            interval = "" if kind == "512" else f"  {gain:+.4f} [{low:+.4f}, {high:+.4f}]"
            cells.append(f"{f'{np.mean(values[kind]):.4f}{interval}':>34}")
        print(f"{kind:16}" + "  ".join(cells), flush=True)


def test_set(folder, encoder, cache, kinds):
    data = retrieval.TestSet(folder)
    documents = Dense(encoder, data.texts, cache, kinds)
    queries = Dense(encoder, data.queries, cache).vectors["512"][:, 0]
    long = np.array([any(len(documents.ids[d]) > TRAINED for d in relevant) for relevant in data.relevant])
    values = {}
    for kind in documents.vectors:
        ranked = [retrieval.best(documents.scores(kind, query), 100) for query in queries]
        for name, metric in (("nDCG@10", retrieval.ndcg), ("recall@100", retrieval.recall)):
            values.setdefault(name, {})[kind] = np.array([metric(r, q) for r, q in zip(ranked, data.relevant)])
    share = np.mean([len(ids) > TRAINED for ids in documents.ids])
    for title, chosen in (("all queries", np.ones(len(long), bool)), ("a relevant document is long", long)):
        columns = {name: {kind: v[chosen] for kind, v in kinds.items()} for name, kinds in values.items()}
        table(f"{data.name}, {share:.0%} of documents over {TRAINED} tokens: {title} ({chosen.sum()})", documents.vectors, columns)


def contracts(folder, encoder, cache, kinds):
    files = sorted(Path(folder, "txt").glob("*.txt"))
    files = random.Random(SEED).sample(files, min(SAMPLE, len(files)))
    chunks = [(file.stem, start, text) for file in files for start, text in reference.windows(read_text(file))]
    names = {file.stem for file in files}
    clauses = [c for c in retrieval.read_jsonl(Path(folder, "clauses.jsonl")) if c["file"] in names and c["quotes"]]
    descriptions = sorted({c["description"] for c in clauses})
    asked = dict(zip(descriptions, Dense(encoder, descriptions, cache).vectors["512"][:, 0]))
    documents = Dense(encoder, [text for _, _, text in chunks], cache, kinds)
    columns = {"found in 5": {}, "found in 10": {}}
    for kind in documents.vectors:
        for k, column in zip((5, 10), columns.values()):
            column[kind] = []
            for clause in clauses:
                places = np.array([i for i, chunk in enumerate(chunks) if chunk[0] == clause["file"]])
                top = places[retrieval.best(documents.scores(kind, asked[clause["description"]])[places], k)]
                spans = [span for quote in clause["quotes"] for span in quote["spans"]]
                column[kind].append(float(any(chunks[i][1] < end and start < chunks[i][1] + len(chunks[i][2])
                                              for i in top for start, end in spans)))
    share = np.mean([len(ids) > TRAINED for ids in documents.ids])
    table(f"{len(files)} contracts, {len(chunks)} chunks, {share:.0%} over {TRAINED} tokens, {len(clauses)} queries",
          documents.vectors, columns)


def read_text(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("contracts")
    parser.add_argument("test_sets", nargs="*")
    parser.add_argument("--cache")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--windows", nargs="+", choices=("256", "halves"), default=["256", "halves"])
    options = parser.parse_args()
    encoder = reference.Encoder(reference.E1, threads=options.threads)
    cache = reference.Cache(options.cache)
    contracts(options.contracts, encoder, cache, options.windows)
    for folder in options.test_sets:
        test_set(folder, encoder, cache, options.windows)


if __name__ == "__main__":
    main()
