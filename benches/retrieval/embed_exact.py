#!/usr/bin/env python3
"""Compares CaseTrack's embeddings with ONNX Runtime in float32 on the same weights, text by text.

usage: embed_exact.py [--casetrack PROGRAM] [--texts N] [--models e1 e6 e12] [--reference-only]

The texts (500, seeded) have 1 to 510 word pieces, in Latin, Cyrillic, Greek, Chinese, Japanese, Korean, Arabic, Hebrew and
Devanagari script, emoji, numbers, punctuation and English clauses. Bars, for every text:
  e1   dense vectors: cosine at least 0.9999
  e6   sparse weights: no term differs by more than 0.001 (a term that is missing has weight 0)
  e12  token vectors, unquantised: all tokens of the kept kinds are there, in order, and each has a cosine of at least 0.9999
Prints a table for each model; ends with status 1 if a bar is missed.
Needs: pip install numpy onnx onnxruntime safetensors tokenizers
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

import multilingual_texts
import reference

LEAST_COSINE = 0.9999
MOST_DIFFERENCE = 0.001


def embed(program, model, texts):
    """What the program under test gives for each text, in order."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        for i, text in enumerate(texts):
            file.write(json.dumps({"id": i, "text": text}) + "\n")
        file.flush()
        exact = ["--exact"] if model == "e12" else []
        done = subprocess.run([program, "embed", "--model", model, *exact, file.name], stdout=subprocess.PIPE, check=True)
    rows = [json.loads(line) for line in done.stdout.decode().splitlines()]
    if [row["id"] for row in rows] != list(range(len(texts))):
        sys.exit(f"{model}: {len(rows)} lines, or not in the order of the input's {len(texts)}")
    return rows


def cosine(a, b):
    return (reference.normalised(np.asarray(a, np.float64)) * reference.normalised(np.asarray(b, np.float64))).sum(-1)


class E1:
    """(worst value, mean value, what is wrong or None) of a text, given the reference's output and the program's."""
    columns = ("lowest cosine", "mean cosine")
    worst, encoder = min, staticmethod(lambda: reference.Encoder(reference.E1))

    def compare(self, encoder, text, states, row):
        value = cosine(states.mean(0), row["vector"])
        return value, value, None if value >= LEAST_COSINE else f"cosine {value:.6f}"


class E6:
    columns = ("largest diff.", "mean of largest")
    worst, encoder = max, staticmethod(lambda: reference.Encoder(reference.E6, "splade"))

    def compare(self, encoder, text, weights, row):
        expected = {encoder.tokenizer.id_to_token(int(i)): weights[i] for i in np.flatnonzero(weights)}
        found = row["terms"]
        off = {term: abs(expected.get(term, 0) - found.get(term, 0)) for term in expected.keys() | found.keys()}
        term, value = max(off.items(), key=lambda item: item[1], default=("", 0.0))
        fault = None
        if value > MOST_DIFFERENCE:
            fault = f"{term!r} is {found.get(term, 0):.4f}, expected {expected.get(term, 0):.4f}"
        return value, value, fault


class E12:
    columns = ("lowest cosine", "mean cosine")
    worst, encoder = min, staticmethod(lambda: reference.Encoder(reference.E1))

    def compare(self, encoder, text, states, row):
        tokens = encoder.tokenizer.encode(text).tokens
        kinds = set(row["tokens"])
        kept = [i for i, token in enumerate(tokens) if token in kinds]
        if [tokens[i] for i in kept] != row["tokens"] or len(row["vectors"]) != len(kept):
            return 0.0, 0.0, f"{len(row['vectors'])} vectors of {len(row['tokens'])} tokens, expected {len(kept)}"
        if not kept:
            return 1.0, 1.0, None
        values = cosine(states[kept], row["vectors"])
        low = values.min()
        return low, values.mean(), None if low >= LEAST_COSINE else f"{row['tokens'][int(values.argmin())]!r}: cosine {low:.6f}"


MODELS = {"e1": E1, "e6": E6, "e12": E12}


def check(name, made, program):
    """Prints the model's table; True if every text keeps the bar."""
    model = MODELS[name]()
    encoder = model.encoder()
    texts = [text for _, text in made]
    outputs = encoder.all(texts)
    if program is None:
        print(f"{name}: the reference gives {len(outputs)} outputs, all finite: {all(np.isfinite(o).all() for o in outputs)}")
        return True
    results = {}
    faults = []
    for (kind, text), ids, output, row in zip(made, encoder.tokenize(texts), outputs, embed(program, name, texts)):
        worst, mean, fault = model.compare(encoder, text, output, row)
        for group in (kind, "all"):
            results.setdefault(group, []).append((len(ids), worst, mean))
        if fault:
            faults.append(f"{name}: text {row['id']} ({kind}, {len(ids)} tokens): {fault}")
    print(f"\n{name:12} {'texts':>6} {'tokens':>9} " + " ".join(f"{column:>15}" for column in model.columns))
    for group in [*(g for g in results if g != "all"), "all"]:
        tokens, worst, mean = zip(*results[group])
        lengths = f"{min(tokens)}-{max(tokens)}"
        print(f"{group:12} {len(tokens):6} {lengths:>9} {MODELS[name].worst(worst):15.7f} {np.mean(mean):15.7f}")
    for fault in faults[:10]:
        print(fault)
    print(f"{name}: {len(made) - len(faults)} of {len(made)} texts keep the bar")
    return not faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("--lab", default=os.path.join(target, "release", "casetrack-lab"))
    parser.add_argument("--texts", type=int, default=500)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--reference-only", action="store_true", help="only run the reference")
    options = parser.parse_args()
    made = multilingual_texts.texts(reference.Encoder(reference.E1).tokenizer, options.texts)
    program = None if options.reference_only else options.lab
    sys.exit(0 if all([check(name, made, program) for name in options.models]) else 1)


if __name__ == "__main__":
    main()
