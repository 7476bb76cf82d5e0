"""Retrieval test sets, their metrics, and the recall stages of search in numpy, for the benches.

Needs: pip install numpy
"""
import json
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np

RECALL_DEPTH = 500  # of each list that is fused, as in casetrack-core's settings
FUSION_WEIGHTS = {"bm25": 0.5, "dense": 1.0, "sparse": 0.5}


class TestSet:
    """A folder in BEIR's layout: corpus.jsonl, queries.jsonl, qrels.tsv."""

    def __init__(self, folder):
        folder = Path(folder)
        self.name = folder.name
        documents, queries = read_jsonl(folder / "corpus.jsonl"), read_jsonl(folder / "queries.jsonl")
        place = {document["_id"]: i for i, document in enumerate(documents)}
        self.texts = [" ".join(filter(None, (d.get("title"), d["text"]))) for d in documents]
        relevant = {}  # query id → {place of a document: grade}
        for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines():
            query, document, grade = line.split("\t")
            if grade.isdecimal() and int(grade) > 0 and document in place:
                relevant.setdefault(query, {})[place[document]] = int(grade)
        queries = [query for query in queries if query["_id"] in relevant]
        self.queries = [query["text"] for query in queries]
        self.relevant = [relevant[query["_id"]] for query in queries]


def read_jsonl(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def ndcg(ranking, relevant, k=10):
    """Normalised discounted cumulative gain with the grade as gain, as trec_eval computes it."""
    gain = sum(relevant.get(int(d), 0) / math.log2(i + 2) for i, d in enumerate(ranking[:k]))
    ideal = sum(g / math.log2(i + 2) for i, g in enumerate(sorted(relevant.values(), reverse=True)[:k]))
    return gain / ideal


def recall(ranking, relevant, k=100):
    return len(relevant.keys() & set(map(int, ranking[:k]))) / len(relevant)


def paired_interval(a, b, rounds=10_000, seed=1):
    """Mean of b - a over the queries, and its 95 % bootstrap interval (percentiles, queries resampled)."""
    difference = np.asarray(b) - np.asarray(a)
    draws = np.random.default_rng(seed).integers(len(difference), size=(rounds, len(difference)))
    low, high = np.percentile(difference[draws].mean(1), [2.5, 97.5])
    return difference.mean(), low, high


def words(text):
    """Lower-cased words, without a plural's ending (Harman's s-stemmer)."""
    return [re.sub(r"(?<=[^aeu])ies$", "y", re.sub(r"(?<=[^us])s$", "", word) if not word.endswith("ies") else word)
            for word in re.findall(r"\w+", text.lower())]


class Bm25:
    def __init__(self, texts, k1=1.2, b=0.75):
        counts = [Counter(words(text)) for text in texts]
        lengths = np.array([sum(count.values()) for count in counts])
        norm = k1 * (1 - b + b * lengths / lengths.mean())
        self.size, postings = len(texts), {}
        for document, count in enumerate(counts):
            for word, frequency in count.items():
                postings.setdefault(word, []).append((document, frequency))
        self.postings = {}
        for word, posting in postings.items():
            documents, frequencies = np.array(posting).T
            idf = math.log(1 + (len(texts) - len(documents) + 0.5) / (len(documents) + 0.5))
            self.postings[word] = documents, idf * frequencies * (k1 + 1) / (frequencies + norm[documents])

    def scores(self, query):
        scores = np.zeros(self.size)
        for word in words(query):
            if word in self.postings:
                documents, weights = self.postings[word]
                scores[documents] += weights
        return scores


def best(scores, k=RECALL_DEPTH):
    """The k best places, best first; ties by place."""
    return np.argsort(-scores, kind="stable")[:k]


def min_max(scores):
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.ones_like(scores)


def fuse(stages):
    """The engine's fusion: each stage's list (name → scores of all documents) is min-max normalised, weighted and summed;
    a document that a list lacks counts 0 there. Returns the sums, -inf for documents in no list."""
    fused = np.full(len(next(iter(stages.values()))), -np.inf)
    for name, scores in stages.items():
        top = best(scores)
        top = top[scores[top] > 0] if name != "dense" else top
        fused[top] = np.where(np.isinf(fused[top]), 0, fused[top]) + FUSION_WEIGHTS[name] * min_max(scores[top])
    return fused
