#!/usr/bin/env python3
"""Draw how often the values of the sheet are right against their stated confidence, for the 100 contracts that the fit does not read.

    scripts/train/reliability.py EVIDENCE SCORES FOLDER... [--bins N]

The arguments are those of `scripts/train/confidence.py`, which also judges and fits. Prints a Markdown table and writes docs/dev/reliability.svg.
"Error" is the expected calibration error of all candidates, and "shown" of those above the bound. "Chance" is the mean error of confidence without
fault: outcomes are drawn 2,000 times from the stated probabilities. A column of few values has an error by chance.
"""
import argparse
from pathlib import Path

import clauses
import confidence

OUT = confidence.ROOT / "docs/dev/reliability.svg"
DRAWS, SEED = 2000, 48
SIDE, GAP, COLUMNS = 150, 46, 4  # pixels of a panel, between panels, panels in a row


def columns(found, bins):
    """[(column, values, right, shown, error, error of shown, error by chance, [(count, stated, observed)])]."""
    import numpy as np
    draw = np.random.default_rng(SEED)
    rows = []
    for kind, examples in found.items():
        owner = np.array([number for number, *_ in examples])
        features, right = np.array([row[1] for row in examples]), np.array([row[2] for row in examples])
        own = owner >= clauses.REPORTED
        least = confidence.bound(confidence.unseen(features, right, owner, own)[own], right[own])
        said, seen = confidence.stated(confidence.fitted(features[own], right[own]), features[~own]), right[~own]
        shown = said >= least
        error, parts = clauses.reliability(said, seen, bins)
        chance = np.mean([clauses.reliability(said, draw.random(len(said)) < said, bins)[0] for _ in range(DRAWS)])
        of_shown = clauses.reliability(said[shown], seen[shown], bins)[0]
        rows.append((kind.replace("_", " "), len(seen), int(seen.sum()), int(shown.sum()), error, of_shown, chance, parts))
    return rows


def table(rows):
    yield "| column | values | right | above bound | error | error above bound | chance | stated → observed (values) |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, count, right, shown, error, of_shown, chance, parts in rows:
        pairs = ", ".join(f"{100 * said:.0f} → {100 * seen:.0f} ({number})" for number, said, seen in parts)
        figures = " | ".join(f"{figure:.3f}".lstrip("0") for figure in (error, of_shown, chance))
        yield f"| {name} | {count} | {right} | {shown} | {figures} | {pairs} |"


def drawing(rows):
    lines = -(-len(rows) // COLUMNS)
    width, height = COLUMNS * (SIDE + GAP) + GAP, lines * (SIDE + GAP + 20) + GAP
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">'
           f'<rect width="{width}" height="{height}" fill="#fff"/>')
    for at, (name, count, *_, parts) in enumerate(rows):
        x, y = GAP + at % COLUMNS * (SIDE + GAP), GAP + at // COLUMNS * (SIDE + GAP + 20)
        yield f'<g transform="translate({x} {y})"><text y="-8" font-weight="bold">{name} ({count})</text>'
        yield f'<rect width="{SIDE}" height="{SIDE}" fill="none" stroke="#999"/><path d="M0 {SIDE}L{SIDE} 0" stroke="#bbb" stroke-dasharray="4 3"/>'
        for number, said, seen in parts:
            radius = 2.5 + 9 * (number / count) ** 0.5
            yield (f'<circle cx="{SIDE * said:.1f}" cy="{SIDE * (1 - seen):.1f}" r="{radius:.1f}" fill="#2563eb" fill-opacity=".6">'
                   f"<title>stated {said:.2f}, observed {seen:.2f}, {number} values</title></circle>")
        yield (f'<text x="{SIDE / 2}" y="{SIDE + 15}" text-anchor="middle">stated</text>'
               f'<text transform="translate(-6 {SIDE / 2}) rotate(-90)" text-anchor="middle">observed</text></g>')
    yield "</svg>"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("evidence", type=Path)
    parser.add_argument("scores", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--bins", type=int, default=5)
    arguments = parser.parse_args()
    clauses.in_environment()
    found, _ = confidence.examples(arguments.evidence, arguments.scores, arguments.folders)
    rows = columns(found, arguments.bins)
    print("\n".join(table(rows)))
    OUT.write_text("\n".join(drawing(rows)) + "\n")


if __name__ == "__main__":
    main()
