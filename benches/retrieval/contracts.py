#!/usr/bin/env python3
"""Ingests annotated contracts and reports how faithfully their clauses are kept and found.

usage: contracts.py DATA_DIR [--casetrack PROGRAM] [--work DIR]

DATA_DIR holds pdf/*.pdf and clauses.jsonl, one annotation a line:
  {"file": name without extension, "category", "description", "quotes": [{"text"}]}
Prints: wall time, chunks/s, peak memory and size on disk of the ingestion; the share of quotes found verbatim in the page
texts (white space folded; a quote over a page break counts when its parts are found on pages that follow each other, one in
which the annotation says "<omitted>" when the parts on both sides are found); the share of queries (a category's
description, in the annotated document) whose gold span lies in the top 10 chunks; latency of search. Needs the Python standard library only.
"""
import argparse, json, os, re, shutil, subprocess, sys, tempfile, time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "protocol"))
from protocol import Server, allow_many_calls  # noqa: E402

TOP_K = 10
FEWEST_WORDS_OF_A_PART = 3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("--casetrack", default=os.path.join(target, "release", "casetrack"))
    parser.add_argument("--work", help="keep the collection in this directory")
    options = parser.parse_args()
    home = options.work or tempfile.mkdtemp(prefix="casetrack-contracts-")
    try:
        report(options.casetrack, options.data, home)
    finally:
        subprocess.run([options.casetrack, "--data-dir", home, "-q", "stop"], stdout=subprocess.DEVNULL)
        if not options.work:
            shutil.rmtree(home)


def owner_peak(home):
    """Most memory of the process that works on the collections so far, in MB; not a number where the system does not tell."""
    try:
        pid = json.load(open(os.path.join(home, "owner", "address.json")))["pid"]
        return int(re.search(r"VmHWM:\s*(\d+)", open(f"/proc/{pid}/status").read())[1]) / 1024
    except OSError:
        return float("nan")


def report(program, data, home):
    def run(*arguments):
        done = subprocess.run([program, "--data-dir", home, "-q", "--json", *arguments], stdout=subprocess.PIPE)
        return json.loads(done.stdout)

    pdf = os.path.join(data, "pdf")
    # Over a thousand searches follow each other without a pause.
    allow_many_calls(home)
    run("new", "Contracts")
    started = time.time()
    ingested = run("ingest", pdf, "-c", "Contracts")
    wall = time.time() - started
    peak = owner_peak(home)
    verified = run("verify", "-c", "Contracts")
    size = sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(home) for f in files)
    print(f"ingested {len(ingested['ingested'])}, skipped {len(ingested['skipped'])}, failed {len(ingested['failed'])}; "
          f"verify {'clean' if verified['clean'] else 'NOT CLEAN'}")
    print(f"{ingested['pages']} pages, {ingested['chunks']} chunks in {wall:.0f} s: {ingested['chunks'] / wall:.1f} chunks/s; "
          f"peak memory {peak:.0f} MB; {size / 1e6:.1f} MB on disk ({size / ingested['chunks'] / 1e3:.1f} kB a chunk)")

    documents = {os.path.splitext(doc["name"])[0]: doc["document_id"] for doc in ingested["ingested"]}
    clauses = [json.loads(line) for line in open(os.path.join(data, "clauses.jsonl"), encoding="utf-8")]
    clauses = [clause for clause in clauses if clause["quotes"] and clause["file"] in documents]
    pages = {name: [Page(page) for page in run("inspect", os.path.join(pdf, name + ".pdf"))["pages"]]
             for name in sorted({clause["file"] for clause in clauses})}

    found = total = 0
    queries = []
    for clause in clauses:
        spans = []
        for quote in clause["quotes"]:
            total += 1
            place = locate(quote["text"], pages[clause["file"]])
            found += bool(place)
            spans.append(place)
        queries.append((clause, [span for span in spans if span]))
    print(f"quotes found verbatim: {found} of {total} ({found / total:.1%})")

    server = Server(home, "--collection", "Contracts", program=program)
    any_span = all_spans = asked = 0
    for clause, spans in queries:
        if not spans:
            continue
        asked += 1
        results = search(server, clause["description"], documents[clause["file"]])
        hits = [covered(span, results) for span in spans]
        any_span += any(hits)
        all_spans += all(hits)
    server.close()
    print(f"gold span in the top {TOP_K} chunks of its document, {asked} queries: at least one of the category's spans "
          f"{any_span / asked:.1%}, all of them {all_spans / asked:.1%}")

    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write("\n".join(sorted({clause["description"] for clause in clauses})))
        file.flush()
        # It opens the collection itself.
        subprocess.run([program, "--data-dir", home, "-q", "stop"], stdout=subprocess.DEVNULL)
        lab = os.path.join(os.path.dirname(program), "casetrack-lab")
        done = subprocess.run([lab, "bench", "search", "--data-dir", home, "-c", "Contracts", "--queries", file.name, "-q", "--json"],
                              stdout=subprocess.PIPE, check=True)
        latency = json.loads(done.stdout)
    print(f"search over all documents, model loaded, {latency['searches']} searches: p50 {latency['p50_ms']:.1f} ms, "
          f"p95 {latency['p95_ms']:.1f} ms")


def search(server, query, document):
    arguments = {"query": query, "top_k": TOP_K, "document_filter": document}
    result = server.result("tools/call", {"name": "search_documents", "arguments": arguments})
    if result.get("isError"):
        sys.exit(result["content"][0]["text"])
    return result["structuredContent"]["results"]


class Page:
    """A page's text with white space folded, and where each folded character came from."""

    def __init__(self, page):
        self.number = page["number"]
        folded, places = [], []
        for place, char in enumerate(page["text"]):
            char = " " if char.isspace() else char
            if char == " " and (not folded or folded[-1] == " "):
                continue
            folded.append(char)
            places.append(place)
        self.text, self.places = "".join(folded), places

    def span(self, start, end):
        return (self.number, self.places[start], self.places[end - 1] + 1)


def locate(quote, pages):
    """The spans of a quote, part by part where the annotation leaves text out ("<omitted>"); None if a part is not found."""
    parts = [locate_part(re.sub(r"\s+", " ", part).strip(), pages) for part in quote.split("<omitted>") if part.strip()]
    return sum(parts, []) if all(parts) else None


def locate_part(quote, pages):
    """One span where the part stands on one page, several over page breaks; None where it is not found."""
    for page in pages:
        at = page.text.find(quote)
        if at >= 0:
            return [page.span(at, at + len(quote))]
    words = quote.split(" ")
    for first, page in enumerate(pages[:-1]):
        spans = over_break(words, pages, first)
        if spans:
            return spans
    return None


def over_break(words, pages, first):
    """Greedy: the most words that this page has, then the rest on the next one."""
    if first >= len(pages):
        return None
    page = pages[first]
    low, high = 0, len(words)
    while low < high:  # a prefix of a text that stands on the page stands there too
        middle = (low + high + 1) // 2
        if page.text.find(" ".join(words[:middle])) >= 0:
            low = middle
        else:
            high = middle - 1
    if low < min(FEWEST_WORDS_OF_A_PART, len(words)):
        return None
    part = " ".join(words[:low])
    at = page.text.find(part)
    here = [page.span(at, at + len(part))]
    if low == len(words):
        return here
    rest = over_break(words[low:], pages, first + 1)
    return rest and here + rest


def covered(spans, results):
    """Whether the results, taken together, hold every character of the spans."""
    for page, start, end in spans:
        reached = start
        for chunk in sorted((r["provenance"]["char_start"], r["provenance"]["char_end"])
                            for r in results if r["provenance"]["page"] == page):
            if chunk[0] <= reached:
                reached = max(reached, chunk[1])
        if reached < end:
            return False
    return True


if __name__ == "__main__":
    main()
