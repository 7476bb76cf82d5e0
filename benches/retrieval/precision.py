#!/usr/bin/env python3
"""What int8 products cost in ranking and gain in speed, against float32, with the program itself.

usage: precision.py SET_DIR... [--model e1|e6] [--profile PROFILE] [--text FILE] [--rounds R] [--lab PROGRAM]

SET_DIR: a retrieval test set in BEIR's layout (corpus.jsonl, queries.jsonl, qrels.tsv). Retrieval by one model alone, exact, dense (e1, the
default) or learned-sparse (e6): nDCG@10 and recall@100 of both precisions, the differences with 95 % intervals (paired bootstrap over
queries), and the cosines of int8 passages to float32 ones. With several sets also the differences over the queries of all of them.
--text: a text file whose first 64 windows of 2000 characters both precisions embed in turns.
Needs: pip install numpy
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile

import numpy as np

import retrieval

PRECISIONS = ("float32", "int8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--model", choices=("e1", "e6"), default="e1")
    parser.add_argument("--profile", default="compact")
    parser.add_argument("--text")
    parser.add_argument("--rounds", type=int, default=3)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("--lab", default=os.path.join(target, "release", "casetrack-lab"))
    options = parser.parse_args()
    if options.text:
        speed(options)
    found = [ranking(options, retrieval.TestSet(folder)) for folder in options.sets]
    if len(found) > 1:
        print(f"all {len(found)} sets, {sum(len(one['nDCG@10']['int8']) for one in found)} queries")
        difference({measure: {p: np.concatenate([one[measure][p] for one in found]) for p in PRECISIONS} for measure in found[0]})


def speed(options):
    rates = {precision: [] for precision in PRECISIONS}
    for _ in range(options.rounds):
        for precision in PRECISIONS:
            command = [*lab(options, precision), "bench", "embed", "--model", options.model, "--json", options.text]
            rates[precision].append(json.loads(subprocess.check_output(command))["chunks_per_second"])
    medians = {precision: statistics.median(values) for precision, values in rates.items()}
    for precision, values in rates.items():
        print(f"{precision:8} {medians[precision]:6.2f} chunks/s ({min(values):.2f} to {max(values):.2f})")
    print(f"int8 / float32: {medians['int8'] / medians['float32']:.2f}")


def ranking(options, test):
    """Of each measure and precision, the values of all queries."""
    kind = Dense if options.model == "e1" else Sparse
    vectors = {p: [embed(options, p, test.texts, kind, []), embed(options, p, test.queries, kind, ["--query"])] for p in PRECISIONS}
    found = {"nDCG@10": {}, "recall@100": {}}
    for precision, (documents, queries) in vectors.items():
        best = [retrieval.best(scores, 100) for scores in documents.scores(queries)]
        found["nDCG@10"][precision] = [retrieval.ndcg(row, relevant) for row, relevant in zip(best, test.relevant)]
        found["recall@100"][precision] = [retrieval.recall(row, relevant) for row, relevant in zip(best, test.relevant)]
    print(f"{test.name}: {len(test.texts)} documents, {len(test.queries)} queries")
    difference(found)
    cosines = vectors["float32"][0].cosines(vectors["int8"][0])
    print(f"  cosine to float32: mean {cosines.mean():.4f}, least {cosines.min():.4f}")
    return found


def difference(found):
    for measure, values in found.items():
        mean, low, high = retrieval.paired_interval(values["float32"], values["int8"])
        print(f"  {measure:10} float32 {np.mean(values['float32']):.4f}  int8 {np.mean(values['int8']):.4f}  "
              f"{mean:+.4f} [{low:+.4f}, {high:+.4f}]")


class Dense:
    """Vectors of some texts, from what `casetrack-lab embed` prints of each."""

    def __init__(self, lines):
        self.rows = np.array([line["vector"] for line in lines], np.float32)

    def scores(self, queries):
        """Of each query, the scores of all texts."""
        return queries.rows @ self.rows.T

    def cosines(self, others):
        return (self.rows * others.rows).sum(1)


class Sparse:
    """The same for weights of terms."""

    def __init__(self, lines):
        self.rows = [line["terms"] for line in lines]

    def scores(self, queries):
        postings = {}
        for place, terms in enumerate(self.rows):
            for term, weight in terms.items():
                postings.setdefault(term, []).append((place, weight))
        postings = {term: tuple(map(np.array, zip(*posting))) for term, posting in postings.items()}
        for terms in queries.rows:
            scores = np.zeros(len(self.rows))
            for term in sorted(terms.keys() & postings.keys()):
                places, weights = postings[term]
                scores[places] += terms[term] * weights
            yield scores

    def cosines(self, others):
        def product(a, b):
            return sum(weight * b[term] for term, weight in a.items() if term in b)

        return np.array([product(a, b) / math.sqrt(product(a, a) * product(b, b)) for a, b in zip(self.rows, others.rows) if a and b])


def lab(options, precision):
    return [options.lab, "--profile", options.profile, "--precision", precision]


def embed(options, precision, texts, kind, arguments):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(texts))
        file.flush()
        command = [*lab(options, precision), "embed", "--model", options.model, *arguments, file.name]
        lines = subprocess.check_output(command, text=True).splitlines()
    return kind([json.loads(line) for line in lines])


if __name__ == "__main__":
    main()
