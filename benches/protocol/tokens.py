#!/usr/bin/env python3
"""Counts what the answers to a lawyer's calls cost an assistant. Standard library only.

    python3 benches/protocol/tokens.py [--folder FOLDER] [--work FOLDER] [--against FILE] [--json FILE]

Ingests FOLDER (the sample matter) into a new collection, makes the calls of tokens.jsonl over stdio ($CASETRACK_BIN, otherwise the release
build) and prints for each the bytes of its text and of its structured content, and their sums. Tokens are characters / 4. A call that fails
counts with its message. --json writes the figures; --against prints each as a share of the figures of an earlier run. --work keeps the
collection for another run.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
from mcp_client import BINARY, Client  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
MATTER = "Token bench"


def calls():
    return [json.loads(line) for line in Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()]


def answer(client, tool, arguments):
    """Text and structured content of a result; links and pictures are not counted."""
    message, _ = client.request("tools/call", {"name": tool, "arguments": arguments})
    result = message.get("result") or {"content": [{"type": "text", "text": json.dumps(message["error"])}]}
    texts = [block["text"] for block in result["content"] if block["type"] == "text"]
    return "".join(texts), result.get("structuredContent"), bool(result.get("isError") or "error" in message)


def placeholders(client):
    """An organization, a reference and a passage of the matter."""
    found = lambda tool, **arguments: answer(client, tool, arguments)[1]
    organization = found("list_entities", entity_type="organization", top_k=1)["entities"][0]["name"]
    reference = found("list_references", top_k=1)["references"][0]["name"]
    chunk = found("search_documents", query="extension of time", top_k=1)["results"][0]["chunk_id"]
    return {"$organization": organization, "$reference": reference, "$chunk": chunk}


def filled(value, known):
    if isinstance(value, dict):
        return {key: filled(item, known) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, known) for item in value]
    return known.get(value, value) if isinstance(value, str) else value


def measure(home, folder):
    if not Path(home, "made").exists():
        subprocess.run([BINARY, "--data-dir", home, "--quiet", "new", MATTER], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([BINARY, "--data-dir", home, "--quiet", "ingest", folder, "-c", MATTER], check=True, stdout=subprocess.DEVNULL)
        Path(home, "made").touch()
    client = Client([BINARY, "--data-dir", home, "mcp", "--collection", MATTER])
    known, rows = placeholders(client), []
    for call in calls():
        text, structured, failed = answer(client, call["tool"], filled(call["arguments"], known))
        size = len(json.dumps(structured, ensure_ascii=False, separators=(",", ":"))) if structured is not None else 0
        rows.append({"task": call["task"], "tool": call["tool"], "text": len(text), "structured": size, "failed": failed})
    listed = client.result("tools/list")["tools"]
    client.close()
    return {"rows": rows, "tools": len(listed), "list": len(json.dumps(listed, ensure_ascii=False, separators=(",", ":")).encode())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / "samples" / "harbour-point")
    parser.add_argument("--work", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        measured = measure(options.work or Path(scratch), options.folder)
    before = json.loads(options.against.read_text()) if options.against else None
    earlier = {(row["task"], row["tool"]): row for row in before["rows"]} if before else {}
    sums = {"text": [0, 0], "structured": [0, 0]}
    print(f"{'task':32} {'tool':28} {'text':>8} {'structured':>11}")
    for row in measured["rows"]:
        then, shares = earlier.get((row["task"], row["tool"])), []
        for part, pair in sums.items():
            pair[0] += row[part]
            pair[1] += then[part] if then else 0
            shares.append(f"{row[part] / then[part]:.2f}" if then and then[part] else "")
        print(f"{row['task']:32} {row['tool']:28} {row['text']:8,} {row['structured']:11,} {' '.join(shares)}{'  failed' if row['failed'] else ''}")
    for part, (now, then) in sums.items():
        print(f"{part}: {now:,} characters, {now // 4:,} tokens" + (f", {now / then:.0%} of {then:,}" if then else ""))
    print(f"tools/list: {measured['tools']} tools, {measured['list']:,} bytes")
    if options.json:
        options.json.write_text(json.dumps(measured, indent=1))


if __name__ == "__main__":
    main()
