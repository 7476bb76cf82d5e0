#!/usr/bin/env python3
"""Does reranking by token vectors (late interaction, MaxSim) earn anything over the fused ranking, and at what size?

usage: late_interaction.py CONTRACTS_TXT_DIR TEST_SET_DIR... [--cache DIR] [--threads N] [--only NAME...]

A test set has BEIR's layout (corpus.jsonl, queries.jsonl, qrels.tsv). Token vectors are E1's last hidden states of the pass
that gives the dense vector, normalised. The best 100 of a ranking (dense alone; or BM25, dense and sparse fused as the engine
does) are reordered by
    score of the ranking (0-1) + w · MaxSim, min-max normalised over the 100
where MaxSim is the mean over the query's tokens of the highest cosine with a stored vector of the document. Prints nDCG@10 for
each way to store the vectors and each w, and the size of a chunk: the mean over windows of 2000 characters, stride 1800, of
SAMPLE contracts (*.txt), from which PCA is learnt too. At the end of each line stand the differences that two of the weights
make, with their 95 % intervals (paired bootstrap over queries).
--cache keeps the passes of the models (some gigabytes) for the next run.
Needs: pip install numpy onnx onnxruntime safetensors tokenizers
"""
import argparse
import random
import string
from pathlib import Path

import numpy as np

import reference
import retrieval

DEPTH = 100
WEIGHTS = (0, 0.25, 0.5, 1, 2, np.inf)
JUDGED = (0.25, 0.5)  # of these, the ones whose differences are tested
SAMPLE, SEED = 25, 1
# The default list of Lucene's EnglishAnalyzer, as in casetrack-embed.
STOP_WORDS = frozenset("""a an and are as at be but by for if in into is it no not of on or such that the their then there these
they this to was will with""".split())


# ---- which tokens are stored -----------------------------------------------------------------------------------------

def kinds_of_tokens(encoder):
    """Which entries of the vocabulary count: "all"; "words", all but the special ones; "content", of these neither stop words
    nor punctuation."""
    vocabulary = encoder.tokenizer.get_vocab()
    words, content = np.ones((2, len(vocabulary)), bool)
    for token, i in vocabulary.items():
        words[i] = token not in ("[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]")
        content[i] = words[i] and token not in STOP_WORDS and not all(char in string.punctuation for char in token)
    return {"all": np.ones(len(vocabulary), bool), "words": words, "content": content}


# ---- pooling: near-duplicates within a document become their mean -------------------------------------------------------

def ward_merges(vectors):
    """The order in which Ward's clustering joins unit vectors: [(kept, joined into it)], greedily the pair whose union adds
    least squared error (Lance and Williams' update; Clavié et al. 2024 pool ColBERT's vectors so)."""
    distance = 1 - vectors @ vectors.T
    np.fill_diagonal(distance, np.inf)
    sizes = np.ones(len(vectors))
    nearest = distance.argmin(1)
    least = distance[np.arange(len(vectors)), nearest]
    merges = []
    for _ in range(len(vectors) - 1):
        a = int(least.argmin())
        b = int(nearest[a])
        merges.append((a, b))
        total = sizes[a] + sizes[b] + sizes
        row = ((sizes[a] + sizes) * distance[a] + (sizes[b] + sizes) * distance[b] - sizes * distance[a, b]) / total
        row[a] = np.inf
        row[b] = np.inf
        distance[a] = distance[:, a] = row
        distance[b] = distance[:, b] = np.inf
        sizes[a] += sizes[b]
        least[b] = np.inf
        stale = np.flatnonzero(((nearest == a) | (nearest == b)) & np.isfinite(least))
        nearest[stale] = distance[stale].argmin(1)
        least[stale] = distance[stale, nearest[stale]]
    return merges


def means(vectors, labels):
    sums = np.zeros((labels.max() + 1, vectors.shape[1]), np.float32)
    np.add.at(sums, labels, vectors)
    return reference.normalised(sums)


def ward(vectors, merges, clusters):
    """The normalised means of this many clusters."""
    labels = np.arange(len(vectors))
    for a, b in merges[:max(0, len(vectors) - clusters)]:
        labels[labels == b] = a
    return means(vectors, np.unique(labels, return_inverse=True)[1])


def neighbours(vectors, factor):
    """The normalised means of this many consecutive tokens."""
    return means(vectors, np.arange(len(vectors)) // factor)


# ---- quantisation: what is stored, decoded ------------------------------------------------------------------------------

def uniform(bits):
    """Signed integers with one scale a vector, the largest component at the end of the range."""
    top = 2 ** (bits - 1) - 1

    def quantise(x):
        scale = np.abs(x).max(1, keepdims=True) / top
        return np.round(x / scale) * scale
    return quantise


def gaussian4(x):
    """16 levels, evenly spaced in units of the vector's deviation, clipped (the best spacing for a normal distribution)."""
    step = 0.335 * x.std(1, keepdims=True)
    return (np.clip(np.floor(x / step), -8, 7) + 0.5) * step


def gaussian2(x):
    """Four levels at the Lloyd-Max points of a normal distribution."""
    deviation = x.std(1, keepdims=True)
    return np.sign(x) * np.where(np.abs(x) < 0.9816 * deviation, 0.4528, 1.510) * deviation


def sign(x):
    return np.where(x < 0, -1.0, 1.0).astype(np.float32)


QUANTISERS = {  # name → (function, bits a component, further bytes a vector)
    "f32": (lambda x: x, 32, 0), "int8": (uniform(8), 8, 2), "int4": (uniform(4), 4, 2), "4bit": (gaussian4, 4, 2),
    "2bit": (gaussian2, 2, 2), "1bit": (sign, 1, 0)}


# ---- variants -----------------------------------------------------------------------------------------------------------

class Variant:
    """How token vectors are stored: tokens of a document and of a query, names of kinds_of_tokens(); pool None, ("ward", factor)
    or ("next", factor); project None or a name of projections(); quantise a name of QUANTISERS."""

    def __init__(self, name, tokens="content", pool=None, project=None, quantise="f32", query="content"):
        self.name, self.tokens, self.query = name, tokens, query
        self.pool, self.project, self.quantise = pool, project, quantise

    def stored(self, tokens, merges, projections):
        """The stored vectors of a document, decoded; `tokens` its vectors of the variant's kind."""
        x = tokens
        if self.pool:
            kind, number = self.pool
            x = ward(x, merges(), -(-len(x) // number)) if kind == "ward" else neighbours(x, number)
        if self.project:
            x = reference.normalised(x @ projections[self.project])
        return reference.normalised(QUANTISERS[self.quantise][0](x).astype(np.float32))

    def bytes(self, vectors):
        _, bits, more = QUANTISERS[self.quantise]
        return len(vectors) * (vectors.shape[1] * bits / 8 + more)


VARIANTS = [
    Variant("all tokens, f32", "all", query="all"),
    Variant("content, f32"),
    Variant("content, int8", quantise="int8"),
    Variant("content, 4 bit", quantise="4bit"),
    Variant("content, 2 bit", quantise="2bit"),
    Variant("content, 1 bit", quantise="1bit"),
    Variant("content, 1 bit; query's words", quantise="1bit", query="words"),
    Variant("content, rotated, 1 bit", project="rotation", quantise="1bit"),
    Variant("ward 2, int8", pool=("ward", 2), quantise="int8"),
    Variant("ward 3, int8", pool=("ward", 3), quantise="int8"),
    Variant("ward 4, int8", pool=("ward", 4), quantise="int8"),
    Variant("ward 8, int8", pool=("ward", 8), quantise="int8"),
    Variant("next 8, int8", pool=("next", 8), quantise="int8"),
    Variant("ward 4, 4 bit", pool=("ward", 4), quantise="4bit"),
    Variant("ward 2, 2 bit", pool=("ward", 2), quantise="2bit"),
    Variant("ward 2, 1 bit", pool=("ward", 2), quantise="1bit"),
    Variant("PCA 96, 4 bit", project="pca96", quantise="4bit"),
    Variant("random 96, 4 bit", project="random96", quantise="4bit"),
]


def projections(sample):
    """Matrices [384, d]: a random rotation, its first 96 columns, and the main axes of a sample of token vectors."""
    rotation = np.linalg.qr(np.random.default_rng(SEED).standard_normal((384, 384)))[0].astype(np.float32)
    axes = np.linalg.eigh(sample.T @ sample)[1][:, ::-1].astype(np.float32)
    return {"rotation": rotation, "random96": rotation[:, :96], "pca96": axes[:, :96], "pca128": axes[:, :128]}


# ---- the experiment -----------------------------------------------------------------------------------------------------

class Collection:
    """Token vectors of texts."""

    def __init__(self, encoder, texts, cache):
        self.ids, self.states, self.bounds = reference.token_states(encoder, texts, cache)
        self.kinds = kinds_of_tokens(encoder)
        self.merges = {}
        self.dense = reference.normalised(np.stack([self.raw(i).mean(0) for i in range(len(self))]))

    def __len__(self):
        return len(self.ids)

    def raw(self, i):
        return np.asarray(self.states[self.bounds[i]:self.bounds[i + 1]], np.float32)

    def tokens(self, i, kind):
        """Normalised token vectors of a kind; all if the text has none of it."""
        x, counts = self.raw(i), self.kinds[kind][self.ids[i]]
        return reference.normalised(x[counts] if counts.any() else x)

    def stored(self, i, variant, matrices):
        x = self.tokens(i, variant.tokens)

        def merges():
            if i not in self.merges:
                self.merges[i] = ward_merges(x)
            return self.merges[i]

        return variant.stored(x, merges, matrices)


def max_sim(documents, queries, wanted, variant, matrices):
    """{(query, document): MaxSim} for the queries that want a document, {document: [query]}."""
    vectors = [queries.tokens(q, variant.query) for q in range(len(queries))]
    if variant.project:
        vectors = [reference.normalised(x @ matrices[variant.project]) for x in vectors]
    scores = {}
    for document, asking in wanted.items():
        stored = documents.stored(document, variant, matrices)
        lengths = [len(vectors[q]) for q in asking]
        highest = (np.concatenate([vectors[q] for q in asking]) @ stored.T).max(1)
        sums = np.add.reduceat(highest, np.concatenate([[0], np.cumsum(lengths)[:-1]]))
        scores.update({(q, document): s for q, s in zip(asking, sums / lengths)})
    return scores


def rerank(score, candidates, late, weight):
    """Candidates in the order of score + weight · late, both min-max normalised over the candidates' own ranking."""
    late = retrieval.min_max(late)
    return candidates[retrieval.best(late if np.isinf(weight) else score[candidates] + weight * late)]


def rankings(test_set, documents, queries, cache, threads):
    """{name of the ranking: [scores of all documents] of each query}"""
    splade = reference.Encoder(reference.E6, "splade", threads=threads)
    weights = [cache.get("splade", texts, lambda t: np.array(splade.all(t), np.float16))
               for texts in (test_set.texts, test_set.queries)]
    bm25 = retrieval.Bm25(test_set.texts)
    dense = queries.dense @ documents.dense.T
    sparse = np.asarray(weights[1], np.float32) @ np.asarray(weights[0], np.float32).T
    total = sum(retrieval.FUSION_WEIGHTS.values())
    alone = {name: [] for name in ("bm25", "dense", "sparse")}
    fused = []
    for q, query in enumerate(test_set.queries):
        stages = {"bm25": bm25.scores(query), "dense": dense[q], "sparse": sparse[q]}
        for name, scores in stages.items():
            alone[name].append(scores)
        fused.append(retrieval.fuse(stages) / total)
    print("".join(f"{name} {mean_ndcg(test_set, scores):.4f}, " for name, scores in alone.items()) +
          f"fused {mean_ndcg(test_set, fused):.4f}")
    return {"dense": [retrieval.fuse({"dense": scores}) for scores in alone["dense"]], "fused": fused}


def mean_ndcg(test_set, scores):
    return np.mean([retrieval.ndcg(retrieval.best(s, 10), r) for s, r in zip(scores, test_set.relevant)])


def run(folder, variants, encoder, matrices, sizes, options):
    test_set = retrieval.TestSet(folder)
    print(f"\n{test_set.name}: {len(test_set.texts)} documents, {len(test_set.queries)} queries, nDCG@10")
    cache = reference.Cache(options.cache)
    documents, queries = (Collection(encoder, texts, cache) for texts in (test_set.texts, test_set.queries))
    scores = rankings(test_set, documents, queries, cache, options.threads)
    candidates = {name: [retrieval.best(s, DEPTH) for s in per_query] for name, per_query in scores.items()}
    wanted = {}
    for lists in candidates.values():
        for q, places in enumerate(lists):
            for d in places:
                if q not in wanted.setdefault(int(d), []):
                    wanted[int(d)].append(q)
    print(f"{'stored vectors':30} {'kB/chunk':>8} ranking " + "".join(f"{f'w={w}':>8}" for w in WEIGHTS) +
          "".join(f"   {f'w={w} against w=0':25}" for w in JUDGED))
    for variant in variants:
        late = max_sim(documents, queries, wanted, variant, matrices)
        for name, per_query in scores.items():
            values = {w: [] for w in WEIGHTS}
            for q, (s, places) in enumerate(zip(per_query, candidates[name])):
                similarity = np.array([late[q, int(d)] for d in places])
                for w in WEIGHTS:
                    values[w].append(retrieval.ndcg(rerank(s, places, similarity, w), test_set.relevant[q]))
            intervals = [retrieval.paired_interval(values[0], values[w]) for w in JUDGED]
            print(f"{variant.name:30} {sizes[variant.name] / 1000:8.1f} {name:7} " +
                  "".join(f"{np.mean(values[w]):8.4f}" for w in WEIGHTS) +
                  "".join(f"   {gain:+.4f} [{low:+.4f}, {high:+.4f}]" for gain, low, high in intervals), flush=True)


def contract_windows(folder):
    """The windows of a seeded sample of the folder's texts."""
    files = sorted(Path(folder).glob("*.txt"))
    files = random.Random(SEED).sample(files, min(SAMPLE, len(files)))
    return [text for file in files for _, text in reference.windows(file.read_text(encoding="utf-8"))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("contracts")
    parser.add_argument("test_sets", nargs="+")
    parser.add_argument("--cache")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", nargs="+", help="names of variants")
    options = parser.parse_args()
    variants = [v for v in VARIANTS if not options.only or v.name in options.only]
    encoder = reference.Encoder(reference.E1, threads=options.threads)
    chunks = Collection(encoder, contract_windows(options.contracts), reference.Cache(options.cache))
    sample = np.concatenate([chunks.tokens(i, "content") for i in range(0, len(chunks), 4)])
    matrices = projections(sample)
    sizes = {v.name: np.mean([v.bytes(chunks.stored(i, v, matrices)) for i in range(len(chunks))]) for v in variants}
    counts = {kind: np.mean([keep[ids].sum() for ids in chunks.ids]) for kind, keep in chunks.kinds.items()}
    print(f"{len(chunks)} windows of {SAMPLE} contracts: {counts['all']:.0f} tokens, {counts['content']:.0f} with content")
    for folder in options.test_sets:
        run(folder, variants, encoder, matrices, sizes, options)


if __name__ == "__main__":
    main()
