#!/usr/bin/env python3
"""Measures search on questions as people write them, each kind against a bar.

usage: queries.py [KIND...] --contracts DIR --spans DIR [--half first|second] [--work FOLDER] [--program PROGRAM] [--passages N]

| KIND | questions | measured |
|---|---|---|
| typos | 100 of DIR's and 100 of the contracts', with one or two typos in content words | recall@10 against the same without |
| quotes | the same, with a name or a word in quotes | recall@10 against the same without |
| numbers | 100 after one number or identifier of 20,000 passages that differ in little else | share where its passage is first |
| named | descriptions of clauses, with the contract's name and parties, across all contracts | recall@10 |
| within | descriptions of clauses, asked of the contract itself | recall@10 |
| quantities | those of quantities.jsonl, which compare amounts, rates, periods, dates and counts | recall@5 |

Without KIND, all. --contracts is a folder for contract_spans.py, --spans a folder for `casetrack eval`. Every question set is a
folder in that layout below --work, and can be measured again with it; the collections are kept there too. --half takes every other
question (quantities: those marked for development, or for the report): choose on the first half, report the second. Numbers and typos
of the second half are drawn with another seed.

PROGRAM is casetrack-lab (the default) or casetrack, of $CARGO_TARGET_DIR/release. Printed is a table of recall by question set, of the
whole search. Needs the Python standard library only. With all kinds it takes half an hour on two cores, most of it for embedding
the passages once.
"""
import argparse, json, os, random, re, subprocess, sys, tempfile
from pathlib import Path

HERE = Path(__file__).parent
QUESTIONS = 100
# Words that are seldom mistyped, and that no search depends on.
COMMON = set("about after against also another any because been before being between both could does during each either from have into "
             "made more most must other over shall should some such than that their them then there these they this those through "
             "under until upon was were what when where whether which while whose will with within without would your".split())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--contracts", type=Path)
    parser.add_argument("--spans", type=Path)
    parser.add_argument("--half", choices=["first", "second"])
    parser.add_argument("--work", type=Path)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("--program", default=os.path.join(target, "release", "casetrack-lab"))
    parser.add_argument("--passages", type=int, default=20_000)
    options = parser.parse_args()
    unknown = set(options.kinds) - KINDS.keys()
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}")
    kinds = options.kinds or list(KINDS)
    if not options.contracts and {"typos", "quotes", "named", "within"} & set(kinds):
        parser.error("--contracts is needed")
    if not options.spans and {"typos", "quotes"} & set(kinds):
        parser.error("--spans is needed")
    with tempfile.TemporaryDirectory(prefix="casetrack-queries-") as folder:
        bench = Bench(options, options.work or Path(folder))
        print(f"| questions | number | recall@5 | recall@10 | change@10 | bar |\n|---|---|---|---|---|---|", flush=True)
        for kind in kinds:
            KINDS[kind](bench)


class Bench:
    """Makes question sets, asks them and prints what is found."""

    def __init__(self, options, work):
        self.options, self.work = options, work
        self.rng = random.Random({"first": 1, "second": 2}.get(options.half, 3))

    def spans_set(self):
        """Questions of --spans: (spans of one question, each), folder of documents, further options of eval."""
        return "spans", self.drawn(self.options.spans / "spans.jsonl", False), self.options.spans / "documents", []

    def contract_set(self):
        folder = self.contract_folder()
        return "contracts", self.drawn(folder / "spans.jsonl", True), folder / "documents", ["--within-files"]

    def contract_folder(self, *arguments):
        folder = self.work / "contracts"
        command = [sys.executable, HERE / "contract_spans.py", self.options.contracts, folder, *arguments]
        subprocess.run(command, check=True)
        return folder

    def drawn(self, path, by_file):
        """The lines of each question, of up to QUESTIONS questions of the half."""
        groups = {}
        for span in read_jsonl(path):
            groups.setdefault((span["query"], span["file"] if by_file else ""), []).append(span)
        groups = [groups[key] for key in sorted(groups)]
        if self.options.half:
            groups = groups[self.options.half == "second"::2]
        return random.Random(1).sample(groups, min(QUESTIONS, len(groups)))

    def changed(self, label, change, most_lost):
        """Measures questions before and after `change` of their text."""
        for name, groups, documents, further in (self.spans_set(), self.contract_set()):
            before = self.measure(f"{name}, as they are", f"{name}-plain", groups, documents, further)
            groups = [[{**span, "query": text} for span in group] for group in groups for text in [change(group[0]["query"])]]
            self.measure(f"{name}, {label}", f"{name}-{label.replace(' ', '-')}", groups, documents, further, before, 0 - most_lost)

    def measure(self, label, name, groups, documents, further=(), before=None, bar=None, at="recall@10"):
        """Writes the questions, asks them, and prints a row. Returns the measures of the whole search."""
        folder = self.work / "questions" / "-".join([name, self.options.half or "all"])
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "spans.jsonl", "w", encoding="utf-8") as spans:
            spans.writelines(json.dumps(span) + "\n" for group in groups for span in group)
        # one collection for each folder of documents and program
        store = self.work / "collections" / "-".join([*documents.parts[-2:], Path(self.options.program).name])
        store.mkdir(parents=True, exist_ok=True)
        command = [self.options.program, "eval", folder, "--documents", documents, "--work", store, "--json", "-q", *further]
        report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        found = next(system for system in report["systems"] if system["system"].startswith("search"))
        found = {measured["measure"]: measured["mean"] for measured in found["measures"]}
        change = f"{found[at] - before[at]:+.4f}" if before else ""
        reached = "" if bar is None else f"{'change' if before else at} ≥ {bar}"
        if bar is not None:
            reached += ", met" if found[at] - (before[at] if before else 0) >= bar - 1e-9 else ", MISSED"
        print(f"| {label} | {len(groups)} | {found['recall@5']:.4f} | {found['recall@10']:.4f} | {change} | {reached} |", flush=True)
        return found


def typos(bench):
    bench.changed("with typos", lambda text: mistyped(text, bench.rng), 0.05)


def quotes(bench):
    bench.changed("with quotes", lambda text: with_quotes(text, bench.rng), 0)


def mistyped(text, rng):
    """The text with a typo in one or two of its content words: letters swapped, left out, doubled, or replaced by a neighbour."""
    words = content_words(text)
    for word in sorted(rng.sample(words, min(rng.randint(1, 2), len(words))), key=lambda word: -word.start()):
        letters, at = list(word[0]), rng.randrange(1, len(word[0]) - 1)
        kind = rng.choice(["swap", "drop", "double", "replace"])
        if kind == "swap" and letters[at] != letters[at + 1]:
            letters[at], letters[at + 1] = letters[at + 1], letters[at]
        elif kind == "double":
            letters.insert(at, letters[at])
        elif kind == "replace":
            letters[at] = neighbour(letters[at], rng)
        else:
            del letters[at]
        text = text[:word.start()] + "".join(letters) + text[word.end():]
    return text


def content_words(text):
    return [word for word in re.finditer(r"[A-Za-z]{5,}", text) if word[0].lower() not in COMMON]


def neighbour(letter, rng):
    """A letter beside it on the keyboard."""
    for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm"):
        at = row.find(letter.lower())
        if at >= 0:
            beside = rng.choice(row[max(at - 1, 0):at] + row[at + 1:at + 2])
            return beside.upper() if letter.isupper() else beside
    return "e"


def with_quotes(text, rng):
    """The text with its name in quotes (capitals inside a sentence: a party, a title), or else one of its content words."""
    names = list(re.finditer(r"(?<=[a-z] )[A-Z][\w&.-]*(?: [A-Z][\w&.-]*)*", text))
    chosen = names[0] if names and rng.random() < 0.5 else rng.choice(content_words(text))
    return f'{text[:chosen.start()]}"{chosen[0]}"{text[chosen.end():]}'


def named(bench):
    half = ["--half", bench.options.half] if bench.options.half else []
    folder = bench.contract_folder("--named", *half)
    bench.measure("contracts, named", "named", grouped(folder), folder / "documents", bar=0.75)


def within(bench):
    half = ["--half", bench.options.half] if bench.options.half else []
    folder = bench.contract_folder(*half)
    bench.measure("contracts, within", "within", grouped(folder, True), folder / "documents", ["--within-files"], bar=0.92)


def grouped(folder, by_file=False):
    groups = {}
    for span in read_jsonl(folder / "spans.jsonl"):
        groups.setdefault((span["query"], by_file and span["file"]), []).append(span)
    return list(groups.values())


NAMES = ("Harbour", "Kestrel", "Linden", "Marlow", "Northgate", "Orchard", "Pinnacle", "Quayside", "Redwood", "Summit")
TRADES = ("Freight", "Paper", "Catering", "Security", "Electrical", "Cleaning", "Printing", "Timber", "Software", "Fuel")
FORMS = ("Ltd", "LLC", "Inc.", "GmbH", "Pty Ltd")
PAGES = 100  # passages of one ledger; a passage is a page, so that it is one chunk


def numbers(bench):
    """Ledgers of entries that differ in numbers, dates and names; questions after one of the numbers, by kind."""
    rng, passages = random.Random(5), bench.options.passages
    # drawn without replacement: every number is on one page
    entries = rng.sample(range(10_000, 10_000 + 40 * passages), passages)
    invoices = rng.sample(range(100_000, 999_999), passages)
    bates = rng.sample(range(1, 9_999_999), passages)
    cents = rng.sample(range(1_000_00, 1_000_00 + 50 * passages), passages)
    folder = bench.work / f"ledgers-{passages}"
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    places = []
    for first in range(0, passages, PAGES):
        file, pages = f"ledger-{first // PAGES + 1:04}.txt", []
        for at in range(first, min(first + PAGES, passages)):
            firm = f"{rng.choice(NAMES)} {rng.choice(TRADES)} {rng.choice(FORMS)}"
            day = f"{rng.randint(1, 28)} {rng.choice(['January', 'March', 'April', 'June', 'August', 'October'])} {rng.randint(2015, 2023)}"
            amount = f"${cents[at] // 100:,}.{cents[at] % 100:02}"
            keys = {"entries": str(entries[at]), "invoices": f"INV-{invoices[at]}", "Bates numbers": f"HPT{bates[at]:07}", "amounts": amount}
            page = (f"Ledger entry {keys['entries']}. {firm} was paid {amount} on {day} for {rng.choice(TRADES).lower()} services under "
                    f"invoice {keys['invoices']}, approved by the treasurer and filed as {keys['Bates numbers']}.")
            places.append((file, at - first + 1, len(page), keys))
            pages.append(page)
        (folder / "documents" / file).write_text("\f".join(pages), encoding="utf-8")
    asked = {"entries": ("{}", "ledger entry {}", "who was paid under entry {}?"), "invoices": ("{}", "what was paid for invoice {}?"),
             "Bates numbers": ("{}", "the payment filed as {}"), "amounts": ("payment of {}", "who was paid {} for services?")}
    found = []
    for kind, forms in asked.items():
        chosen = bench.rng.sample(places, QUESTIONS // len(asked))
        groups = [[{"query": bench.rng.choice(forms).format(keys[kind]), "file": file, "page": page, "start": 0, "end": length}]
                  for file, page, length, keys in chosen]
        # of one result: recall at any depth is the share of questions whose passage is first
        name = "numbers-" + kind.replace(" ", "-")
        found.append(bench.measure(f"numbers, {kind}, first", name, groups, folder / "documents", ["--top-k", "1"])["recall@10"])
    share = sum(found) / len(found)
    print(f"| numbers, first | {QUESTIONS} | {share:.4f} | | | ≥ 0.99, {'met' if share >= 0.99 else 'MISSED'} |", flush=True)


def quantities(bench):
    lines = read_jsonl(HERE / "quantities.jsonl")
    folder = bench.work / "quantities"
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    documents, places = {}, {}
    for line in lines:
        if "clause" in line:
            pages = documents.setdefault(line["document"] + ".txt", [])
            pages.append(line["text"])
            places[line["clause"]] = {"file": line["document"] + ".txt", "page": len(pages), "start": 0, "end": len(line["text"])}
    for file, pages in documents.items():
        (folder / "documents" / file).write_text("\f".join(pages), encoding="utf-8")
    wanted = {"first": ["development"], "second": ["report"]}.get(bench.options.half, ["development", "report"])
    groups = [[{"query": line["question"], **places[answer]} for answer in line["answers"]]
              for line in lines if "question" in line and line["for"] in wanted]
    bench.measure("quantities", "quantities", groups, folder / "documents", bar=0.9, at="recall@5")


def read_jsonl(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


KINDS = {"typos": typos, "quotes": quotes, "numbers": numbers, "named": named, "within": within, "quantities": quantities}

if __name__ == "__main__":
    main()
