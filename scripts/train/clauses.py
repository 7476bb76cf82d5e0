#!/usr/bin/env python3
"""Train the model of clauses from annotated contracts, and report its quality on contracts that it was not trained on.

    cargo build --locked -p casetrack-nlp --examples
    scripts/train/clauses.py EXAMPLE FOLDER... [--scores FILE] [--check]

EXAMPLE is the example program `clauses` of casetrack-nlp, which prints sentences with their features, or a file that it printed (*.jsonl). Each FOLDER holds txt/, manifest.jsonl and
clauses.jsonl, with the annotations of CUAD v1 (The Atticus Project, CC BY 4.0). The 100 contracts whose names have the smallest SHA-256 are
for the report. The others are for training; four folds of them set thresholds and probabilities. Writes crates/casetrack-nlp/data/clauses/weights.bin,
whose form is in src/facts/clauses/model.rs, and its SHA-256 in weights.toml. --check only compares the file with that hash. --scores keeps the scores
of all sentences, each by a model that did not read their contract, for scripts/train/confidence.py.

The model is a logistic regression for each kind of clause, over words, pairs of words, the heading above and the sentences beside. The script
makes a virtual environment with numpy and scikit-learn in ~/.cache/casetrack-train.
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
BUCKETS = 1 << 18
GROUPS = (1.0, 0.5, 0.3)  # weights of words, heading and neighbours; with POWER and PENALTY the best of a few by the folds
POWER = 0.25
PENALTY = 4.0  # the inverse strength of regularisation
FEWEST = 3  # sentences that have a bucket
NEGATIVES = 0.3  # share of the sentences without any annotation that is read
SMALLEST = 3  # of 127: buckets with smaller weights for every kind are left out
FOLDS = 4
LONGEST_LIST = 6  # a quotation that occurs more often is a term, such as "Effective Date", not a clause
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
        text = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
        begins = [0] + [at.end() for at in re.finditer("\f", text)]
        sentences = json.loads(line)["sentences"]
        for sentence in sentences:
            sentence["span"] = tuple(begins[sentence["page"] - 1] + sentence[at] for at in ("char_start", "char_end"))
        yield sentences


def is_annotated(spans, annotations, kind):
    """Which sentences share half of themselves, or half of an annotation, with an annotation of a kind."""
    import numpy as np
    starts, ends = spans
    found = np.zeros(len(starts), bool)
    for category in KINDS[kind]:
        for quote in (quote for clause in annotations.get(category, []) for quote in clause["quotes"]):
            for start, end in quote["spans"] if len(quote["spans"]) <= LONGEST_LIST else []:
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
        for number, (sentences, (_, annotations)) in enumerate(zip(sentences_of(example, found), found.values(), strict=True)):
            spans = np.array([sentence["span"] for sentence in sentences], int).reshape(-1, 2).T
            marked = np.array([is_annotated(spans, annotations, kind) for kind in KINDS]).T
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


def trained(data, rows, kept):
    """Weights and bias of each kind, from these sentences and the features that are kept."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    marked = data.labels.any(axis=1)
    read = rows & (marked | (np.random.default_rng(0).random(len(rows)) < NEGATIVES))
    features, weights = data.features[read][:, kept], np.where(marked[read], 1, 1 / NEGATIVES)
    found = []
    for kind in range(len(KINDS)):
        model = LogisticRegression(C=PENALTY, solver="liblinear", tol=0.01)
        model.fit(features, data.labels[read, kind], sample_weight=weights)
        found.append((model.coef_[0], model.intercept_[0]))
    return np.array([weight for weight, _ in found]).T, np.array([bias for _, bias in found])


def often(data, rows):
    import numpy as np
    return np.where(np.asarray((data.features[rows] > 0).sum(axis=0)).ravel() >= FEWEST)[0]


def best(data, scores, numbers):
    """The best score of each kind in each of these contracts, and true if its sentence is annotated."""
    import numpy as np
    top, right = np.full((len(numbers), len(KINDS)), -50.0), np.zeros((len(numbers), len(KINDS)), bool)
    for at, number in enumerate(numbers):
        rows = np.where(data.owners == number)[0]
        if len(rows):
            chosen = rows[np.argmax(scores[rows], axis=0)]
            top[at], right[at] = scores[chosen, range(len(KINDS))], data.labels[chosen, range(len(KINDS))]
    return top, right


def f1(shown, has):
    return 2 * (shown & has).sum() / max(shown.sum() + has.sum(), 1)


def calibrated(top, has):
    """Slope and offset of the probability that a contract has the clause, and the bound with the best F1, but at least one half."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    # As Platt did: no probability of 0 or 1 follows from few examples.
    model = LogisticRegression(C=1.0).fit(np.append(top, [top.min(), top.max()])[:, None], np.append(has, [True, False]))
    slope, offset = max(model.coef_[0, 0], 0.05), model.intercept_[0]
    probability = 1 / (1 + np.exp(-(slope * top + offset)))
    bounds = np.unique(np.round(np.append(probability, 0.5), 3))
    bounds = bounds[(bounds >= 0.5) & (bounds <= 0.8)]
    # Of bounds that are about as good, the middle one.
    values = np.array([f1(probability >= bound, has) for bound in bounds])
    good = bounds[values >= values.max() - 0.005]
    return slope, offset, float(np.median(good))


def written(kept, weights, bias, fits):
    import numpy as np
    scale = np.maximum(np.abs(weights).max(axis=0), 1e-6) / 127
    small = np.round(weights / scale).astype(np.int8)
    used = np.abs(small).max(axis=1) >= SMALLEST
    kept, small = kept[used], small[used]
    head = b"CTCLAUS1" + struct.pack("<II4f", len(kept), len(KINDS), *GROUPS, POWER)
    for kind, (slope, offset, bound) in enumerate(fits):
        head += struct.pack("<6f", scale[kind], bias[kind], slope, offset, bound, bound * CANDIDATE)
    return head + kept.astype("<u4").tobytes() + small.tobytes(), kept, small * scale


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
    top, right = best(data, scores, numbers)
    has = data.has[numbers]
    print(f"{'kind':28}{'has':>5}{'shown':>6}{'precision':>10}{'recall':>8}{'F1':>7}{'annotated':>10}{'error':>7}  stated→observed (count)")
    for kind, (name, (slope, offset, bound)) in enumerate(zip(KINDS, fits)):
        probability = 1 / (1 + np.exp(-(slope * top[:, kind] + offset)))
        shown, is_in = probability >= bound, has[:, kind]
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


def train(options):
    import numpy as np
    names = re.findall(r'^    \w+ = "(\w+)",$', CODE.read_text(), re.M)
    if names != list(KINDS):
        sys.exit(f"The kinds of {CODE} are not those of this script.")
    data = Data(options.example, options.folder)
    numbers = np.arange(len(data.names))
    held, own = numbers[:REPORTED], numbers[REPORTED:]
    scores = np.full(data.labels.shape, -50.0)
    for fold in range(FOLDS):
        left_out = np.isin(data.owners, own[fold::FOLDS])
        rows = (data.owners >= REPORTED) & ~left_out
        kept = often(data, rows)
        weights, bias = trained(data, rows, kept)
        scores[left_out] = data.features[left_out][:, kept] @ weights + bias
    top, _ = best(data, scores, own)
    fits = [calibrated(top[:, kind], data.has[own][:, kind]) for kind in range(len(KINDS))]
    print("folds of the contracts for training:")
    report(data, scores, own, fits)
    rows = data.owners >= REPORTED
    kept = often(data, rows)
    weights, bias = trained(data, rows, kept)
    content, kept, weights = written(kept, weights, bias, fits)
    final = data.features[:, kept] @ weights + bias
    if options.scores:
        keep_scores(data, np.where((data.owners < REPORTED)[:, None], final, scores), options.scores)
    scores = final
    print(f"\n{REPORTED} contracts that were not read, {len(content)} bytes of weights:")
    report(data, scores, held, fits)
    (DATA / "weights.bin").write_bytes(content)
    (DATA / "weights.toml").write_text(f"""# The weights of the model of clauses. After a change: scripts/train/clauses.py --check

source = "{len(own)} contracts of CUAD v1 (The Atticus Project), annotated by lawyers"
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
