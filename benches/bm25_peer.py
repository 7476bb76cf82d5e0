#!/usr/bin/env python3
"""nDCG@10 of BM25 here and of bm25s (Lucene's formula, k1 = 1.2, b = 0.75, English stop words and stemmer) on test sets.

usage: bm25_peer.py [--casetrack PROGRAM] [--work FOLDER] DIR...

Each DIR is in BEIR's layout. bm25s ranks whole documents, CaseTrack passages, a document where its best one does.
Needs: pip install bm25s PyStemmer numpy
"""
import argparse
import json
import subprocess
from pathlib import Path

import bm25s
import Stemmer
from retrieval import TestSet, ndcg


def peer(test):
    analysis = {"stopwords": "en", "stemmer": Stemmer.Stemmer("english"), "show_progress": False}
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    index.index(bm25s.tokenize(test.texts, **analysis), show_progress=False)
    found, _ = index.retrieve(bm25s.tokenize(test.queries, **analysis), k=10, show_progress=False)
    return sum(map(ndcg, found, test.relevant)) / len(test.queries)


def ours(options, folder):
    command = [options.casetrack, "eval", str(folder), "--json"]
    if options.work:
        command += ["--work", str(options.work / folder.name)]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    measures = next(system["measures"] for system in report["systems"] if system["system"] == "BM25")
    return next(measure["mean"] for measure in measures if measure["measure"] == "nDCG@10")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--casetrack", default="casetrack")
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    for folder in options.directories:
        theirs, own = peer(TestSet(folder)), ours(options, folder)
        print(f"{folder.name}: bm25s {theirs:.4f}, CaseTrack {own:.4f}, difference {100 * (own - theirs):+.2f} points")


if __name__ == "__main__":
    main()
