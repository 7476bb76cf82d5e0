#!/usr/bin/env python3
"""What of annotated contracts the context graph knows: parties, dates, governing law.

usage: contract_graph.py CONTRACTS COLLECTION [--casetrack PROGRAM] [--misses]
       contract_graph.py --times COLLECTION [--casetrack PROGRAM]

CONTRACTS holds manifest.jsonl, a contract a line: "_id", "parties_quotes", "agreement_date" and "effective_date" (M/D/YY), "governing_law".
COLLECTION is one into which the contracts' files, named by _id, were ingested (CASETRACK_HOME says where). Printed are the shares of
  - names of parties that are the name or an alias of a person or organization of that contract (case and punctuation aside; placeholders
    and quotes of more than one name are left out),
  - complete dates that are in the contract's timeline, with that day,
  - governing states and countries that are a location of the contract.
With --times, how long calls about the whole of any collection take over the protocol, the first of them with the graph not yet made if no
process has the collection open (`casetrack stop`). Needs the Python standard library only.
"""
import argparse
import json
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
from mcp_client import Client, Failure  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", action="store_true")
    parser.add_argument("contracts", type=Path, nargs="?")
    parser.add_argument("collection")
    parser.add_argument("--casetrack", default="casetrack")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    ask = Graph([options.casetrack, "mcp", "-c", options.collection])
    if options.times:
        return times(ask)
    ids = {document["name"].rsplit(".", 1)[0]: document["id"] for document in ask("list_documents", {})["documents"]}
    counts, misses = {"parties": [0, 0], "dates": [0, 0], "governing law": [0, 0]}, []

    def count(what, found, contract, wanted):
        counts[what][0] += found
        counts[what][1] += 1
        if not found:
            misses.append((what, contract, wanted))

    for line in open(options.contracts / "manifest.jsonl", encoding="utf-8"):
        contract = json.loads(line)
        name = contract["_id"]
        if name not in ids:
            continue
        of = {"document_filter": ids[name], "top_k": 500}
        names, places = set(), set()
        for kind in ("organization", "person", "location"):
            for entity in ask("list_entities", {**of, "entity_type": kind})["entities"]:
                written = {words(text) for text in [entity["key"], entity["name"], *entity.get("aliases", [])]}
                (places if kind == "location" else names).update(written)
        days = {event["date"]["first"] for event in ask("get_collection_timeline", {"document_filter": ids[name]})["events"]}
        for quote in contract["parties_quotes"]:
            wanted = party(quote)
            if wanted:
                count("parties", any(wanted == known or bare(wanted) == bare(known) for known in names), name, quote)
        for key in ("agreement_date", "effective_date"):
            day = iso(contract[key])
            if day:
                count("dates", day in days, name, day)
        law = words(contract["governing_law"])
        if law:
            count("governing law", any(law in place or place in law for place in places if place), name, law)
    for what, (found, all_of) in counts.items():
        print(f"{what}: {found} of {all_of} = {found / all_of:.3f}")
    if options.misses:
        for miss in misses:
            print(*miss, sep=" | ")


def times(ask):
    ask("get_status", {})
    timed(ask, "get_collection_summary", {})
    timed(ask, "get_collection_summary", {})
    entity = ask("list_entities", {"top_k": 1})["entities"][0]["name"]
    timed(ask, "get_entity_graph", {"entity_name": entity, "depth": 2})
    timed(ask, "get_collection_timeline", {})
    timed(ask, "find_document_clusters", {})


def timed(ask, tool, arguments):
    started = time.perf_counter()
    ask(tool, arguments)
    print(f"{tool}: {1000 * (time.perf_counter() - started):.0f} ms")


class Graph(Client):
    """A session with a collection open, which waits where a client has used up the calls of a minute."""

    def __call__(self, tool, arguments):
        while True:
            try:
                return self.call(tool, **arguments)
            except Failure as failure:
                if "Try again in" not in str(failure):
                    raise
            time.sleep(1)


FORMS = {"inc", "incorporated", "llc", "ltd", "limited", "corp", "corporation", "co", "company", "lp", "llp", "plc", "sa", "ag", "nv", "bv", "gmbh", "the"}


def words(text):
    return " ".join(re.findall(r"[a-z0-9]+", text.lower().replace(".", "")))


def bare(text):
    return " ".join(word for word in text.split() if word not in FORMS) or text


def party(quote):
    """The name in a quote; nothing for blanks and for several names."""
    text = quote.strip(" \"'“”‘’()[]")
    if "*" in text or "__" in text or re.search(r"\b(and|or)\b|;|\(", text) or not re.search(r"[A-Za-z]{2}", text):
        return None
    return words(text)


def iso(date):
    match = re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{2,4})", date.strip())
    if not match:
        return None
    month, day, year = map(int, match.groups())
    if year < 100:
        year += 1900 if year > 50 else 2000
    return f"{year:04}-{month:02}-{day:02}"


if __name__ == "__main__":
    main()
