#!/usr/bin/env python3
"""Fit the probability that a fact of a contract is right, and report it on contracts that the fit did not read. The table is fitted to all contracts.

    scripts/train/confidence.py EVIDENCE SCORES FOLDER...

EVIDENCE is a file that the example program `facts` of casetrack-nlp printed. SCORES is the file of `scripts/train/clauses.py --scores`. Each FOLDER
holds txt/, manifest.jsonl and clauses.jsonl, as for that script, which also divides the contracts. Writes
crates/casetrack-nlp/data/facts/confidence.toml, whose entries src/facts/confidence.rs explains. The judge is that of benches/facts/sheet.py; a cap,
and an expiry that is a formula, is right if its place is in the clause that is annotated.
"""
import importlib.util
import json
import re
import sys
from pathlib import Path

import clauses

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "crates/casetrack-nlp/data/facts/confidence.toml"
# The clause that states facts of each kind, as `clause_of` has it.
CLAUSES = {"agreement_date": None, "effective_date": "effective_date", "expiry": "term",
           "renewal_term": "renewal", "notice_period": "notice", "governing_law": "governing_law", "liability_cap": "liability_cap"}
COST = 2  # right facts that a wrong one outweighs
PRECISION, KEPT = 0.97, 0.85  # goals: share of the shown facts that is right, and of the right facts that is shown


def bench():
    spec = importlib.util.spec_from_file_location("sheet", ROOT / "benches/facts/sheet.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def annotated_spans(folders, category):
    """{contract: (first characters of the pages, [(first, last character)])} of the annotated clauses of a category of CUAD."""
    spans = {}
    for name, (path, annotations) in clauses.contracts(folders).items():
        text = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
        begins = [0] + [at.end() for at in re.finditer("\f", text)]
        quotes = [quote for clause in annotations.get(category, []) for quote in clause["quotes"]]
        spans[name] = (begins, [tuple(span) for quote in quotes for span in quote["spans"]])
    return spans


def near_and_most(sentences, fact, kind):
    """As `Scored` has them: the greatest score at the place and beside it, and in the document."""
    if kind is None or not sentences:
        return 0.0, 0.0
    at = 3 + list(clauses.KINDS).index(kind)
    place = (fact["page"], fact["char_start"])
    own = max((i for i, sentence in enumerate(sentences) if (sentence[0], sentence[1]) <= place), default=0)
    near = [sentence[at] for sentence in sentences[max(own - 1, 0):own + 2]]
    return max([clauses.LEAST, *near]), max([clauses.LEAST, *(sentence[at] for sentence in sentences)])


def examples(evidence, scores, folders):
    """{kind: [(contract number, [rule, near, most, computed], right)]} of the facts that can be judged."""
    sheet = bench()
    gold = {name: cells for folder in folders for name, cells in sheet.gold_cells(folder).items()}
    caps, terms = annotated_spans(folders, "Cap On Liability"), annotated_spans(folders, "Expiration Date")

    def is_in(annotated, fact):
        begins, spans = annotated
        at = begins[fact["page"] - 1] + fact["char_start"]
        return any(start - 200 <= at < end for start, end in spans)

    numbers = {name: number for number, name in enumerate(caps)}
    sentences = {line["document"]: line["sentences"] for line in map(json.loads, scores.read_text().splitlines())}
    found = {kind: [] for kind in CLAUSES}
    for line in map(json.loads, evidence.read_text().splitlines()):
        name = line["document"].removesuffix(".txt")
        for fact, _, in_contract in line["evidence"]:
            kind = fact["kind"]
            if kind not in CLAUSES or not in_contract or isinstance(kind, dict):
                continue
            if kind == "liability_cap":
                right = is_in(caps[name], fact)
            elif kind == "expiry" and sheet.is_formula(fact["value"]):
                right = is_in(terms[name], fact)
            else:
                wanted = gold[name][kind]
                if wanted is None:
                    continue
                right = bool(wanted) and sheet.right(kind, wanted, fact["value"])
            near, most = near_and_most(sentences.get(name), fact, CLAUSES[kind])
            features = [fact["confidence"] / 100, near, most, float(fact["computed"] is not None)]
            found[kind].append((numbers[name], features, bool(right)))
    return found, numbers


def fitted(features, right):
    """Offset and weights, found with mild regularisation on standardised features."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    middle, spread = features.mean(axis=0), np.maximum(features.std(axis=0), 1e-6)
    spread = np.where(features.std(axis=0) < 1e-6, np.inf, spread)
    model = LogisticRegression(C=1.0).fit(np.vstack([(features - middle) / spread, np.zeros((2, features.shape[1]))]),
                                          np.append(right, [True, False]))
    weights = np.maximum(model.coef_[0] / spread, [0, 0, 0, -np.inf])
    return model.intercept_[0] - weights @ middle, weights


def stated(fit, features):
    import numpy as np
    return 1 / (1 + np.exp(-(fit[0] + features @ fit[1])))


def unseen(features, right, owner, own):
    """Probabilities of these rows, each by a fit that did not read its contract."""
    import numpy as np
    found = np.zeros(len(right))
    for fold in range(clauses.FOLDS):
        out = own & (owner % clauses.FOLDS == fold)
        found[out] = stated(fitted(features[own & ~out], right[own & ~out]), features[out])
    return found


def bound(probability, right):
    """The least bound with which both goals are reached; if there is none, that with which the facts that are shown are worth most."""
    import numpy as np
    choices = np.unique(np.round(np.append(probability, 0.5), 3))
    choices = choices[choices >= 0.5]
    for at in choices:
        shown = probability >= at
        if shown.any() and right[shown].mean() >= PRECISION and right[shown].sum() >= KEPT * right.sum():
            return float(at)
    worth = {at: right[probability >= at].sum() - COST * (~right[probability >= at]).sum() for at in choices}
    return float(max(worth, key=lambda at: (worth[at], -at)))


def main():
    evidence, scores, *folders = map(Path, sys.argv[1:])
    clauses.in_environment()
    import numpy as np
    found, _ = examples(evidence, scores, folders)
    text = "# How sure facts are. scripts/train/confidence.py writes this file; src/facts/confidence.rs explains the entries.\n"
    print(f"{'column':16}{'found':>6}{'right':>7}  {'bound':>6}{'shown':>6}{'right':>7}{'kept':>6}{'error':>7}  stated→observed (count)")
    for kind, rows in found.items():
        owner = np.array([number for number, *_ in rows])
        features, right = np.array([row[1] for row in rows]), np.array([row[2] for row in rows])
        own = owner >= clauses.REPORTED
        folds = unseen(features, right, owner, own)
        least = bound(folds[own], right[own])
        fit = fitted(features[own], right[own])
        for label, part, probability in [("folds", own, folds), (kind, ~own, stated(fit, features))]:
            probability, is_right = probability[part], right[part]
            shown = probability >= least
            error, bins = clauses.reliability(probability, is_right)
            lines = " ".join(f"{said:.2f}→{seen:.2f} ({count})" for count, said, seen in bins)
            print(f"{label:16}{len(is_right):6}{is_right.mean():7.3f}  {least:6.3f}{shown.sum():6}{is_right[shown].mean():7.3f}"
                  f"{is_right[shown].sum() / max(is_right.sum(), 1):6.2f}{error:7.3f}  {lines}")
        # The report is done; the table is fitted to all.
        fit, least = fitted(features, right), bound(unseen(features, right, owner, owner >= 0), right)
        weights = dict(zip(["rule", "near", "most", "computed"], fit[1]))
        text += f"\n[{kind}]\noffset = {fit[0]:.3f}\n" + "".join(f"{name} = {weight:.3f}\n" for name, weight in weights.items())
        text += f"shown = {least:.3f}\n"
    OUT.write_text(text)


if __name__ == "__main__":
    main()
