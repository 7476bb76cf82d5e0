#!/usr/bin/env python3
"""Whether every tool that reads answers the same over a collection on disk and over its copies in databases. Standard library only.

    python3 benches/store/stores_alike.py FOLDER --store postgres://… [--store postgres://…] [--queries FILE] [--work FOLDER] [--every N] [--show]

Ingests FOLDER into a collection on disk and copies it into each database (`casetrack migrate`), then calls the tools of `casetrack mcp
--toolsets all,workbench` ($CASETRACK_BIN, otherwise the release build) on disk and in each: those about the collection once, those about a
document, a passage or an entity for every N-th of them, and searches for every query: the lines of FILE, {"text"} or {"description"}, or
some of its own. Compared is the structured content, without times, sizes and places on the machine, and numbers with a fraction to 1e-5 of
themselves or of 1. Of searches it is also told how often the ten first are the same. The exit status is 1 if anything is otherwise.
--work keeps the collection on disk for another run; those in the databases are deleted. --show prints the first difference of each tool.
"""
import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "protocol"))
from protocol import BINARY, Server, allow_many_calls  # noqa: E402

NAME = "Stores alike"
# Of this machine, of the process and of the moment.
LEFT_OUT = {"duration_ms", "elapsed_ms", "storage", "storage_bytes", "path", "changed_at", "file_uri"}
# Of this session and its jobs.
OF_THE_SESSION = {"get_status", "get_job", "list_jobs", "list_watches", "switch_collection", "list_collections"}
MARK = re.compile(r"(</?doc )[^>]*>")
QUERIES = ["termination for convenience", "governing law", "who may assign the agreement", "\"confidential information\"", "renewal term notice",
           "limitation of liability", "audit rights", "non-competition", "insurance", "effective date"]


def settled(value):
    """What is compared of an answer."""
    if isinstance(value, dict):
        return {key: settled(item) for key, item in value.items() if key not in LEFT_OUT}
    if isinstance(value, list):
        return [settled(item) for item in value]
    return MARK.sub(r"\1>", value) if isinstance(value, str) else value


def difference(a, b, place="answer"):
    """The first difference of two answers; None where there is none."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        pairs = ((a[key], b[key], f"{place}.{key}") for key in a)
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        pairs = ((x, y, f"{place}[{n}]") for n, (x, y) in enumerate(zip(a, b)))
    elif isinstance(a, float) and isinstance(b, (int, float)) and abs(a - b) <= 1e-5 * max(1, abs(a)):
        return None
    else:
        return None if a == b else f"{place}: {json.dumps(a)[:200]} on disk, {json.dumps(b)[:200]}"
    return next((found for found in (difference(*pair) for pair in pairs) if found), None)


def calls(client, queries, every):
    """The sample call of each tool that reads, for every value of its `$document` and the like that the collection on disk has."""
    ask = lambda tool, **arguments: answer(client, tool, arguments).get("structuredContent") or {}
    names = []
    while True:
        page = ask("list_documents", limit=100, offset=len(names))["documents"]
        names += [document["name"] for document in page]
        if len(page) < 100:
            break
    chosen = names[::every]
    entities = [entity["name"] for entity in ask("list_entities", top_k=100)["entities"]]
    references = [reference["name"] for reference in ask("list_references", top_k=50)["references"]]
    passages = [passage["chunk_id"] for name in chosen for passage in ask("get_document_chunks", document_name=name)["chunks"][::10]]
    values = {
        "document": [{"document": name, "other": other} for name, other in zip(chosen, chosen[1:] + chosen[:1])],
        "entity": [{"entity": entity, "partner": other} for entity, other in zip(entities[::every], entities[1::every])],
        "reference": [{"reference": reference} for reference in references[::every]],
        "chunk": [{"chunk": passage} for passage in passages],
        "quote": [{"quote": ask("get_chunk", chunk_id=passage)["text"][:120]} for passage in passages],
        "query": [{"query": query} for query in queries],
    }
    reading = {tool["name"] for tool in client.request("tools/list", {})[0]["result"]["tools"] if tool["annotations"]["readOnlyHint"]}
    samples = json.loads((Path(__file__).resolve().parents[2] / "schemas/calls.json").read_text(encoding="utf-8"))
    made = []
    for sample in samples:
        tool, written = sample["tool"], json.dumps(sample["arguments"])
        if tool not in reading or tool in OF_THE_SESSION:
            continue
        of = next((names for name, names in values.items() if f"${name}" in written), [{}])
        made += [(tool, filled(sample["arguments"], {"file": "", **names})) for names in of]
    for query in queries:
        made.append(("search_documents", {"query": query, "top_k": 10, "explain": True}))
        made += [("search_documents", {"query": query, "document_filter": name, "top_k": 10, "explain": True}) for name in chosen]
        if query.startswith('"'):
            made.append(("search_documents", {"query": query, "count_only": True}))
    return made


def filled(value, names):
    """The arguments of a call with the values of `$document` and the like."""
    if isinstance(value, dict):
        return {key: filled(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, names) for item in value]
    if isinstance(value, str):
        for name, text in names.items():
            value = value.replace(f"${name}", text)
    return value


def answer(client, tool, arguments):
    message, _ = client.request("tools/call", {"name": tool, "arguments": arguments})
    return message.get("result") or {"error": message["error"]}


def opened(home, store):
    client = Server(str(home), "--toolsets", "all,workbench", *store)
    answer(client, "switch_collection", {"collection_name": NAME})
    return client


def closed(home, client):
    client.close()
    command("stop", home=home)


def command(*arguments, home):
    subprocess.run([BINARY, "--data-dir", str(home), "--quiet", *arguments], check=True, stdout=subprocess.DEVNULL)


def compared(home, store, expected, show):
    """Calls as on disk, and tells what is otherwise; whether nothing is."""
    client = opened(home, ("--store", store))
    asked, otherwise, firsts, shown = Counter(), Counter(), [0, 0], set()
    for tool, arguments, on_disk in expected:
        found = answer(client, tool, arguments)
        first, second = (settled(of.get("structuredContent") or of) for of in (on_disk, found))
        asked[tool] += 1
        told = difference(first, second)
        if told:
            otherwise[tool] += 1
            if show and tool not in shown:
                shown.add(tool)
                print(f"  {tool} {json.dumps(arguments)[:200]}\n    {told}")
        if "results" in first and "results" in second and arguments.get("top_k") == 10:
            ids = [[hit.get("chunk_id") for hit in of["results"]] for of in (first, second)]
            firsts[0] += len(set(ids[0]) & set(ids[1]))
            firsts[1] += len(ids[0])
    closed(home, client)
    print(f"{sum(asked.values())} calls of {len(asked)} tools, {sum(otherwise.values())} answered otherwise than on disk"
          f"{': ' + ', '.join(f'{tool} {n} of {asked[tool]}' for tool, n in otherwise.items()) if otherwise else ''}; "
          f"{firsts[0]} of {firsts[1]} first passages are the same")
    return not otherwise


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--store", action="append", required=True)
    parser.add_argument("--queries", type=Path)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    queries = QUERIES
    if options.queries:
        lines = map(json.loads, options.queries.read_text(encoding="utf-8").splitlines())
        queries = list(dict.fromkeys(line.get("text") or line["description"] for line in lines))
    with tempfile.TemporaryDirectory() as temporary:
        home = options.work or Path(temporary, "home")
        if not home.exists():
            allow_many_calls(home)
            command("new", NAME, home=home)
            command("ingest", str(options.folder), "-c", NAME, home=home)
        client = opened(home, ())
        expected = [(tool, arguments, answer(client, tool, arguments)) for tool, arguments in calls(client, queries, options.every)]
        failed = Counter(tool for tool, _, found in expected if found.get("isError") or "error" in found)
        closed(home, client)
        print(f"on disk, {len(expected)} calls of {len({tool for tool, *_ in expected})} tools; errors: {dict(failed) or 'none'}")
        same = True
        for store in options.store:
            print(store.rpartition("@")[2])
            command("migrate", NAME, "--to", store, home=home)
            command("stop", home=home)
            same &= compared(home, store, expected, options.show)
            client = opened(home, ("--store", store))
            answer(client, "delete_collection", {"collection_name": NAME, "confirm": True})
            closed(home, client)
    sys.exit(not same)


if __name__ == "__main__":
    main()
