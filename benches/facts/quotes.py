#!/usr/bin/env python3
"""Measures how quotations are verified: sentences drawn from contracts, with noise of scans and of typing, and with words changed.

usage: quotes.py CONTRACTS [--half first|second] [--count N] [--work FOLDER] [--program PROGRAM] [--show N]

CONTRACTS is a folder of contracts as plain text. All are ingested; sentences of 8 to 60 words are drawn from every other one (--half;
choose on the first half, report the second). Measured through the tool verify_quote in one session over stdio:

| measured | |
|---|---|
| typography | N/2 sentences with other quotation marks, dashes, ligatures, line breaks and hyphens: share that is exact |
| noise | N/2 more in which a word in twelve has letters that scans confuse, or is broken or joined, or a mark is lost: share that is found |
| altered | N sentences with a number, a name or a "not" changed: number reported as exact, share whose changed word is among the differences |
| pages | N/20 quotations of 9,500 characters with one such change |

A sentence is found where it was drawn, or where a contract has the same words. --work keeps the collection for the next time.
Needs the Python standard library only; ingestion takes some ten minutes on two cores, the calls take one.
"""
import argparse, os, random, re, subprocess, sys, tempfile, time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
from mcp_client import Client  # noqa: E402

NAMES = "Halvorsen Brightwater Castellan Oakhurst Meridian Thornbury Kestrel Vandermeer Lockridge Pemberton".split()
# Letters that a scan confuses.
CONFUSED = [("rn", "m"), ("m", "rn"), ("l", "1"), ("1", "l"), ("O", "0"), ("0", "O"), ("I", "l"), ("i", "l"), ("vv", "w"), ("S", "5")]


# Characters of a long quotation; 10,000 are allowed.
PAGES = 9500


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("contracts", type=Path)
    parser.add_argument("--half", choices=["first", "second"], default="first")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--work", type=Path)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("--program", default=os.path.join(target, "release", "casetrack"))
    parser.add_argument("--show", type=int, default=0, help="misses to print of each kind")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="casetrack-quotes-") as folder:
        measure(options, options.work or Path(folder))


def measure(options, work):
    command = [options.program, "--data-dir", work]
    if not (work / "collections").is_dir():
        subprocess.run([*command, "new", "contracts", "-q"], check=True)
        subprocess.run([*command, "ingest", options.contracts, "-c", "contracts", "-q"], check=True, stdout=subprocess.DEVNULL)
    (work / "config.toml").write_text("[limits]\ncalls_per_minute = 100000\n")
    files = sorted(options.contracts.glob("*.txt"))
    texts = {file.name: file.read_text(encoding="utf-8", errors="replace") for file in files}
    everything = {name: folded(text) for name, text in texts.items()}
    rng = random.Random({"first": 1, "second": 2}[options.half])
    half = [file.name for file in files][options.half == "second"::2]
    drawn = [(name, *sentence) for name in half for sentence in sentences(texts[name])]
    rng.shuffle(drawn)
    session = Client([*command, "mcp", "--collection", "contracts"])

    count = options.count // 2
    print("| quotations | number | found | exact | p50 ms | p95 ms | bar |\n|---|---|---|---|---|---|---|", flush=True)
    report(session, options, "typography", [(one, typography(one[3], rng), None) for one in drawn[:count]], "found ≥ .98")
    noisy = [(one, with_noise(typography(one[3], rng), rng), None) for one in drawn[count:2 * count]]
    report(session, options, "noise", noisy, "found ≥ .98")
    altered = []
    for one, kind in zip(drawn[2 * count:], cycle(["number", "not", "name"], rng)):
        made = alter(one[3], kind, rng)
        if made and not any(folded(made[0]) in text for text in everything.values()):
            altered.append((one, made[0], made[1:]))
        if len(altered) == options.count:
            break
    report(session, options, "altered", altered, "exact = 0, marked = 1")
    pages = []
    while len(pages) < options.count // 20:
        name = rng.choice(half)
        if len(texts[name]) > PAGES:
            start = rng.randrange(len(texts[name]) - PAGES)
            span = texts[name][start:start + PAGES]
            # Whole words.
            first, last = re.search(r"\s\S", span).end() - 1, re.search(r"\s\S*$", span).start()
            original = span[first:last]
            made = alter(original, rng.choice(["number", "not", "name"]), rng)
            if made and not any(folded(made[0]) in text for text in everything.values()):
                pages.append(((name, start + first, start + last, original), made[0], made[1:]))
    report(session, options, "pages", pages, "exact = 0, marked = 1")
    session.close()


def cycle(kinds, rng):
    while True:
        yield from rng.sample(kinds, len(kinds))


def report(session, options, label, quotations, bar):
    found, exact, marked, times, missed = 0, 0, 0, [], []
    for (name, start, end, original), quotation, change in quotations:
        started = time.perf_counter()
        check = session.call("verify_quote", text=quotation, limit=100)
        times.append(1000 * (time.perf_counter() - started))
        right = any(place["document_name"] == name and place["char_start"] < end and start < place["char_end"] for place in check["places"])
        nearest = check.get("nearest") or {}
        # Of the nearest passage the text is given, not its characters; the same words may be in another contract.
        right = right or folded(original) in folded(nearest.get("text", ""))
        found += right
        exact += check["status"] == "exact"
        if change:
            shown = any(has_change(difference, change) for difference in nearest.get("differences", []))
            marked += shown
            right = right and shown and check["status"] != "exact"
        if not right:
            missed.append((quotation, original, change, check["status"], nearest.get("citation"), nearest.get("differences")))
    n = len(quotations)
    times.sort()
    label += f", changed word marked {marked / n:.4f}" if quotations[0][2] else ""
    print(f"| {label} | {n} | {found / n:.4f} | {exact} | {times[n // 2]:.1f} | {times[n * 95 // 100]:.1f} | {bar} |", flush=True)
    for miss in missed[:options.show]:
        print(*miss, sep="\n    ", end="\n\n", file=sys.stderr)


def has_change(difference, change):
    """Whether a difference has the word that was put in, or the one that was taken out."""
    side, word = ("quotation", change[0]) if change[0] else ("document", change[1])
    return word in re.findall(r"\w+", difference[side])


def sentences(text):
    """Start, end and text of the sentences of 8 to 60 words."""
    for paragraph in re.finditer(r"(?:[^\n]+\n?)+", text):
        for sentence in re.finditer(r"\S.*?(?:[.;](?=\s+[A-Z(\"“])|\s*\Z)", paragraph[0], re.S):
            words = sentence[0].split()
            if sentence[0][-1] in ".;" and 8 <= len(words) <= 60 and sum(word[:1].isalpha() for word in words) >= 0.7 * len(words):
                start = paragraph.start() + sentence.start()
                yield start, start + len(sentence[0]), sentence[0].strip()


def folded(text):
    return " ".join(re.findall(r"\w+", text)).lower()


def typography(text, rng):
    text = " ".join(text.split())
    quotes = rng.choice(["“”’", "\"\"'", "«»’"])
    text = re.sub(r"(^|[\s(])[\"“]", rf"\1{quotes[0]}", text)
    text = re.sub(r"[\"”]", lambda _: quotes[1], text) if quotes[0] != '"' else text
    text = text.replace("'", quotes[2]).replace("’", quotes[2])
    if rng.random() < 0.3:
        text = text.replace("fi", "ﬁ").replace("fl", "ﬂ")
    if rng.random() < 0.5:
        text = re.sub(r"\s[-–—]+\s", f" {rng.choice(['–', '—', '--'])} ", text)
    words = text.split(" ")
    if rng.random() < 0.5:
        # lines of a column, and a word broken at the end of one
        at = rng.randrange(len(words))
        if re.fullmatch(r"[a-z]{7,}", words[at]):
            words[at] = words[at][:4] + "-\n" + words[at][4:]
        return "".join(word + ("\n" if n % 9 == 8 else " ") for n, word in enumerate(words)).strip()
    return " ".join(words)


def with_noise(text, rng):
    while (noisy := noise(text, rng)) == text:
        pass
    return noisy


def noise(text, rng):
    words = text.split(" ")
    for _ in range(max(1, len(words) // 12)):
        at = rng.randrange(len(words))
        kind = rng.choice(["letters", "letters", "broken", "joined", "mark"])
        word = words[at]
        if kind == "letters":
            pairs = [pair for pair in CONFUSED if pair[0] in word]
            if pairs:
                words[at] = word.replace(*rng.choice(pairs), 1)
        elif kind == "broken" and len(word) > 5:
            cut = rng.randrange(2, len(word) - 2)
            words[at] = word[:cut] + rng.choice([" ", "- "]) + word[cut:]
        elif kind == "joined" and at + 1 < len(words):
            words[at:at + 2] = [word + words[at + 1]]
        elif kind == "mark":
            words[at] = word.rstrip(",.;:")
    return " ".join(words)


def alter(text, kind, rng):
    """The text with something changed, what it says there now and what it said; None where it has nothing of the kind."""
    text = " ".join(text.split())
    if kind == "number":
        numbers = [found for found in re.finditer(r"(?<![\w.,])\d+(?!\w|[.,]\d)", text)]
        if not numbers:
            return None
        found = rng.choice(numbers)
        new = str(int(found[0]) + rng.choice([1, 2, 5, 10]))
        return text[:found.start()] + new + text[found.end():], new, found[0]
    if kind == "not":
        present = list(re.finditer(r"\bnot ", text))
        if present:
            found = rng.choice(present)
            return text[:found.start()] + text[found.end():], "", "not"
        verbs = list(re.finditer(r"\b(shall|may|will|is|are|has|must) ", text))
        if not verbs:
            return None
        at = rng.choice(verbs).end()
        return text[:at] + "not " + text[at:], "not", ""
    names = list(re.finditer(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b", text))
    if not names:
        return None
    found = rng.choice(names)
    new = rng.choice([name for name in NAMES if name != found[0]])
    return text[:found.start()] + new + text[found.end():], new, found[0]


if __name__ == "__main__":
    main()
