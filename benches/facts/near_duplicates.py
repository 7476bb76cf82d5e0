#!/usr/bin/env python3
"""Measures how versions and near-duplicates are found: contracts with altered copies, in one collection.

usage: near_duplicates.py CONTRACTS [--copies N] [--seed N] [--least SHARE] [--program PROGRAM] [--show N]

CONTRACTS is a folder of contracts as plain text. Of each contract there are N copies (3 unless said otherwise), in each of which 1 to 20 per
cent of the words are replaced, deleted or doubled, at random; in every second copy up to a fifth of the paragraphs is left out or taken from
another contract as well. Every third copy is a DOCX file, every third an RTF file.

Recall is the share of the copies that are in a group with their original. Precision is the share of pairs in one group that have the same
original; contracts that share at least 30 per cent of their five-word sequences before anything was altered count as one original, and are
counted. Passages are embedded by one layer of the model, because vectors play
no part. Ingestion takes some ten minutes. Needs the Python standard library only.
"""
import argparse, itertools, json, os, random, re, subprocess, tempfile, time
from pathlib import Path

from redline import NAMES, models, write


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("contracts", type=Path)
    parser.add_argument("--copies", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=0.25, help="least similarity of a group")
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("--program", default=os.path.join(target, "release", "casetrack"))
    parser.add_argument("--show", type=int, default=0, help="misses and wrong pairs to print")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="casetrack-copies-") as folder:
        measure(options, Path(folder))


def measure(options, work):
    rng = random.Random(options.seed)
    files = sorted(options.contracts.glob("*.txt"))
    texts = [[one.strip() for one in re.split(r"\n\s*\n", file.read_text(encoding="utf-8", errors="replace")) if one.strip()]
             for file in files]
    (work / "files").mkdir()
    origin, share = {}, {}
    for number, paragraphs in enumerate(texts):
        name = f"{number:03}.txt"
        write(work / "files" / name, paragraphs)
        origin[name] = number
        for copy in range(options.copies):
            # Names and dates say nothing about what belongs together.
            name = f"copy {rng.randrange(10**9):09}.{('txt', 'docx', 'rtf')[copy % 3]}"
            share[name] = rng.uniform(0.01, 0.2)
            altered_copy = [altered(text, share[name], rng) for text in paragraphs]
            if copy % 2 == 0:
                other = texts[rng.randrange(len(texts))]
                altered_copy = [text if rng.random() > 0.2 * rng.random() else rng.choice([None, rng.choice(other)]) for text in altered_copy]
            copied = [text for text in altered_copy if text]
            if name.endswith(".rtf"):
                write_rtf(work / "files" / name, copied)
            else:
                write(work / "files" / name, copied)
            origin[name] = number
    sets = [shingles(" ".join(text)) for text in texts]
    same = list(range(len(texts)))
    for a, b in itertools.combinations(range(len(texts)), 2):
        if sets[a] and len(sets[a] & sets[b]) >= 0.3 * len(sets[a] | sets[b]):
            same[b] = same[a]
            print(f"one original: {files[a].name} and {files[b].name}")
    environment = dict(os.environ, CASETRACK_MODELS=str(models(work)))
    run = lambda *arguments: subprocess.run([options.program, "--data-dir", work / "data", *arguments], check=True, env=environment,
                                            stdout=subprocess.PIPE, text=True).stdout
    run("new", "copies", "-q")
    run("ingest", work / "files", "-c", "copies", "-q")
    group_of, groups, offset = {}, 0, 0
    started = time.monotonic()
    while offset is not None:
        report = json.loads(run("versions", "-c", "copies", "--json", "--limit", "20", "--offset", str(offset), "--min-similarity", str(options.least)))
        for group in report["groups"]:
            groups += 1
            for version in group["versions"]:
                group_of[version["document_name"]] = groups
        offset = report.get("next_offset")
    seconds = time.monotonic() - started
    copies = [name for name in origin if name.startswith("copy")]
    original = lambda name: f"{origin[name]:03}.txt"
    missed = [name for name in copies if name not in group_of or group_of[name] != group_of.get(original(name))]
    pairs, wrong = 0, []
    for a, b in itertools.combinations(sorted(group_of), 2):
        if group_of[a] == group_of[b]:
            pairs += 1
            if same[origin[a]] != same[origin[b]]:
                wrong.append((files[origin[a]].name, files[origin[b]].name))
    for name in missed[: options.show]:
        print(f"missed: a copy of {files[origin[name]].name} with {share[name]:.0%} of its words altered")
    for pair in sorted(set(wrong))[: options.show]:
        print(f"in one group: {pair[0]} and {pair[1]}")
    print(f"{len(texts)} contracts with {len(copies)} copies: recall {1 - len(missed) / len(copies):.3f}, "
          f"precision {1 - len(wrong) / max(pairs, 1):.4f} of {pairs} pairs in {groups} groups; {seconds:.1f} s with the changes counted")


def altered(text, share, rng):
    words = text.split(" ")
    out = []
    for word in words:
        if word and rng.random() < share:
            out.extend(rng.choice([[rng.choice(NAMES)], [], [word, rng.choice(NAMES)]]))
        else:
            out.append(word)
    return " ".join(out)


def shingles(text):
    words = re.findall(r"\w+", text.lower())
    return {hash(tuple(words[at : at + 5])) for at in range(len(words) - 4)}


def write_rtf(path, paragraphs):
    def escaped(text):
        text = " ".join(text.split())
        return "".join("\\" + c if c in "\\{}" else c if 32 <= ord(c) < 127 else f"\\u{ord(c)}?" if 127 <= ord(c) < 32768 else "" for c in text)

    path.write_text("{\\rtf1\\ansi " + "".join(f"{escaped(text)}\\par\n" for text in paragraphs) + "}", encoding="ascii")


if __name__ == "__main__":
    main()
