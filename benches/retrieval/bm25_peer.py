#!/usr/bin/env python3
"""nDCG@10 of BM25 here and of others on test sets, all with k1 = 1.2 and b = 0.75.

usage: bm25_peer.py [--casetrack PROGRAM] [--work FOLDER] DIR...

Each DIR is in BEIR's layout. The others rank whole documents, CaseTrack passages, a document where its best one does. They are bm25s as it
comes (words of two characters and more, English stop words and stemmer), and Lucene's formula over all words: with exact lengths of documents,
and with lengths in one byte, as Lucene, Anserini and tantivy store them.
Needs: pip install bm25s PyStemmer numpy
"""
import argparse
import json
import math
import re
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

import bm25s
import numpy as np
import Stemmer
from retrieval import TestSet, ndcg


STEMMER = Stemmer.Stemmer("english")


def bm25s_as_it_comes(test):
    analysis = {"stopwords": "en", "stemmer": STEMMER, "show_progress": False}
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    index.index(bm25s.tokenize(test.texts, **analysis), show_progress=False)
    found, _ = index.retrieve(bm25s.tokenize(test.queries, **analysis), k=10, show_progress=False)
    return sum(map(ndcg, found, test.relevant)) / len(test.queries)


def byte_lengths():
    """The lengths that Lucene's SmallFloat.intToByte4 can tell apart: up to 39 all, then three bits behind the leading one."""
    def value(i):
        bits, shift = i & 7, (i >> 3) - 1
        return bits if shift == -1 else (bits | 8) << shift
    return np.array([b if b < 24 else 24 + value(b - 24) for b in range(256)])


def lucene(test, in_a_byte):
    words = lambda text: STEMMER.stemWords(re.findall(r"\w+", text.lower()))
    documents = [words(text) for text in test.texts]
    lengths = np.array([len(document) for document in documents], float)
    mean = lengths.mean()
    if in_a_byte:
        table = byte_lengths()
        lengths = table[np.searchsorted(table, lengths, side="right") - 1].astype(float)
    norms = 1.2 * (1 - 0.75 + 0.75 * lengths / mean)
    postings = defaultdict(list)
    for place, document in enumerate(documents):
        for word, count in Counter(document).items():
            postings[word].append((place, count))
    total = 0
    for query, relevant in zip(test.queries, test.relevant):
        scores = np.zeros(len(documents))
        for word in words(query):
            if word in postings:
                places, counts = np.array(postings[word]).T
                idf = math.log(1 + (len(documents) - len(places) + 0.5) / (len(places) + 0.5))
                scores[places] += idf * counts * 2.2 / (counts + norms[places])
        total += ndcg(np.argsort(-scores, kind="stable")[:10], relevant)
    return total / len(test.queries)


def ours(options, folder):
    command = [options.lab, "eval", str(folder), "--json"]
    if options.work:
        command += ["--work", str(options.work / folder.name)]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    measures = next(system["measures"] for system in report["systems"] if system["system"] == "BM25")
    return next(measure["mean"] for measure in measures if measure["measure"] == "nDCG@10")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--lab", default="casetrack-lab")
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    for folder in options.directories:
        test, own = TestSet(folder), ours(options, folder)
        print(f"{folder.name}: CaseTrack {own:.4f}")
        others = [("Lucene, lengths in a byte", lucene(test, True)), ("Lucene, exact lengths", lucene(test, False)),
                  ("bm25s as it comes", bm25s_as_it_comes(test))]
        for name, theirs in others:
            print(f"  {name}: {theirs:.4f}, difference {100 * (own - theirs):+.2f} points")


if __name__ == "__main__":
    main()
