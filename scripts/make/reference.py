#!/usr/bin/env python3
"""Writes the generated parts of docs/commands.md and docs/tools.md. Needs Python 3.11 and only its standard library.

    python3 scripts/make/reference.py [--binary PROGRAM] [--check]

Commands come from `casetrack COMMAND --help`, with the examples of reference_sources/examples.toml. Tools come from schemas/ and from the
table of tools in the sources; reference_sources/arguments.toml translates descriptions. In both pages the text above `<!-- reference -->` is written by hand and stays.
With --check nothing is written, and a page that is stale is an error.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
SCHEMAS = ROOT / "schemas"
SOURCES = Path(__file__).with_name("reference_sources")
EXAMPLES = SOURCES / "examples.toml"
ARGUMENTS = SOURCES / "arguments.toml"
TOOL_SOURCES = ROOT / "crates" / "casetrack-mcp" / "src" / "tools"
MARK = "<!-- reference -->\n"
# Options of all commands begin here. Their own section describes them once.
COMMON = re.compile(r"^(?:Options for every command|Limits on files):?$", re.MULTILINE)

SETS = {
    "core": "Choose a collection, search it, read and cite",
    "ingest": "Create collections, add documents, follow jobs",
    "graph": "Entities, references, related documents and statistics",
    "review": "Own columns, obligations, versions, quotations, tags",
    "watch": "Keep a collection up to date",
    "workbench": "Evidence and pages",
    "time": "Files on the disk by time",
    "files": "Search files on the disk",
    "index": "Indexes of texts that the assistant adds",
    "space": "Sets of files and folders",
}
EFFECTS = {"Reads": "Reads", "Creates": "Adds", "Updates": "Changes", "Deletes": "Deletes"}
NEEDS = {"READ": "reader", "EDIT": "editor", "OWN": "owner", "CREATE": "right to create collections", "DISK": "administrator"}
# The names in sample calls, and values that a reader recognises.
SAMPLES = {
    "$collection": "Harbour Point", "$document": "Refurbishment_Works_Agreement.pdf", "$other": "Amendment_No_1.docx", "$chunk": "CHUNK_ID",
    "$job": "JOB_ID", "$file": "/home/ann/Harbour Point/contract/Amendment_No_1.docx", "$folder": "/home/ann/Harbour Point",
    "$query": "late payment interest", "$quote": "between 22 and 41 per cent of their section", "$entity": "Tidewell Estates", "$partner": "Priya Raman", "$reference": "Amendment No. 1",
}
# Tests call these with a value that is refused.
BETTER_SAMPLES = {
    "search_terms": {"terms": ["corrosion", "late payment", "weld* w/10 flight*"]},
    "resource-is": {"name": "notes", "field": "extension", "value": "md"},
}
# The text above the mark in docs/tools.md describes these.
SHARED_FIELDS = {"document_text", "next_offset", "notices"}
SHARED_ARGUMENTS = {"The next_offset of an earlier answer", "Include boxes and exact places"}


# Commands


def help_of(binary, words):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CASETRACK_")}
    done = subprocess.run([binary, *words, "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment)
    if done.returncode != 0:
        sys.exit(f"reference.py: `casetrack {' '.join(words)} --help` failed: {done.stderr.strip()}")
    return done.stdout


def sections(text):
    """The parts of a help text: the description under "", and the rest under their headings."""
    parts, name = {"": []}, ""
    for line in text.splitlines():
        if match := re.fullmatch(r"(Usage): (.*)|(\w[\w ]*):?", line) if not line.startswith(" ") else None:
            if match.group(1) or match.group(3) in ("Arguments", "Options", "Commands", "Options for every command", "Limits on files"):
                name = match.group(1) or match.group(3)
                parts[name] = [match.group(2)] if match.group(1) else []
                continue
        parts[name].append(line)
    return parts


def paragraphs(lines):
    """Text that was wrapped for a terminal, as single lines. Items of a list stay apart."""
    found = [[]]
    for line in lines:
        line = line.strip()
        if not line:
            found.append([])
        elif line.startswith("- "):
            found.append([line])
        else:
            found[-1].append(line)
    return [re.sub(r"\s+", " ", " ".join(part)) for part in found if part]


def entries(lines):
    """The arguments or options of a help text: how each is written, and the paragraphs about it."""
    found = []
    for line in lines:
        if re.match(r" {2,6}(-|<|\[)", line):
            found.append((line.strip(), []))
        elif found:
            found[-1][1].append(line)
    return [(name, paragraphs(text)) for name, text in found]


def note(paragraph):
    """`[env: X=]` and the like, in words."""
    for pattern, words in ((r"\[env: (\w+)=?\]", "Variable: `{}`"), (r"\[default: (.*)\]", "Default: {}"), (r"\[possible values: (.*)\]", "Values: {}")):
        if match := re.fullmatch(pattern, paragraph):
            return words.format(match.group(1)) + "."
    return None


def ended(text):
    return text if text.endswith((".", ":", "?", "!")) else f"{text}."


def prose(text):
    """Text in which no sign is taken for Markdown, except code in backticks."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(part if part.startswith("`") else part.replace("<", "&lt;").replace("*", "\\*") for part in parts)


def cell(text):
    return prose(text).replace("|", "\\|")


def meaning(parts):
    sentences, items = [], []
    for part in parts:
        if part.startswith("- "):
            name, _, about = part[2:].partition(": ")
            items.append(f"`{name}` ({about.strip()})")
            continue
        before, after = part, []
        while match := re.fullmatch(r"(.*?)\s*(\[(?:default|env|possible values): [^\[\]]*\])", before):
            before, after = match.group(1), [note(match.group(2)), *after]
        # A sentence may follow the bracket: "[default: X]. More."
        before = re.sub(r" \[default: ([^\[\]]*)\](?=\. )", r" (default: \1)", before)
        sentences += [ended(before)] * bool(before) + after
    if items:
        sentences[-1] = re.sub(r"[.:]$", ":", sentences[-1])
        sentences.append("; ".join(items) + ".")
    return cell(" ".join(sentences))


def table(header, rows):
    if rows:
        yield f"| {header} | |"
        yield "|---|---|"
        yield from (f"| {name} | {text} |" for name, text in rows)
        yield ""


def options(parts):
    """The rows of a table of arguments and options. One that the name explains needs no words."""
    for heading in ("Arguments", "Options"):
        for name, text in entries(parts.get(heading, [])):
            if name != "-h, --help":
                yield f"`{name}`".replace("|", "\\|"), meaning(text) if text else ""


def children(parts):
    return re.findall(r"^  ([a-z][\w-]*)", "\n".join(parts.get("Commands", [])), re.MULTILINE)


def command(binary, words, examples, depth):
    parts = sections(COMMON.split(help_of(binary, words))[0])
    name = " ".join(words)
    yield f"{'#' * depth} casetrack {name}\n"
    yield from (f"{prose(ended(text))}\n" for text in paragraphs(parts[""]))
    subcommands = [child for child in children(parts) if child != "help"]
    rows = list(options(parts))
    if not subcommands:
        has_options = any(row.startswith("`-") for row, _ in rows)
        yield f"    {parts['Usage'][0] if has_options else parts['Usage'][0].replace(' [OPTIONS]', '')}\n"
    if name in examples:
        yield "Example:\n"
        yield from (f"    {line}" for line in examples.pop(name).strip().splitlines())
        yield ""
    yield from table("argument or option", rows)
    for child in subcommands:
        yield from command(binary, [*words, child], examples, depth + 1)


def command_page(binary):
    examples = tomllib.loads(EXAMPLES.read_text(encoding="utf-8"))
    # The heading of the last group is also the beginning of the common options.
    top = help_of(binary, [])
    groups = re.split(r"^(?:Options for every command|Exit status)", top, flags=re.MULTILINE)[0].split("Usage:")[1]
    for group in re.finditer(r"^(\S.*)\n((?:  +\S.*\n)+)", groups, re.MULTILINE):
        yield f"## {group.group(1)}\n"
        for name in re.findall(r"^  ([a-z][\w-]*)  ", group.group(2), re.MULTILINE):
            yield from command(binary, [name], examples, 3)
    for heading, text in common(top):
        yield f"## {heading}\n"
        yield from table("option", [(f"`{name}`", meaning(about)) for name, about in entries(text)])
    if examples:
        sys.exit(f"reference.py: examples of commands that do not exist: {', '.join(examples)}")


def common(top):
    """The options that every command takes, in two groups."""
    text = re.split(r"^`casetrack help`", top.split("Options for every command", 1)[1], flags=re.MULTILINE)[0].splitlines()
    first_limit = next(number for number, line in enumerate(text) if "--max-file-mb" in line)
    after_limits = next(number for number, line in enumerate(text) if "-h, --help" in line)
    return (("Options for every command", text[:first_limit] + text[after_limits:]), ("Limits on files", text[first_limit:after_limits]))


# Tools


def rows_of_tools():
    """The effect of each tool, and the right that it needs on a server, from the sources."""
    rows = {}
    for path in sorted(TOOL_SOURCES.rglob("*.rs")):
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(r'const NAME: &\'static str = "([^"]+)";.*?Row::new\(Toolset::(\w+), Effect::(\w+), Need::(\w+)\)', text, re.DOTALL):
            rows[match.group(1)] = (match.group(3), match.group(4))
        for match in re.finditer(r'space_tool!\(\s*\w+: "([^"]+)",\s*"[^"]+",\s*(\w+),', text):
            rows[match.group(1)] = (match.group(2), "DISK")
    return rows


def filled(value):
    if isinstance(value, dict):
        return {name: filled(field) for name, field in value.items()}
    if isinstance(value, list):
        return [filled(item) for item in value]
    if isinstance(value, str):
        return re.sub(r"\$[a-z]+", lambda match: SAMPLES[match.group()], value)
    return value


def kind(schema):
    """The type of an argument in a few words."""
    types = schema.get("type")
    types = [name for name in (types if isinstance(types, list) else [types]) if name not in (None, "null")]
    name = types[0] if types else "value"
    if name == "array":
        inner = schema.get("items", {})
        return f"list of {kind(inner)}" if "enum" in inner else {"string": "list of texts", "integer": "list of integers"}.get(inner.get("type"), "list")
    if values := schema.get("enum"):
        return " or ".join(f"`{value}`" for value in values if value is not None)
    name = {"string": "text"}.get(name, name)
    low, high = schema.get("minimum"), schema.get("maximum")
    if high is not None and high < 1_000_000:
        name += f", {number(low or 0)}–{number(high)}"
    elif low:
        name += f", from {number(low)}"
    return name


def number(value):
    return f"{value:g}" if value < 100_000 else f"{value:,}"


def arguments(schema, english):
    required = schema.get("required", [])
    for name, field in sorted(schema.get("properties", {}).items(), key=lambda item: item[0] not in required):
        if field.get("description") in SHARED_ARGUMENTS:
            continue
        default = field.get("default")
        shown = "" if default in (None, False, [], "") else f" Default: `{json.dumps(default, ensure_ascii=False)}`."
        description = english.get(name) or field.get("description")
        about = ended(description) if description else ""
        must = " (required)" if name in required else ""
        yield f"| `{name}`{must} | {cell(kind(field))} | {cell((about + shown).strip())} |"


def tool(document, effect, need, sample, english):
    rows = list(arguments(document["inputSchema"], english))
    yield f"### {document['name']}\n"
    description = re.sub(r"\s+", " ", document["description"])
    yield f"> {prose(ended(description))}\n"
    yield f"{EFFECTS[effect]} · {NEEDS[need]}\n"
    if rows:
        yield "| argument | type | meaning |"
        yield "|---|---|---|"
        yield from rows
        yield ""
    fields = [name for name in document["outputSchema"].get("properties", {}) if name not in SHARED_FIELDS]
    yield "Answer: " + ", ".join(f"`{name}`" for name in fields) + ".\n"
    yield f"    {json.dumps(filled(sample), ensure_ascii=False)}\n"


def tool_page():
    calls = json.loads((SCHEMAS / "calls.json").read_text(encoding="utf-8"))
    rows = rows_of_tools()
    documents = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in SCHEMAS.glob("*.json") if path.name != "calls.json"}
    if missing := set(documents) - {call["tool"] for call in calls} | set(documents) - set(rows):
        sys.exit(f"reference.py: no sample call or no row in the sources for {', '.join(sorted(missing))}")
    yield "## Toolsets\n"
    yield "| toolset | purpose | tools |"
    yield "|---|---|---|"
    by_set = {name: list(dict.fromkeys(call["tool"] for call in calls if call["toolset"] == name)) for name in SETS}
    for name, purpose in SETS.items():
        yield f"| `{name}` | {purpose} | {', '.join(by_set[name])} |"
    yield ""
    english = tomllib.loads(ARGUMENTS.read_text(encoding="utf-8"))
    samples = {call["tool"]: call["arguments"] for call in reversed(calls)} | BETTER_SAMPLES
    for name, tools in by_set.items():
        yield f"## Tools of the set {name}\n"
        for each in tools:
            yield from tool(documents[each], *rows[each], samples[each], english.get(each, {}))


def main():
    target = os.environ.get("CARGO_TARGET_DIR", Path.home() / ".cache" / "casetrack-target")
    parser = argparse.ArgumentParser(description="Writes the generated parts of docs/commands.md and docs/tools.md.")
    parser.add_argument("--binary", default=f"{target}/release/casetrack", help="the program [default: the release build]")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is stale")
    options = parser.parse_args()
    stale = []
    for name, lines in (("commands", command_page(options.binary)), ("tools", tool_page())):
        page = DOCS / f"{name}.md"
        old = page.read_text(encoding="utf-8")
        head, mark, _ = old.partition(MARK)
        if not mark:
            sys.exit(f"reference.py: docs/{name}.md lacks the line {MARK.strip()}")
        new = re.sub(r"\n{3,}", "\n\n", f"{head}{MARK}\n" + "\n".join(lines)).rstrip() + "\n"
        if new != old:
            stale.append(page.relative_to(ROOT).as_posix())
            if not options.check:
                page.write_text(new, encoding="utf-8")
    if options.check and stale:
        sys.exit(f"reference.py: stale: {', '.join(stale)}. Run scripts/make/reference.py.")
    print("Reference is up to date." if not stale else f"Wrote {', '.join(stale)}.")


if __name__ == "__main__":
    main()
