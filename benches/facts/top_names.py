#!/usr/bin/env python3
"""Measures how many of the people and organizations that contracts mention most are what they are said to be.

usage: top_names.py FOLDER [--top N] [--judged FILE] [--models FOLDER] [--example PROGRAM]

FOLDER holds contracts as text files. Every second one by name, from the first, is of the half that the rules were written with ("even");
the others are held out ("odd"). PROGRAM is the example `annotate` of casetrack-nlp, which analyses a text as an ingestion does.
FILE has a line for each judged name: type, name as it is shown, verdict ("right", "wrong") and a remark, divided by tabs. A name is right
if a lawyer would list it under its type: a natural person; a company, authority or other body. Names without a verdict are printed.
"""
import argparse, collections, json, os, pathlib, subprocess

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--top", type=int, default=50)
    parser.add_argument("--judged", default=HERE / "top_names.tsv")
    parser.add_argument("--models", default=HERE.parents[1] / "models")
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("--example", default=os.path.join(target, "release", "examples", "annotate"))
    options = parser.parse_args()
    judged = {}
    for line in open(options.judged):
        if line.strip() and not line.startswith("#"):
            kind, name, verdict = line.rstrip("\n").split("\t")[:3]
            judged[kind, name] = verdict
    files = sorted(pathlib.Path(options.folder).glob("*.txt"))
    for half, chosen in ("even", files[::2]), ("odd", files[1::2]):
        entities = most_mentioned(options, chosen)
        for kind in "person", "organization":
            top = [entity for entity in entities if entity[0] == kind][: options.top]
            verdicts = collections.Counter(judged.get(entity[:2], "without a verdict") for entity in top)
            share = verdicts["right"] / max(1, len(top))
            print(f"{half}, {len(chosen)} contracts, {kind}: {verdicts['right']} of {len(top)} = {share:.3f}", dict(verdicts))
            for _, name, mentions, confidence in top:
                if (kind, name) not in judged:
                    print(f"  {kind}\t{name}\t({mentions} mentions, confidence {confidence})")


def most_mentioned(options, files):
    """[type, name, mentions, confidence] of all entities, most mentioned first."""
    run = subprocess.run([options.example, options.models, "--names", *files], capture_output=True, text=True, check=True)
    mentions, names, confidences = collections.Counter(), {}, collections.Counter()
    for line in run.stdout.splitlines():
        for kind, key, name, count, _, confidence in json.loads(line):
            mentions[kind, key] += count
            names.setdefault((kind, key), collections.Counter())[name] += 1
            confidences[kind, key] = max(confidences[kind, key], confidence)
    order = sorted(mentions, key=lambda entity: (-mentions[entity], entity))
    # The name that most files use; of these the longest.
    name = lambda entity: max(names[entity].items(), key=lambda item: (item[1], len(item[0]), item[0]))[0]
    return [(entity[0], name(entity), mentions[entity], confidences[entity]) for entity in order]


if __name__ == "__main__":
    main()
