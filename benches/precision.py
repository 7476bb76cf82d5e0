#!/usr/bin/env python3
"""What int8 products cost in ranking and gain in speed, against float32, with the program itself.

usage: precision.py SET_DIR... [--text FILE] [--rounds R] [--lab PROGRAM]

SET_DIR: a retrieval test set in BEIR's layout (corpus.jsonl, queries.jsonl, qrels.tsv). Dense retrieval alone, exact: nDCG@10 and
recall@100 of both precisions, the difference of nDCG@10 with a 95 % interval (paired bootstrap over queries), and the cosines of
int8 passages to float32 ones. --text: a text file whose first 64 windows of 2000 characters both precisions embed in turns.
Needs: pip install numpy
"""
import argparse
import json
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
    parser.add_argument("--text")
    parser.add_argument("--rounds", type=int, default=3)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("--lab", default=os.path.join(target, "release", "casetrack-lab"))
    options = parser.parse_args()
    if options.text:
        speed(options)
    for folder in options.sets:
        ranking(options.lab, retrieval.TestSet(folder))


def speed(options):
    rates = {precision: [] for precision in PRECISIONS}
    for _ in range(options.rounds):
        for precision in PRECISIONS:
            command = [options.lab, "bench", "embed", "--model", "e1", "--precision", precision, "--json", options.text]
            rates[precision].append(json.loads(subprocess.check_output(command))["chunks_per_second"])
    medians = {precision: statistics.median(values) for precision, values in rates.items()}
    for precision, values in rates.items():
        print(f"{precision:8} {medians[precision]:6.2f} chunks/s ({min(values):.2f} to {max(values):.2f})")
    print(f"int8 / float32: {medians['int8'] / medians['float32']:.2f}")


def ranking(program, test):
    vectors = {precision: [embed(program, precision, test.texts, []), embed(program, precision, test.queries, ["--query"])]
               for precision in PRECISIONS}
    gains, recalls = {}, {}
    for precision, (documents, queries) in vectors.items():
        scores = queries @ documents.T
        gains[precision] = [retrieval.ndcg(retrieval.best(row, 10), relevant) for row, relevant in zip(scores, test.relevant)]
        recalls[precision] = np.mean([retrieval.recall(retrieval.best(row, 100), relevant)
                                      for row, relevant in zip(scores, test.relevant)])
    mean, low, high = retrieval.paired_interval(gains["float32"], gains["int8"])
    cosines = (vectors["float32"][0] * vectors["int8"][0]).sum(1)
    print(f"{test.name}: {len(test.texts)} documents, {len(test.queries)} queries")
    for precision in PRECISIONS:
        print(f"  {precision:8} nDCG@10 {np.mean(gains[precision]):.4f}  recall@100 {recalls[precision]:.4f}")
    print(f"  difference of nDCG@10 {mean:+.4f} [{low:+.4f}, {high:+.4f}]; "
          f"cosine to float32: mean {cosines.mean():.4f}, least {cosines.min():.4f}")


def embed(program, precision, texts, arguments):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(texts))
        file.flush()
        command = [program, "embed", "--model", "e1", "--precision", precision, *arguments, file.name]
        lines = subprocess.check_output(command, text=True).splitlines()
    return np.array([json.loads(line)["vector"] for line in lines], np.float32)


if __name__ == "__main__":
    main()
