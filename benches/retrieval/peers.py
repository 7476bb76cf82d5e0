#!/usr/bin/env python3
"""CaseTrack beside a peer that people build by hand: pypdfium2, chunks, the same weights in ONNX Runtime, and Chroma.

usage: peers.py DATA_DIR [--casetrack PROGRAM] [--chunk CHARACTERS] [--overlap CHARACTERS] [--work DIR]

DATA_DIR holds pdf/*.pdf and clauses.jsonl, as benches/retrieval/contracts.py reads them. Both sides ingest the same files one after the other, then
answer the same questions: the description of each category of clauses, asked of the annotated document, ten passages each. A clause
counts as found if at least one of its spans lies in those passages; only clauses count that stand in the text that both sides read.
Then they answer each question over all documents, for the time of a search. Prints for each side: wall and processor time of the ingestion,
most memory, size on disk, clauses found, p50 and p95 of a search. CaseTrack also keeps places, entities, references and dates, and ranks
with words and a learned sparse model; the peer does only what is named above.
Needs: pip install chromadb pypdfium2 numpy onnx onnxruntime safetensors tokenizers
"""
import argparse, json, os, resource, shutil, statistics, subprocess, sys, tempfile, time

import contracts
from contracts import Server, allow_many_calls

TOP_K = contracts.TOP_K


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("data")
    parser.add_argument("--casetrack", default=os.path.join(target, "release", "casetrack"))
    parser.add_argument("--chunk", type=int, default=2000)
    parser.add_argument("--overlap", type=int, default=200)
    parser.add_argument("--work", help="keep both stores in this directory")
    parser.add_argument("--peer", help=argparse.SUPPRESS)  # this script as the peer's own process, so that its memory is its own
    options = parser.parse_args()
    if options.peer:
        return Peer(options).run()
    work = options.work or tempfile.mkdtemp(prefix="casetrack-peers-")
    try:
        compare(options, work)
    finally:
        if not options.work:
            shutil.rmtree(work)


def compare(options, work):
    clauses = [json.loads(line) for line in open(os.path.join(options.data, "clauses.jsonl"), encoding="utf-8")]
    clauses = [clause for clause in clauses if clause["quotes"]]
    peer_home, home = os.path.join(work, "peer"), os.path.join(work, "casetrack")
    started = time.time()
    peer = subprocess.Popen([sys.executable, __file__, options.data, "--chunk", str(options.chunk), "--overlap", str(options.overlap),
                             "--peer", peer_home], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask_peer(question):
        peer.stdin.write(json.dumps(question) + "\n")
        peer.stdin.flush()
        return json.loads(peer.stdout.readline())

    theirs = json.loads(peer.stdout.readline())
    theirs["wall"] = time.time() - started
    ours, search, server = ingest(options, home)

    pages = {name: [contracts.Page(page) for page in pages] for name, pages in theirs.pop("pages").items()}
    spans = [[(place(quote, ours["pages"][clause["file"]]), place(quote, pages[clause["file"]])) for quote in clause["quotes"]]
             for clause in clauses]
    asked = [(clause, [pair for pair in pairs if all(pair)]) for clause, pairs in zip(clauses, spans)]
    asked = [(clause, pairs) for clause, pairs in asked if pairs]
    found = [0, 0]
    for clause, pairs in asked:
        for side, results in enumerate((search(clause["description"], clause["file"])[0],
                                        ask_peer({"query": clause["description"], "document": clause["file"]})["results"])):
            found[side] += any(contracts.covered(pair[side], results) for pair in pairs)
    questions = sorted({clause["description"] for clause in clauses})
    times = [[], []]
    for question in questions * 3:  # the first round warms both
        times[0].append(search(question, None)[1])
        times[1].append(ask_peer({"query": question})["ms"])
    times = [series[len(questions):] for series in times]
    theirs["memory"] = ask_peer({"end": True})["memory"]
    ours["memory"] = contracts.owner_peak(home)
    server.close()
    subprocess.run([options.casetrack, "--data-dir", home, "-q", "stop"], stdout=subprocess.DEVNULL)

    print(f"{len(ours['pages'])} files, {len(asked)} questions whose clause both sides read, {len(questions)} over all files")
    print(f"{'':10} {'chunks':>7} {'wall s':>8} {'CPU s':>8} {'memory MB':>10} {'disk MB':>8} {'found':>7} {'p50 ms':>7} {'p95 ms':>7}")
    for name, side, hits, series, store in (("CaseTrack", ours, found[0], times[0], home), ("peer", theirs, found[1], times[1], peer_home)):
        print(f"{name:10} {side['chunks']:7} {side['wall']:8.1f} {side['cpu']:8.1f} {side['memory']:10.0f} {size(store):8.1f} "
              f"{hits / len(asked):7.1%} {statistics.median(series):7.1f} {sorted(series)[int(len(series) * 0.95)]:7.1f}")


def ingest(options, home):
    """What CaseTrack's ingestion took, a function that searches: (results, milliseconds), and the server that it asks."""
    def run(*arguments):
        done = subprocess.run([options.casetrack, "--data-dir", home, "-q", "--json", *arguments], stdout=subprocess.PIPE)
        return json.loads(done.stdout)

    pdf = os.path.join(options.data, "pdf")
    allow_many_calls(home)
    before = time.time()
    run("new", "Contracts")
    ingested = run("ingest", pdf, "-c", "Contracts")
    wall = time.time() - before
    documents = {os.path.splitext(doc["name"])[0]: doc["document_id"] for doc in ingested["ingested"]}
    pages = {name: [contracts.Page(page) for page in run("inspect", os.path.join(pdf, name + ".pdf"))["pages"]] for name in documents}
    server = Server(home, "--collection", "Contracts", program=options.casetrack)

    def search(query, document):
        arguments = {"query": query, "top_k": TOP_K}
        if document:
            arguments["document_filter"] = documents[document]
        answer, elapsed = server.request("tools/call", {"name": "search_documents", "arguments": arguments})
        return answer["result"]["structuredContent"]["results"], elapsed

    return {"chunks": ingested["chunks"], "wall": wall, "cpu": cpu(server.owner()), "pages": pages}, search, server


def cpu(pid):
    """Processor seconds of the owner and of the processes that read files for it."""
    def fields(process):
        return open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()

    def is_child(process):
        try:
            return process.isdigit() and fields(process)[1] == str(pid)
        except OSError:  # ended meanwhile
            return False

    processes = [pid, *filter(is_child, os.listdir("/proc"))]
    return sum(int(ticks) for process in processes for ticks in fields(process)[11:15]) / os.sysconf("SC_CLK_TCK")


def place(quote, pages):
    return contracts.locate(quote["text"], pages)


def size(folder):
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(folder) for f in files) / 1e6


class Peer:
    """Reads every page's text, cuts it at the last space before the length, embeds, and stores."""

    def __init__(self, options):
        import chromadb, pypdfium2, reference
        self.options = options
        self.encoder = reference.Encoder(reference.E1, threads=os.cpu_count())
        client = chromadb.PersistentClient(options.peer, settings=chromadb.Settings(anonymized_telemetry=False))
        self.store = client.create_collection("contracts", metadata={"hnsw:space": "cosine"})
        self.pdfium = pypdfium2

    def embed(self, texts):
        return self.encoder.dense(texts).tolist()

    def run(self):
        folder, pages, chunks = os.path.join(self.options.data, "pdf"), {}, 0
        for file in sorted(os.listdir(folder)):
            name = os.path.splitext(file)[0]
            document = self.pdfium.PdfDocument(os.path.join(folder, file))
            texts = [document[number].get_textpage().get_text_bounded() for number in range(len(document))]
            pages[name] = [{"number": number, "text": text} for number, text in enumerate(texts, 1)]
            parts = [(number, start, end) for number, text in enumerate(texts, 1) for start, end in self.cut(text)]
            if not parts:
                continue
            words = [texts[number - 1][start:end] for number, start, end in parts]
            self.store.add(ids=[f"{name}/{number}/{start}" for number, start, _ in parts], documents=words, embeddings=self.embed(words),
                           metadatas=[{"document": name, "page": n, "start": s, "end": e} for n, s, e in parts])
            chunks += len(parts)
        usage = resource.getrusage(resource.RUSAGE_SELF)
        self.say({"chunks": chunks, "cpu": usage.ru_utime + usage.ru_stime, "pages": pages})
        for line in sys.stdin:
            question = json.loads(line)
            if question.get("end"):
                return self.say({"memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024})
            self.say(self.search(question))

    def cut(self, text):
        start, length = 0, self.options.chunk
        while start < len(text):
            end = min(start + length, len(text))
            if end < len(text):
                end = max(text.rfind(" ", start + length // 2, end), text.rfind("\n", start + length // 2, end), start + length // 2)
            if text[start:end].strip():
                yield start, end
            if end >= len(text):
                return
            start = max(end - self.options.overlap, start + 1)

    def search(self, question):
        started = time.perf_counter()
        where = {"document": question["document"]} if "document" in question else None
        answer = self.store.query(query_embeddings=self.embed([question["query"]]), n_results=TOP_K, where=where)
        elapsed = (time.perf_counter() - started) * 1000
        places = [{"provenance": {"page": m["page"], "char_start": m["start"], "char_end": m["end"]}} for m in answer["metadatas"][0]]
        return {"results": places, "ms": elapsed}

    @staticmethod
    def say(value):
        print(json.dumps(value), flush=True)


if __name__ == "__main__":
    main()
