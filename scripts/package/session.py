#!/usr/bin/env python3
"""Uses an installed CaseTrack as a new user does: the sample matter ingested, a question answered with its citation, an MCP session.

usage: session.py --samples DIR [--started SECONDS] [--seconds LIMIT] [--server JSON] -- COMMAND...
COMMAND starts the program, with what goes before it (such as chroot). DIR holds harbour-point/ and is named as the program sees
it. --started is the time (seconds since 1970) at which the installation began. Prints one line for each step and fails at the
first that is not as it must be. Needs only the standard library.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from mcp_client import Client  # noqa: E402

QUESTION = "What is the late payment interest rate after the amendment?"
ANSWER = "2.5 per cent per annum above the"
FILE = "Amendment_No_1.docx"
SCAN = "Delivery_Note_2025-0817_scan.pdf"
SCAN_QUESTION = "delivery note 2025-0817"
TOOLS = {"list_collections", "search_documents", "ingest_document"}


def must(condition, message):
    if not condition:
        sys.exit(f"session.py: {message}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", required=True)
    parser.add_argument("--started", type=float)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--server", type=json.loads, help="start the MCP server with this JSON list of words instead")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    started = options.started or time.time()

    def run(*arguments):
        done = subprocess.run([*options.command, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        must(done.returncode == 0, f"{' '.join(arguments)} exited with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    print(f"  {run('--version').strip()}")
    # Every package reads the scan, with or without tesseract.
    run("-q", "start", f"{options.samples}/harbour-point", "--name", "Harbour Point", "--no-connect")
    found = json.loads(run("-q", "--json", "search", QUESTION, "-c", "Harbour Point", "-k", "3"))["results"]
    seconds = time.time() - started
    hits = [result for result in found if ANSWER in re.sub(r"\s+", " ", result["text"])]
    must(hits, f"the answer to {QUESTION!r} is not among {json.dumps(found)[:2000]}")
    must(FILE in json.dumps(hits[0]), f"the answer does not name {FILE}")
    scanned = run("-q", "--json", "search", SCAN_QUESTION, "-c", "Harbour Point", "-k", "5")
    must(SCAN in scanned, f"{SCAN_QUESTION!r} does not find the scan: {scanned[:2000]}")
    # All files were read, so that reading the folder again skips them.
    report = json.loads(run("-q", "--json", "ingest", f"{options.samples}/harbour-point", "-c", "Harbour Point"))
    must(not report["failed"], f"these files could not be read: {json.dumps(report['failed'], indent=1)}")
    must(not report["ingested"], f"`start` left out {json.dumps(report['ingested'])}")
    must(seconds <= options.seconds, f"the first answer came after {seconds:.1f} s, later than {options.seconds:.0f} s")
    print(f"  first cited answer {seconds:.1f} s after the installation began")
    must("Clean" in run("verify", "-c", "Harbour Point"), "verify does not say that the collection is clean")
    handshake(options.server or [*options.command, "mcp"])
    run("-q", "stop")


def handshake(command):
    """One session over stdio, as a client would: initialize, the list of tools, a search that is cited."""
    server = Client(command, "session")
    tools = {tool["name"] for tool in server.result("tools/list")["tools"]}
    must(TOOLS <= tools, f"tools/list lacks {TOOLS - tools}")
    server.call("switch_collection", collection_name="Harbour Point")
    answer = json.dumps(server.call("search_documents", query=QUESTION))
    must(FILE in answer, f"search_documents does not cite {FILE}: {answer[:2000]}")
    must(server.close() == 0, f"the server exited with {server.child.returncode} when its input ended")
    about = server.about
    print(f"  MCP: {about['serverInfo']['name']} {about['serverInfo']['version']}, {len(tools)} tools, search cited {FILE}")


if __name__ == "__main__":
    main()
