#!/usr/bin/env python3
"""Train the model of clauses from annotated contracts, and report its quality on contracts that it was not trained on.

    cargo build --locked -p casetrack-nlp --examples
    scripts/train/clauses.py EXAMPLE FOLDER... [--scores FILE] [--check]

EXAMPLE is the example program `clauses` of casetrack-nlp, which prints sentences with their features, or a file that it printed (*.jsonl). Each
FOLDER holds txt/, manifest.jsonl and clauses.jsonl, with the annotations of CUAD v1 (The Atticus Project, CC BY 4.0).

The 100 contracts whose names have the smallest SHA-256 are for the report: its model, probabilities and bounds come from the others, by ten folds.
Then the model is trained again on all contracts, with the probabilities and bounds of the scores of both steps, which are of models that did not read
the contract. This model is written to crates/casetrack-nlp/data/clauses/weights.bin, whose form is in src/facts/clauses/model.rs, and its SHA-256 to
weights.toml. --check only compares the file with that hash. --scores keeps the scores of all sentences, for scripts/train/confidence.py.

The model is a linear support vector machine for each kind of clause, over words, pairs of words, the heading above and the sentences beside. Rare
features weigh more (inverse document frequency). The script makes a virtual environment with numpy and scikit-learn in ~/.cache/casetrack-train.
"""
import argparse
import hashlib
import json
import os
import re
import struct
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "crates/casetrack-nlp/data/clauses"
CODE = ROOT / "crates/casetrack-nlp/src/facts/clauses/mod.rs"
PACKAGES = ["numpy==2.4.6", "scipy==1.17.1", "scikit-learn==1.9.1"]
REPORTED = 100
# The categories of CUAD for each kind of clause. The order is that of the enum `Clause`.
KINDS = {
    "assignment": ["Anti-Assignment"], "change_of_control": ["Change Of Control"], "liability_cap": ["Cap On Liability"],
    "uncapped_liability": ["Uncapped Liability"], "exclusivity": ["Exclusivity"], "non_compete": ["Non-Compete"],
    "no_solicit": ["No-Solicit Of Employees", "No-Solicit Of Customers"], "most_favoured_nation": ["Most Favored Nation"],
    "first_refusal": ["Rofr/Rofo/Rofn"], "audit": ["Audit Rights"], "insurance": ["Insurance"],
    "termination_for_convenience": ["Termination For Convenience"], "renewal": ["Renewal Term"],
    "notice": ["Notice Period To Terminate Renewal"], "term": ["Expiration Date"], "governing_law": ["Governing Law"],
    "liquidated_damages": ["Liquidated Damages"], "minimum_commitment": ["Minimum Commitment"], "licence": ["License Grant"],
    "ip_ownership": ["Ip Ownership Assignment", "Joint Ip Ownership"], "warranty_duration": ["Warranty Duration"],
    "post_termination": ["Post-Termination Services"], "covenant_not_to_sue": ["Covenant Not To Sue"],
    "non_disparagement": ["Non-Disparagement"], "volume_restriction": ["Volume Restriction"], "effective_date": ["Effective Date"],
}
BUCKETS = 1 << 20
# The best of a few by the folds: weights of words, heading and neighbours, and the power of a group's size by which its sum is divided.
GROUPS = (1.0, 0.15, 0.15)
POWER = 0.4
PENALTY = 1.0  # the inverse strength of regularisation
FEWEST = 3  # sentences that have a bucket
NEGATIVES = 0.5  # share of the sentences without any annotation that is read
MOST = 80_000  # buckets that are written: those with the greatest weights
FOLDS = 10
LONGEST_LIST = 6  # a quotation that occurs more often is a term, such as "Effective Date", not a clause
SHORTEST_PART = 40  # characters of a part of a quotation that is looked for
BEST = 3  # sentences of a contract whose mean score counts, as in src/facts/clauses/mod.rs
LEAST = -3.0  # least score, as there
BOUNDS = (0.35, 0.8)  # range of the least probability that is shown
CANDIDATE = 0.5  # of the least probability that is shown


def in_environment():
    """Runs this script again in its virtual environment, if it is not in it."""
    folder = Path.home() / ".cache/casetrack-train"
    python = folder / "bin/python"
    if Path(sys.prefix) == folder:
        return
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    os.execv(python, [str(python), *sys.argv])


def contracts(folders):
    """{name: (path of its text, {category: annotations})}, in the order of the hashes of the names."""
    found = {}
    for folder in folders:
        for line in (folder / "manifest.jsonl").read_text().splitlines():
            name = json.loads(line)["_id"]
            found[name] = (folder / "txt" / f"{name}.txt", {})
        for line in (folder / "clauses.jsonl").read_text().splitlines():
            clause = json.loads(line)
            if clause["file"] in found:
                found[clause["file"]][1].setdefault(clause["category"], []).append(clause)
    return {name: found[name] for name in sorted(found, key=lambda name: hashlib.sha256(name.encode()).hexdigest())}


def text_of(path):
    return path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")


def sentences_of(example, found):
    """The sentences of each contract, with their characters in the whole text."""
    paths = [str(path) for path, _ in found.values()]
    if example.endswith(".jsonl"):
        lines = Path(example).read_text().splitlines()
    else:
        lines = subprocess.run([example, *paths], check=True, capture_output=True, text=True).stdout.splitlines()
    lines = {json.loads(line)["document"]: line for line in lines}
    for name, (path, _) in found.items():
        line = lines[name]
        begins = [0] + [at.end() for at in re.finditer("\f", text_of(path))]
        sentences = json.loads(line)["sentences"]
        for sentence in sentences:
            sentence["span"] = tuple(begins[sentence["page"] - 1] + sentence[at] for at in ("char_start", "char_end"))
        yield sentences


def places_of(quote, text):
    """Where a quotation is. Of a quotation with words left out, the places of its longer parts."""
    places = quote["spans"] if len(quote["spans"]) <= LONGEST_LIST else []
    if not quote["spans"]:
        for part in map(str.split, quote["text"].split("<omitted>")):
            found = len(" ".join(part)) >= SHORTEST_PART and re.search(r"\s+".join(map(re.escape, part)), text)
            places = places + ([found.span()] if found else [])
    return places


def is_annotated(spans, annotations, kind, text):
    """Which sentences share half of themselves, or half of an annotation, with an annotation of a kind."""
    import numpy as np
    starts, ends = spans
    found = np.zeros(len(starts), bool)
    for category in KINDS[kind]:
        for quote in (quote for clause in annotations.get(category, []) for quote in clause["quotes"]):
            for start, end in places_of(quote, text):
                shared = np.minimum(ends, end) - np.maximum(starts, start)
                found |= shared >= np.maximum(1, np.minimum(0.5 * (ends - starts), 0.5 * (end - start)))
    return found


class Data:
    """Features, labels and the contract of each sentence that may be a clause."""

    def __init__(self, example, folders):
        import numpy as np
        from scipy import sparse
        found = contracts(folders)
        self.names = list(found)
        columns, values, ends, labels, owners = [], [], [0], [], []
        self.places = []
        self.has = np.zeros((len(found), len(KINDS)), bool)
        for number, (sentences, (path, annotations)) in enumerate(zip(sentences_of(example, found), found.values(), strict=True)):
            text = text_of(path)
            spans = np.array([sentence["span"] for sentence in sentences], int).reshape(-1, 2).T
            marked = np.array([is_annotated(spans, annotations, kind, text) for kind in KINDS]).T
            self.has[number] = [any(c["quotes"] for category in KINDS[kind] for c in annotations.get(category, [])) for kind in KINDS]
            for sentence, label in zip(sentences, marked):
                if not sentence["is_clause"]:
                    continue
                for weight, group in zip(GROUPS, sentence["groups"]):
                    columns += group
                    values += [weight * max(len(group), 1) ** -POWER] * len(group)
                ends.append(len(columns))
                labels.append(label)
                owners.append(number)
                self.places.append([sentence["page"], sentence["char_start"], sentence["char_end"]])
        shape = (len(owners), BUCKETS)
        self.features = sparse.csr_matrix((np.array(values, np.float32), np.array(columns, np.int32), np.array(ends)), shape=shape)
        self.features.sum_duplicates()
        self.labels, self.owners = np.array(labels), np.array(owners)


def trained(data, rows):
    """The buckets of the model, their weights for each kind, and the bias of each kind, from these sentences."""
    import numpy as np
    from scipy import sparse
    from sklearn.svm import LinearSVC
    marked = data.labels.any(axis=1)
    read = rows & (marked | (np.random.default_rng(0).random(len(rows)) < NEGATIVES))
    often = np.asarray((data.features[rows] > 0).sum(axis=0)).ravel()
    kept = np.where(often >= FEWEST)[0]
    rarity = np.log((1 + rows.sum()) / (1 + often[kept]))
    rarity /= rarity.mean()
    features = data.features[read][:, kept] @ sparse.diags(rarity)
    sample = np.where(marked[read], 1, 1 / NEGATIVES)
    models = [LinearSVC(C=PENALTY, tol=0.05, max_iter=300, random_state=0).fit(features, labels, sample_weight=sample)
              for labels in data.labels[read].T]
    return kept, np.array([model.coef_[0] for model in models]).T * rarity[:, None], np.array([model.intercept_[0] for model in models])


def scored(data, rows, model):
    kept, weights, bias = model
    return data.features[rows][:, kept] @ weights + bias


def best(data, scores, numbers):
    """The best score of each kind in each of these contracts, the mean of its best, and true if the sentence of the best is annotated."""
    import numpy as np
    shape = (len(numbers), len(KINDS))
    top, mean, right = np.full(shape, LEAST), np.full(shape, LEAST), np.zeros(shape, bool)
    for at, number in enumerate(numbers):
        rows = np.where(data.owners == number)[0]
        if len(rows):
            own = np.maximum(scores[rows], LEAST)
            mean[at] = -np.sort(-np.vstack([own, np.full((BEST, len(KINDS)), LEAST)]), axis=0)[:BEST].mean(axis=0)
            chosen = rows[np.argmax(scores[rows], axis=0)]
            top[at], right[at] = own.max(axis=0), data.labels[chosen, range(len(KINDS))]
    return top, mean, right


def f1(shown, has):
    return 2 * (shown & has).sum() / max(shown.sum() + has.sum(), 1)


def stated(fit, top, mean):
    """The probability that a contract has the clause."""
    import numpy as np
    slope, slope_of_mean, offset = fit[:3]
    return 1 / (1 + np.exp(-(slope * top + slope_of_mean * mean + offset)))


def fitted(top, mean, has):
    """Slopes and offset of the probability that a contract has the clause, and the bound with the best F1."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    features = np.array([top, mean]).T
    # As Platt did: no probability of 0 or 1 follows from few examples.
    features, answers = np.vstack([features, features.min(axis=0), features.max(axis=0)]), np.append(has, [True, False])
    middle, spread = features.mean(axis=0), features.std(axis=0) + 1e-6
    model = LogisticRegression(C=10.0).fit((features - middle) / spread, answers)
    slopes = np.maximum(model.coef_[0] / spread, 0)
    fit = (*slopes, model.intercept_[0] - slopes @ middle)
    probability = stated(fit, top, mean)
    bounds = np.unique(np.round(probability, 3))
    bounds = np.append(bounds[(bounds >= BOUNDS[0]) & (bounds <= BOUNDS[1])], 0.5)
    # The F1 that was observed goes up and down with a few contracts, and the one that the probabilities predict does not.
    observed = np.array([f1(probability >= bound, has) for bound in bounds])
    shown = [probability >= bound for bound in bounds]
    predicted = np.array([2 * probability[at].sum() / (at.sum() + probability.sum()) for at in shown])
    return *fit, float(bounds[np.argmax(observed + predicted)])


def written(model, fits):
    """The bytes of the file, and the model as its reader has it."""
    import numpy as np
    kept, weights, bias = model
    scale = np.maximum(np.abs(weights).max(axis=0), 1e-6) / 127
    small = np.round(weights / scale)
    used = np.sort(np.argsort(-np.abs(small).max(axis=1), kind="stable")[:MOST])
    kept, small = kept[used], small[used].astype(np.int8)
    head = b"CTCLAUS2" + struct.pack("<II4f", len(kept), len(KINDS), *GROUPS, POWER)
    for kind, (slope, slope_of_mean, offset, bound) in enumerate(fits):
        head += struct.pack("<7f", scale[kind], bias[kind], slope, slope_of_mean, offset, bound, bound * CANDIDATE)
    return head + kept.astype("<u4").tobytes() + small.tobytes(), (kept, small * scale, bias)


def reliability(probability, right, bins=5):
    """Expected calibration error, and (count, stated, observed) of each bin."""
    import numpy as np
    at, rows = np.minimum((probability * bins).astype(int), bins - 1), []
    for number in range(bins):
        if (at == number).any():
            rows.append((int((at == number).sum()), float(probability[at == number].mean()), float(right[at == number].mean())))
    return sum(count * abs(stated - observed) for count, stated, observed in rows) / len(right), rows


def report(data, scores, numbers, fits):
    import numpy as np
    top, mean, right = best(data, scores, numbers)
    has = data.has[numbers]
    print(f"{'kind':28}{'has':>5}{'shown':>6}{'precision':>10}{'recall':>8}{'F1':>7}{'annotated':>10}{'error':>7}  stated→observed (count)")
    for kind, (name, fit) in enumerate(zip(KINDS, fits)):
        probability = stated(fit, top[:, kind], mean[:, kind])
        shown, is_in = probability >= fit[3], has[:, kind]
        hit = shown & is_in
        error, rows = reliability(probability, is_in)
        text = " ".join(f"{stated:.2f}→{observed:.2f} ({count})" for count, stated, observed in rows)
        print(f"{name:28}{is_in.sum():5}{shown.sum():6}{hit.sum() / max(shown.sum(), 1):10.2f}{hit.sum() / max(is_in.sum(), 1):8.2f}"
              f"{f1(shown, is_in):7.2f}{right[hit, kind].sum() / max(hit.sum(), 1):10.2f}{error:7.3f}  {text}")


def keep_scores(data, scores, path):
    with path.open("w") as file:
        for number, name in enumerate(data.names):
            rows = [int(row) for row in (data.owners == number).nonzero()[0]]
            sentences = [data.places[row] + [round(float(score), 2) for score in scores[row]] for row in rows]
            file.write(json.dumps({"document": name, "sentences": sentences}) + "\n")


def fits_of(data, scores, numbers):
    top, mean, _ = best(data, scores, numbers)
    return [fitted(top[:, kind], mean[:, kind], data.has[numbers][:, kind]) for kind in range(len(KINDS))]


def train(options):
    import numpy as np
    names = re.findall(r'^    \w+ = "(\w+)",$', CODE.read_text(), re.M)
    if names != list(KINDS):
        sys.exit(f"The kinds of {CODE} are not those of this script.")
    data = Data(options.example, options.folder)
    numbers = np.arange(len(data.names))
    held, own = numbers[:REPORTED], numbers[REPORTED:]
    scores = np.full(data.labels.shape, LEAST)
    for fold in range(FOLDS):
        left_out = np.isin(data.owners, own[fold::FOLDS])
        scores[left_out] = scored(data, left_out, trained(data, (data.owners >= REPORTED) & ~left_out))
    fits = fits_of(data, scores, own)
    print("folds of the contracts for training:")
    report(data, scores, own, fits)
    is_held = data.owners < REPORTED
    content, model = written(trained(data, ~is_held), fits)
    scores[is_held] = scored(data, is_held, model)
    print(f"\n{REPORTED} contracts that were not read, {len(content)} bytes of weights:")
    report(data, scores, held, fits)
    if options.scores:
        keep_scores(data, scores, options.scores)
    content, _ = written(trained(data, data.owners >= 0), fits_of(data, scores, numbers))
    (DATA / "weights.bin").write_bytes(content)
    (DATA / "weights.toml").write_text(f"""# The weights of the model of clauses. After a change: scripts/train/clauses.py --check

source = "{len(numbers)} contracts of CUAD v1 (The Atticus Project), annotated by lawyers"
licence = "CC BY 4.0, https://creativecommons.org/licenses/by/4.0/"
recipe = "scripts/train/clauses.py"
sha256 = "{hashlib.sha256(content).hexdigest()}"
""")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("example", nargs="?")
    parser.add_argument("folder", nargs="*", type=Path)
    parser.add_argument("--scores", type=Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.check:
        wanted = tomllib.loads((DATA / "weights.toml").read_text())["sha256"]
        if hashlib.sha256((DATA / "weights.bin").read_bytes()).hexdigest() != wanted:
            sys.exit("weights.bin is not the file that weights.toml names.")
        return
    if not options.folder:
        parser.error("name the example program and the folders of contracts")
    in_environment()
    train(options)


if __name__ == "__main__":
    main()
