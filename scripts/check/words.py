#!/usr/bin/env python3
"""Checks the English of the project by the patterns that CONTRIBUTING.md forbids. Needs only the standard library.

Reads every Markdown file, the doc comments of public Rust items, the strings of the Rust program (help, errors, hints, tool
descriptions) and the strings of the workbench. It fails if
  - a Markdown file or the doc comments of a crate have more than 2 hits per 1,000 words (a short text may have one hit),
  - a string of the program has a hit, unless scripts/check/contract_words.txt lists the string as the wording of a contract,
  - a doc comment begins with "What" or "Whether",
  - the sentences of README.md or of a page of the book have more than 25 words on average, or one has more than 40.

  words.py                 checks, and prints the problems
  words.py --table         prints words, hits and hits per 1,000 words of each file
  words.py --show PATH...  prints each hit in these files, with its line
  words.py --table DIR     the same table for the Markdown files of another project
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONTRACT_WORDS = ROOT / "scripts" / "check" / "contract_words.txt"
MAX_HITS_PER_1000 = 2.0
MAX_AVERAGE_WORDS = 25
MAX_SENTENCE_WORDS = 40
SKIPPED = ("target", "node_modules", "dist")

# The name of each pattern, and what to write instead.
PATTERNS = {
    "what as a noun: name the thing": r"\bwhat (is|was|are|has|lies|stands|it|they|the|a)\b(?![^.!?]*\?)",
    "where as a condition: if, when": r"\bwhere (a|an|the|it|there|that|no|none|one|some|those|they|nothing|both)\b(?![^.!?]*\?)",
    "say, tell: report, list, state": r"\b(says?|said|tells?|told)\b",
    "alone: only": r"\balone\b",
    "beside: compared with, next to": r"\bbeside\b",
    "stand: be": r"\bstands?\b(?! for\b)",
    "lie: be": r"\blies?\b",
    "somebody, nobody: someone, no one": r"\b(no|some|any|every)body\b",
    "go on: continue": r"\bgo(es)? on\b",
    "meanwhile, anew, once more: again": r"\b(meanwhile|anew|once more)\b",
    "but for: except": r"\bbut for\b",
    "no more: no longer": r"\bno more\b(?! than)",
    "who as a noun: a person who": r"(?:^|[.;:] )Who(ever)? (?![^.!?]*\?)",
    "of in front: subject first": r"(?:^|[.] )Of (the|a|each|every)\b",
}
COMPILED = {name: re.compile(pattern, re.MULTILINE | (0 if "(?:^" in pattern else re.IGNORECASE)) for name, pattern in PATTERNS.items()}
CODE = re.compile(r"^ *(```|~~~).*?^ *\1[^\n]*$|^(?: {4,}|\t)[^\n]*|``[^\n]+?``|`[^`]+?`|<!--.*?-->|\]\([^)]*\)", re.MULTILINE | re.DOTALL)
RUST_STRING = re.compile(r'r(#*)"(?P<raw>.*?)"\1|"(?P<plain>(?:\\.|[^"\\])*)"', re.DOTALL)
TS_STRING = re.compile(r'"(?P<plain>(?:\\.|[^"\\\n])*)"|`(?P<raw>(?:\\.|[^`\\])*)`')


def blank(match):
    """As many line ends as the match has, so that line numbers stay right. Code counts as one word."""
    text = match.group()
    return "]" if text.startswith("](") else "x" + "\n" * text.count("\n") if "\n" not in text else "\n" * text.count("\n")


def without_front_matter(text):
    return re.sub(r"\A---\n.*?\n---\n", lambda match: "\n" * match.group().count("\n"), text, flags=re.DOTALL)


def prose(path):
    return CODE.sub(blank, without_front_matter(path.read_text(encoding="utf-8")))


def hits(text):
    """Each hit: its line from 1, the name of its pattern, and its surroundings."""
    for name, pattern in COMPILED.items():
        for match in pattern.finditer(text):
            around = text[max(0, match.start() - 40) : match.end() + 40].replace("\n", " ")
            yield text.count("\n", 0, match.start()) + 1, name, around


def word_count(text):
    return len(re.findall(r"[^\W\d_][\w'’-]*", text))


def sentences(text):
    """The sentences of running text: no headings and no tables. A list entry ends a sentence."""
    lines = ["" if re.match(r"\s*(#|\||>)", line) else re.sub(r"^\s*([-*+]|\d+\.) +", "\n", line) for line in text.splitlines()]
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines)):
        yield from (sentence for sentence in re.split(r"(?<=[.!?:;])\s+(?=\S)", paragraph) if word_count(sentence) > 1)


def markdown_files(folder):
    files = (path for path in folder.rglob("*.md") if not any(part in SKIPPED or part.startswith(".") for part in path.relative_to(folder).parts))
    return sorted(files)


def without_tests(text):
    """Rust code with its test modules blanked."""
    return re.sub(r"^( *)#\[cfg\(test\)\]\n(?:\1#\[.*\n)*\1(?:pub(?:\(\w+\))? )?mod \w+ \{\n.*?^\1\}\n", lambda match: "\n" * match.group().count("\n"), text, flags=re.MULTILINE | re.DOTALL)


def rust_files():
    for path in sorted((ROOT / "crates").glob("*/src/**/*.rs")):
        name = path.name
        if "tests" not in path.parts and not name.endswith("tests.rs") and name not in ("testing.rs", "test_support.rs") and "casetrack-conformance" not in path.parts:
            yield path


def doc_comments(text):
    """The doc comments of a Rust file, everything else blanked."""
    lines = [match.group(1) if (match := re.match(r"\s*//[/!] ?(.*)", line)) else "" for line in text.splitlines()]
    return CODE.sub(blank, "\n".join(lines))


def strings(text, pattern):
    """Each string literal of at least three words: its line from 1 and its text, continued lines joined."""
    text = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    for match in pattern.finditer(text):
        value = match.group("raw") if match.group("raw") is not None else re.sub(r"\\\n\s*", "", match.group("plain"))
        if len(re.findall(r"\b[A-Za-z]{2,}\b", value)) >= 3 and " " in value and not re.search(r"\(\?|\\[bwsd]|\bSELECT\b|\[\^", value):
            yield text.count("\n", 0, match.start()) + 1, value


def allowed_strings():
    if not CONTRACT_WORDS.exists():
        return set()
    return {line for line in CONTRACT_WORDS.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")}


def string_hits():
    allowed = allowed_strings()
    sources = [(path, RUST_STRING) for path in rust_files()]
    sources += [(path, TS_STRING) for path in sorted((ROOT / "crates" / "casetrack-web" / "ui" / "src").glob("strings*.ts"))]
    for path, pattern in sources:
        text = path.read_text(encoding="utf-8")
        for line, value in strings(without_tests(text) if pattern is RUST_STRING else text, pattern):
            if value.replace("\n", "\\n") not in allowed:
                yield from ((path, line, name, around) for _, name, around in hits(CODE.sub(blank, value)))
    # The help of commands is made of the doc comments of their options.
    for path in rust_files():
        if "casetrack" in path.relative_to(ROOT).parts and is_help(path):
            text = doc_comments(without_tests(path.read_text(encoding="utf-8")))
            yield from ((path, line, name, around) for line, name, around in hits(text))


def is_help(path):
    return re.search(r"derive\([^)]*\b(Args|Parser|Subcommand|ValueEnum)\b", path.read_text(encoding="utf-8"))


def too_many(found, words):
    return found > max(1, words * MAX_HITS_PER_1000 / 1000)


def documents():
    """For each Markdown file and for the doc comments of each crate: the name, the words, the hits."""
    for path in markdown_files(ROOT):
        text = prose(path)
        yield path.relative_to(ROOT).as_posix(), word_count(text), len(list(hits(text)))
    crates = {}
    for path in rust_files():
        text = doc_comments(without_tests(path.read_text(encoding="utf-8")))
        row = crates.setdefault(path.relative_to(ROOT).parts[1], [0, 0])
        row[0] += word_count(text)
        row[1] += len(list(hits(text)))
    yield from ((f"doc comments of {name}", *row) for name, row in crates.items())


def long_sentences():
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        counts = [(word_count(sentence), sentence) for sentence in sentences(prose(path))]
        if not counts:
            continue
        average = sum(count for count, _ in counts) / len(counts)
        name = path.relative_to(ROOT)
        if average > MAX_AVERAGE_WORDS:
            yield f"{name}: {average:.0f} words a sentence on average, more than {MAX_AVERAGE_WORDS}"
        yield from (f"{name}: a sentence of {count} words, more than {MAX_SENTENCE_WORDS}: {' '.join(sentence.split())[:80]}…" for count, sentence in counts if count > MAX_SENTENCE_WORDS)


def question_comments():
    for path in rust_files():
        before = ""
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            text = re.match(r"\s*//[/!] ?(.*)", line)
            if text and not before and (word := re.match(r"(What|Whether|Whoever)\b", text.group(1))):
                yield f'{path.relative_to(ROOT)}:{number}: a doc comment begins with "{word.group()}": name the thing, or write "True if"'
            before = text and text.group(1)


def print_table(rows):
    total_words = total_hits = 0
    for name, words, found in rows:
        total_words, total_hits = total_words + words, total_hits + found
        print(f"{name:60} {words:7} {found:5} {1000 * found / max(1, words):6.1f}")
    print(f"{'all':60} {total_words:7} {total_hits:5} {1000 * total_hits / max(1, total_words):6.1f}")


def show(paths):
    wanted = {Path(path).resolve() for path in paths}
    for path, line, name, around in string_hits():
        if path in wanted:
            print(f"{path.relative_to(ROOT)}:{line}: string: {name}: …{around}…")
    for path in wanted:
        text = prose(path) if path.suffix == ".md" else doc_comments(without_tests(path.read_text(encoding="utf-8")))
        for line, name, around in sorted(hits(text)):
            print(f"{path.relative_to(ROOT)}:{line}: {name}: …{around}…")


def main():
    parser = argparse.ArgumentParser(description="Checks the English of documents, doc comments and strings.")
    parser.add_argument("--table", nargs="?", const=ROOT, type=Path, metavar="DIR", help="print the hits of each file")
    parser.add_argument("--show", nargs="+", metavar="PATH", help="print the hits in these files")
    arguments = parser.parse_args()
    if arguments.show:
        return show(arguments.show)
    if arguments.table and arguments.table != ROOT:
        files = [(path, prose(path)) for path in markdown_files(arguments.table)]
        return print_table((path.relative_to(arguments.table).as_posix(), word_count(text), len(list(hits(text)))) for path, text in files)
    if arguments.table:
        return print_table(documents())
    problems = [f"{name}: {found} hits in {words} words" for name, words, found in documents() if too_many(found, words)]
    problems += [f"{path.relative_to(ROOT)}:{line}: string: {name}: …{around}…" for path, line, name, around in string_hits()]
    problems += [*question_comments(), *long_sentences()]
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(f"words.py: {len(problems)} problem(s). See Style in CONTRIBUTING.md; --show PATH lists the hits of a file.")
    print("The English keeps the rules.")


if __name__ == "__main__":
    main()
