#!/usr/bin/env python3
"""Fit the probability of columns of example clauses, and report it on kinds of clauses that the fit did not read.

    scripts/train/likeness.py EXAMPLE FOLDER...

The arguments are those of scripts/train/clauses.py. For each kind with enough contracts, the script takes five annotated sentences of different
contracts for training as examples, and finds the most similar sentence in collections of 5, 20 and 100 other ones, as
casetrack-nlp/src/facts/clauses/likeness.rs does. It prints the fit of all kinds for SLOPE and OFFSET there, and for each size the quality on kinds
that were left out in turn: the share of cells with at least 50 % that are right, the share of contracts with such a clause that have a cell, and
the expected calibration error in five bins.
"""
import sys
from pathlib import Path

import clauses

FEWEST = 25  # contracts that have a clause of the kind
SIZES = (5, 20, 100)
ROUNDS = 4  # choices of examples for each kind
NEAREST, USUAL = 2, 0.98  # as in likeness.rs


def read(example, folders):
    """Owners and features of the sentences that may be clauses, their labels, and which contract has which kind."""
    import numpy as np
    from scipy.sparse import csr_matrix
    found = clauses.contracts(folders)
    owners, buckets, labels, has = [], [], [], []
    for number, ((path, annotations), sentences) in enumerate(zip(found.values(), clauses.sentences_of(example, found))):
        text = clauses.text_of(path)
        sentences = [sentence for sentence in sentences if sentence["is_clause"]]
        spans = np.array([sentence["span"] for sentence in sentences], int).reshape(-1, 2).T
        labels.append(np.array([clauses.is_annotated(spans, annotations, kind, text) for kind in clauses.KINDS]).T.reshape(-1, len(clauses.KINDS)))
        has.append([any(clause["quotes"] for category in categories for clause in annotations.get(category, []))
                    for categories in clauses.KINDS.values()])
        owners += [number] * len(sentences)
        buckets += [sentence["groups"][0] for sentence in sentences]
    ends = np.cumsum([0] + [len(row) for row in buckets])
    features = csr_matrix((np.ones(ends[-1], np.float32), np.concatenate(buckets).astype(np.int32), ends), shape=(len(buckets), clauses.BUCKETS))
    return np.array(owners), features, np.concatenate(labels), np.array(has)


def weighted(features):
    """Unit vectors, weighted by rarity; a feature of one sentence counts nothing."""
    import numpy as np
    from scipy.sparse import diags
    count = np.asarray(features.sum(0)).ravel()
    weights = np.where(count < 2, 0, np.log((1 + features.shape[0]) / (1 + count)) + 1).astype(np.float32)
    features = features @ diags(weights)
    norms = np.sqrt(np.asarray(features.multiply(features).sum(1)).ravel())
    return (diags(1 / np.maximum(norms, 1e-9)) @ features).tocsr()


def rounds(owners, features, labels, has):
    """(kind, size, logarithm of the best likeness against the usual one, whether the contract has such a clause), as arrays."""
    import numpy as np
    of = [np.flatnonzero(owners == number) for number in range(len(has))]
    training = range(clauses.REPORTED, len(has))
    rows = []
    for kind in np.flatnonzero(has.sum(0) >= FEWEST):
        for turn in range(ROUNDS):
            for size in SIZES:
                random = np.random.default_rng(100 * turn + kind)
                owning = random.choice([number for number in training if labels[of[number], kind].any()], 5, replace=False)
                examples = [random.choice(of[number][labels[of[number], kind]]) for number in owning]
                others = random.choice([number for number in training if number not in owning and len(of[number])], size, replace=False)
                alike = np.sort((features @ features[examples].T).toarray(), axis=1)[:, -NEAREST:].mean(1)
                usual = np.quantile(np.concatenate([np.sort(alike[of[number]])[:-1] for number in others]), USUAL)
                rows += [(kind, size, np.log(max(alike[of[number]].max(), 1e-9) / usual), has[number, kind]) for number in others]
    return [np.array(column) for column in zip(*rows)]


def main():
    clauses.in_environment()
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    example, *folders = sys.argv[1:]
    kinds, sizes, ratios, right = rounds(*(lambda owners, features, labels, has: (owners, weighted(features), labels, has))(*read(example, [Path(folder) for folder in folders])))
    fit = lambda rows: LogisticRegression(C=10).fit(ratios[rows, None], right[rows])
    stated = np.zeros(len(right))
    for kind in np.unique(kinds):
        stated[kinds == kind] = fit(kinds != kind).predict_proba(ratios[kinds == kind, None])[:, 1]
    model = fit(np.ones(len(right), bool))
    print(f"{len(np.unique(kinds))} kinds: slope {model.coef_[0, 0]:.2f}, offset {model.intercept_[0]:.2f}")
    for size in SIZES:
        own = sizes == size
        shown = own & (stated >= 0.5)
        error = clauses.reliability(stated[own], right[own].astype(bool))[0]
        print(f"{size:4} contracts: right {right[shown].mean():.2f}, found {right[shown].sum() / right[own].sum():.2f}, error {error:.3f}")


if __name__ == "__main__":
    main()
