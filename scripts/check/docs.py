#!/usr/bin/env python3
"""Checks that the documents agree with the repository. Needs only the standard library.

Without arguments:
  - every relative link in a Markdown file leads to a file and, with `#`, to a heading in it,
  - docs/SUMMARY.md and docs/dev/SUMMARY.md list every page of their book once,
  - where mdbook is installed, every relative link in the book leads to a file in it,
  - every path that ARCHITECTURE.md and docs/decisions mention exists, and so does every crate of the map; the decisions are numbered without
    gaps and listed in their README.md,
  - samples/README.md lists every sample file, and the questions name existing ones,
  - no Rust file is longer than 600 lines.
With --binary PROGRAM: every command that the documents call as `casetrack COMMAND` exists, and as `casetrack-lab COMMAND` in the
program of that name beside it.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAX_RUST_LINES = 600
# A path begins with a folder that ARCHITECTURE.md maps, or with the name of a crate.
PATH = re.compile(
    r"(?<![\w/.-])((?:crates|casetrack[\w-]*|models|schemas|tests|benches|scripts|samples|\.ci)/[\w./*-]*)"
)
FENCED_CODE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
INDENTED_CODE = re.compile(r"^ {4,}.*", re.MULTILINE)
INLINE_CODE = re.compile(r"`[^`\n]+`")


def markdown_files():
    """All Markdown files outside hidden folders and build output."""
    files = (path.relative_to(ROOT) for path in ROOT.rglob("*.md"))
    return sorted(path for path in files if not is_output(path))


def is_output(path):
    """Whether a path below the root lies in a hidden folder, in build output or in packages of the front end."""
    return any(part in ("target", "node_modules") or part.startswith(".") for part in path.parts)


def broken_links():
    for file in markdown_files():
        text = (ROOT / file).read_text(encoding="utf-8")
        prose = INLINE_CODE.sub("", FENCED_CODE.sub("", text))
        for link in re.findall(r"\]\(<?([^)\s>]+)", prose):
            target, _, heading = link.partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            path = ROOT / file.parent / target if target else ROOT / file
            if not path.exists():
                yield f"{file}: link to {link}, which does not exist"
            elif heading and path.suffix == ".md" and heading not in anchors(path):
                yield f"{file}: link to {link}, but there is no such heading"


def anchors(path):
    """The names under which the headings of a Markdown file can be linked to, as GitHub and mdBook make them."""
    text = FENCED_CODE.sub("", path.read_text(encoding="utf-8"))
    for title in re.findall(r"^#+ +(.+?)\s*$", text, re.MULTILINE):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
        yield re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def incomplete_book():
    for folder in (ROOT / "docs", ROOT / "docs" / "dev"):
        summary = folder / "SUMMARY.md"
        listed = re.findall(r"\]\(([^)]+)\)", summary.read_text(encoding="utf-8"))
        for page in sorted(path.name for path in folder.glob("*.md") if path != summary):
            if listed.count(page) != 1:
                yield f"{summary.relative_to(ROOT)}: lists {page} {listed.count(page)} times"


def broken_book():
    mdbook = shutil.which("mdbook")
    if not mdbook:
        return
    with tempfile.TemporaryDirectory() as folder:
        built = subprocess.run([mdbook, "build", "--dest-dir", folder], cwd=ROOT, capture_output=True, text=True)
        if built.returncode != 0:
            yield f"mdbook build: {built.stderr.strip()}"
        for page in sorted(Path(folder).rglob("*.html")):
            # The page for addresses that do not exist has links of its own.
            if page.name == "404.html":
                continue
            for link in sorted(set(re.findall(r'(?:href|src)="([^"]*)"', page.read_text(encoding="utf-8")))):
                target = link.partition("#")[0].partition("?")[0]
                if target and not re.match(r"[a-z]+:", target) and not (page.parent / target).exists():
                    yield f"the book: {page.name} leads to {link}, which is not in it"


def unknown_paths():
    for file in [ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs" / "decisions").glob("*.md"))]:
        for path in sorted(set(PATH.findall(file.read_text(encoding="utf-8")))):
            path = path.rstrip(".")
            pattern = path.rstrip("/")
            if not any(ROOT.glob(pattern)) and not any(ROOT.glob(f"crates/{pattern}")):
                yield f"{file.relative_to(ROOT)}: mentions {path}, which does not exist"


def incomplete_map():
    mapped = re.findall(r"^\| `(casetrack[\w-]*)` \|", (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"), re.MULTILINE)
    crates = sorted(path.parent.name for path in (ROOT / "crates").glob("*/Cargo.toml"))
    for crate in sorted({*mapped, *crates}):
        if mapped.count(crate) != 1 or crate not in crates:
            yield f"ARCHITECTURE.md: maps {crate} {mapped.count(crate)} times, and crates/ has it {crates.count(crate)} times"


def unlisted_decisions():
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\]\(([^)]+)\)", (folder / "README.md").read_text(encoding="utf-8"))
    for number, path in enumerate(sorted(folder.glob("[0-9]*.md")), 1):
        if not path.name.startswith(f"{number:02}-") or listed.count(path.name) != 1:
            yield f"docs/decisions/README.md: {path.name} is not number {number:02}, or is not listed once"


def incomplete_samples():
    folder = ROOT / "samples" / "harbour-point"
    listed = (ROOT / "samples" / "README.md").read_text(encoding="utf-8")
    for file in sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()):
        if f"`{file}`" not in listed:
            yield f"samples/README.md: does not list {file}"
    for entry in json.loads((ROOT / "samples" / "questions.json").read_text(encoding="utf-8")):
        if not (folder / entry["file"]).is_file():
            yield f"samples/questions.json: names {entry['file']}, which does not exist"
        if entry["question"] not in listed:
            yield f"samples/README.md: lacks the question {entry['question']!r}"


def long_rust_files():
    for folder in ("crates", "tests", "benches"):
        for path in sorted(path.relative_to(ROOT) for path in (ROOT / folder).rglob("*.rs")):
            lines = 0 if is_output(path) else (ROOT / path).read_text(encoding="utf-8").count("\n")
            if lines > MAX_RUST_LINES:
                yield f"{path}: {lines} lines, more than {MAX_RUST_LINES}"


def called_commands(text, program, valued_options):
    """The first argument that is not an option, of every call of a program in code. What is said about a call stands two columns after it."""
    blocks = [match.group() for match in FENCED_CODE.finditer(text)]
    rest = FENCED_CODE.sub("", text)
    code = "\n".join(blocks + INDENTED_CODE.findall(rest) + INLINE_CODE.findall(rest))
    for line in code.replace("\\\n", " ").splitlines():
        for call in re.findall(rf"(?:^|[\s`$/\"]){program}((?: [^\s|;&`]+)+)", line):
            words = iter(call.split())
            for word in words:
                if word in valued_options:
                    next(words, None)
                elif not word.startswith("-") or word == "--":
                    if re.fullmatch(r"[a-z][a-z-]*", word):
                        yield word
                    break


def unknown_commands(binary):
    def help_of(*arguments):
        return subprocess.run([binary, *arguments, "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL)

    name = Path(binary).stem
    valued_options = set(re.findall(r"(-{1,2}[a-z][a-z-]*)(?:, --[a-z-]+)? <", help_of().stdout))
    for file in markdown_files():
        text = (ROOT / file).read_text(encoding="utf-8")
        for command in sorted(set(called_commands(text, name, valued_options))):
            if help_of(command).returncode != 0:
                yield f"{file}: mentions `{name} {command}`, which does not exist"


def main():
    parser = argparse.ArgumentParser(description="Checks that the documents agree with the repository.")
    parser.add_argument("--binary", metavar="PROGRAM", help="check the commands that the documents mention against it")
    binary = parser.parse_args().binary
    if binary:
        binary = Path(binary)
        problems = [*unknown_commands(binary), *unknown_commands(binary.with_stem(f"{binary.stem}-lab"))]
    else:
        checks = (broken_links, incomplete_book, broken_book, unknown_paths, incomplete_map, unlisted_decisions, incomplete_samples, long_rust_files)
        problems = [problem for check in checks for problem in check()]
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(f"check_docs.py: {len(problems)} problem(s)")
    print("Documents agree with the repository.")


if __name__ == "__main__":
    main()
