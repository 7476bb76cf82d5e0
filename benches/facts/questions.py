#!/usr/bin/env python3
"""Asks 25 questions of a lawyer over 100 contracts through the tools, and judges the first answers. Standard library only.

    python3 benches/facts/questions.py CONTRACTS [--work FOLDER] [--only N,N] [--show]

CONTRACTS holds txt/, manifest.jsonl and clauses.jsonl. The questions, the calls that an assistant would make for each, and what is right
are in questions.jsonl beside this file. The calls are made over stdio to `casetrack mcp` ($CASETRACK_BIN, otherwise the release build), once:
no call is repeated in other words, no answer is continued, and nothing that a call returns is used in the next.

What is right, decided before the first run:

- facts: every value of every document is in the part of the text about that document, and that part cites a page.
- documents, category (of clauses.jsonl), law and expiry (of manifest.jsonl): the documents that the text lists as found, each with a
  page, against those that have it: F1 of at least 0.7. Where a document has values, one of them must be beside it. Documents under
  "either" count neither way.
- nothing: the text lists no document as found.

Printed for each question: right or wrong, calls, tokens of the texts (characters / 4), and characters of structured content as a multiple of
the text. The bars are 22 right, 60,000 tokens, and 2 for each answer.
--work keeps the collection for another run; --only asks some of the questions; --show also prints the texts and what is missed.
"""
import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from sheet import day, places

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "protocol"))
from protocol import BINARY, Server  # noqa: E402

LEAST_F1 = 0.7
RIGHT, TOKENS, RATIO = 22, 60_000, 2.0
CITED = re.compile(r"\bpp?\. \d")
# What follows lists documents in which nothing was found.
SILENT = re.compile(r"^Nothing found", re.MULTILINE)


class Gold:
    """The contracts and what is known of them."""

    def __init__(self, folder):
        lines = lambda name: map(json.loads, (folder / name).read_text(encoding="utf-8").splitlines())
        self.manifest = {record["_id"]: record for record in lines("manifest.jsonl")}
        self.categories = {}
        for clause in lines("clauses.jsonl"):
            if clause["quotes"]:
                self.categories.setdefault(clause["category"], set()).add(clause["file"])

    def documents(self, gold):
        """{document: values of which one must be beside it} of a question about documents."""
        if "documents" in gold:
            return gold["documents"]
        if "category" in gold:
            return dict.fromkeys(self.categories[gold["category"]], ())
        if "law" in gold:
            wanted = places(gold["law"])
            return {key: [gold["law"]] for key, record in self.manifest.items() if wanted <= places(record["governing_law"])}
        first, last = gold["expiry"]
        expiries = {key: iso(record["expiration_date"]) for key, record in self.manifest.items()}
        return {key: () for key, expiry in expiries.items() if expiry and first <= expiry <= last}


def iso(text):
    found = day(text)
    return "%04d-%02d-%02d" % found if found and None not in found else None


def folded(text):
    text = text.translate({0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0xA0: " "})
    return " ".join(text.lower().split())


# `[3] name in /folder | Native text | …`, in the list of sources.
SOURCE = re.compile(r"^\[(\d+)\] (\S+|\"[^\"]*\")(?: in |: )/.*$", re.MULTILINE)


def written_out(text):
    """A text with the names of its sources in the place of their numbers, as an assistant cites them."""
    names = {number: name.strip('"') for number, name in SOURCE.findall(text)}
    text = SOURCE.sub("", text)
    return re.sub(r"\[(\d+)\] (?=pp?\. |no page)", lambda found: f"{names.get(found[1], found[0])}, ", text)


def parts(text, names):
    """{document: the lines of a text that are about it}: from a line with its name to the next with another's."""
    longest_first = sorted(names, key=len, reverse=True)
    found, current = {}, None
    for line in text.splitlines():
        named = next((name for name in longest_first if name in line), None)
        current = named or current
        if current:
            found[current] = f"{found.get(current, '')}\n{line}"
    return {name: part for name, part in found.items() if CITED.search(part)}


def has(part, values, names=()):
    """Whether one of the values is in a part of the text, the names of documents aside."""
    for name in names:
        part = part.replace(name, "")
    part = folded(part)
    return not values or any(folded(value) in part for value in values)


def judged(question, text, gold):
    """Whether the answer is right, and in a few words why."""
    wanted = question["gold"]
    about = parts(SILENT.split(text)[0], gold.manifest)
    if wanted.get("nothing"):
        return not about, f"{len(about)} documents listed"
    if "facts" in wanted:
        facts = [(document, values) for document, all_of in wanted["facts"].items() for values in all_of]
        missed = [values[0] for document, values in facts if not has(about.get(document, ""), values, gold.manifest)]
        return not missed, "missed: " + ", ".join(missed) if missed else f"{len(facts)} facts"
    right = gold.documents(wanted)
    either = set(wanted.get("either", ()))
    listed = {document for document in about if has(about[document], right.get(document), gold.manifest)} - either
    hits = len(listed & right.keys())
    f1 = 2 * hits / (len(listed) + len(right)) if right else 0
    precision = hits / len(listed) if listed else 0
    note = f"F1 {f1:.2f} (recall {hits / len(right):.2f} of {len(right)}, precision {precision:.2f} of {len(listed)})"
    return f1 >= LEAST_F1, note


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("contracts", type=Path)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--only")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    beside = Path(__file__).with_name("questions.jsonl")
    questions = list(enumerate(map(json.loads, beside.read_text(encoding="utf-8").splitlines()), 1))
    if options.only:
        only = set(map(int, options.only.split(",")))
        questions = [(n, question) for n, question in questions if n in only]
    gold = Gold(options.contracts)
    with tempfile.TemporaryDirectory(prefix="casetrack-questions-") as folder:
        home = str(options.work or folder)
        run = lambda *arguments: subprocess.run([BINARY, "--data-dir", home, *arguments], check=True, capture_output=True).stdout
        if not json.loads(run("collections", "--json")):
            run("new", "Contracts")
            run("ingest", str(options.contracts / "txt"))
        client = Server(home)
        ask(client, gold, questions, options.show)
        client.close()
        run("stop")


def ask(client, gold, questions, show):
    """Asks, judges and prints."""
    total = {"right": 0, "calls": 0, "characters": 0, "worst": 0.0}
    for number, question in questions:
        texts, ratio = [], 0.0
        for call in question["calls"]:
            answer, _ = client.request("tools/call", {"name": call["tool"], "arguments": call["arguments"]})
            result = answer.get("result") or {"content": [{"type": "text", "text": json.dumps(answer["error"])}]}
            text = "\n".join(content["text"] for content in result["content"] if content["type"] == "text")
            structured = json.dumps(result.get("structuredContent", {}), ensure_ascii=False, separators=(",", ":"))
            ratio = max(ratio, len(structured) / max(len(text), 1))
            texts.append(text)
        text = "\n\n".join(map(written_out, texts))
        right, why = judged(question, text, gold)
        total["right"] += right
        total["calls"] += len(texts)
        total["characters"] += sum(map(len, texts))
        total["worst"] = max(total["worst"], ratio)
        print(f"{number:2} {'right' if right else 'WRONG'}  {question['kind']:26} calls {len(texts)}  "
              f"tokens {sum(map(len, texts)) // 4:5}  structured {ratio:.2f}  {why}", flush=True)
        if show:
            print(text, "\n")
            right = set() if "facts" in question["gold"] or "nothing" in question["gold"] else set(gold.documents(question["gold"]))
            listed = set(parts(SILENT.split(text)[0], gold.manifest))
            print(*(f"missed: {name}" for name in sorted(right - listed)), sep="\n")
            print(*(f"too much: {name}" for name in sorted(listed - right) if right), sep="\n")
    tokens = total["characters"] // 4
    print(f"\n{total['right']} of {len(questions)} right (bar {RIGHT}), {total['calls']} calls, {tokens:,} tokens (bar {TOKENS:,}), "
          f"structured content at most {total['worst']:.2f} times the text (bar {RATIO})")


if __name__ == "__main__":
    main()
