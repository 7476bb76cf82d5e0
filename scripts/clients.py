#!/usr/bin/env python3
"""Every tool, called over stdio by two clients written elsewhere: the official Python SDK and the MCP inspector's command line.

    scripts/clients.py [--program PROGRAM] [--no-inspector]

Each tool is called so that it succeeds, and so that it fails in each way of its own: the error must be a tool error whose text says what
is expected here. The SDK checks every structured answer against the schema that the server declares. The inspector makes one call of
each kind for each tool. The exit status is 1 if anything is otherwise.

Needs the Python package mcp, and for the inspector Node.js with npx and the network.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

UNKNOWN = ({"no_such_parameter": 1}, "has no parameter")
NOWHERE = "/nowhere/at all"


def calls(folder):
    """In order: the tool, arguments that succeed, and pairs of arguments that fail and what is said then. `$name` is what an earlier
    answer had there."""
    note, other = str(folder / "note.md"), str(folder / "other.txt")
    no_document = ({"document_name": "Ghost"}, "not found")
    no_chunk = ({"chunk_id": "00000000-0000-0000-0000-000000000000"}, "not found")
    return [
        ("create_collection", {"name": "Notes"}, [({"name": "Notes"}, "exists already"), ({}, "needs the parameter"), ({"name": ""}, "")]),
        ("list_collections", {}, [({"status_filter": "lost"}, "must be")]),
        ("switch_collection", {"collection_name": "Notes"}, [({"collection_name": "Noets"}, "Did you mean")]),
        ("ingest_document", {"file_path": note}, [({"file_path": NOWHERE}, "File not found"), ({"file_path": "note.md"}, "absolute"),
                                                  ({"file_path": str(folder)}, "is a folder"), ({"file_path": str(folder / "broken.docx")}, "")]),
        ("ingest_folder", {"folder_path": str(folder)}, [({"folder_path": NOWHERE}, "File not found"), ({"folder_path": note}, "is a file")]),
        ("sync_folder", {"folder_path": str(folder), "dry_run": True}, [({"folder_path": NOWHERE}, "File not found")]),
        ("reindex_document", {"document_name": "note.md", "force": True}, [no_document]),
        ("reindex_collection", {"confirm": True}, [({"confirm": False}, "confirm must be true")]),
        ("get_index_status", {}, [({"document_filter": "Ghost"}, "not found")]),
        ("watch_folder", {"folder_path": str(folder), "schedule": "daily"},
         [({"folder_path": NOWHERE}, "File not found"), ({"folder_path": str(folder)}, "watched already")]),
        ("set_sync_schedule", {"folder_path": str(folder), "schedule": "manual"},
         [({"folder_path": NOWHERE, "schedule": "manual"}, "Watch not found"), ({"folder_path": str(folder), "schedule": "never"}, "must be")]),
        ("list_watches", {}, [({"collection_filter": "Ghost"}, "not found")]),
        ("unwatch_folder", {"folder_path": str(folder)}, [({"folder_path": NOWHERE}, "Watch not found")]),
        ("list_jobs", {}, [({"active_only": "yes"}, "must be")]),
        ("get_job", {"job_id": "$job_id"}, [({"job_id": "nothing"}, "Job not found")]),
        ("cancel_job", {"job_id": "$job_id"}, [({"job_id": "nothing"}, "Job not found")]),
        ("list_documents", {}, [({"sort_by": "size"}, "must be")]),
        ("get_document", {"document_name": "note.md"}, [no_document]),
        ("search_documents", {"query": "when is payment due?"}, [({"query": ""}, ""), ({"query": "x", "top_k": 99}, "must be")]),
        ("get_chunk", {"chunk_id": "$chunk_id"}, [no_chunk, ({"chunk_id": "x"}, "")]),
        ("get_document_chunks", {"document_name": "note.md"}, [no_document]),
        ("get_source_context", {"chunk_id": "$chunk_id"}, [no_chunk]),
        ("search_similar_chunks", {"chunk_id": "$chunk_id", "min_similarity": 0}, [no_chunk]),
        ("compare_documents", {"document_a": "note.md", "document_b": "other.txt", "topic": "payment"},
         [({"document_a": "Ghost", "document_b": "note.md", "topic": "x"}, "not found")]),
        ("get_collection_info", {}, [UNKNOWN]),
        ("get_collection_summary", {}, [UNKNOWN]),
        ("get_collection_timeline", {}, [({"start_date": "soon"}, "")]),
        ("get_collection_statistics", {}, [UNKNOWN]),
        ("list_entities", {}, [({"entity_type": "animal"}, "must be")]),
        ("find_entity", {"entity": "Acme Foods"}, [({}, "needs the parameter")]),
        ("get_entity_mentions", {"entity_name": "Acme Foods"}, [({"entity_name": "Nobody at all"}, "not found")]),
        ("search_entity_relationships", {"entities": ["Acme Foods", "Jane Roe"]}, [({"entities": ["Jane Roe"]}, "")]),
        ("get_entity_graph", {"entity_name": "Jane Roe"}, [({"entity_name": "Nobody at all"}, "not found")]),
        ("list_references", {}, [({"reference_type": "song"}, "must be")]),
        ("get_reference_citations", {"reference": "ISO 27001"}, [({"reference": "ISO 1"}, "not found")]),
        ("find_related_documents", {"document_name": "note.md"}, [no_document]),
        ("get_related_documents", {"document_name": "note.md"}, [no_document]),
        ("find_document_clusters", {"strategy": "document_type"}, [({"strategy": "luck"}, "must be")]),
        ("get_document_structure", {"document_name": "note.md"}, [no_document]),
        ("browse_pages", {"document_name": "note.md", "start_page": 1, "end_page": 1},
         [({"document_name": "note.md", "start_page": 3, "end_page": 2}, "")]),
        ("list_documents_by_type", {"document_type": "other"}, [({"document_type": "song"}, "must be")]),
        ("traverse_chunks", {"start_chunk_id": "$chunk_id"}, [({"start_chunk_id": "00000000-0000-0000-0000-000000000000"}, "not found")]),
        ("get_status", {}, [UNKNOWN]),
        ("delete_document", {"document_name": other, "confirm": True}, [({"document_name": "note.md", "confirm": False}, "confirm must be true")]),
        ("delete_collection", {"collection_name": "Notes", "confirm": True},
         [({"collection_name": "Notes", "confirm": False}, "confirm must be true"), ({"collection_name": "Ghost", "confirm": True}, "not found")]),
    ]


def learn(value, seen):
    """The first chunk and job that were named."""
    if isinstance(value, list):
        for item in value:
            learn(item, seen)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in ("chunk_id", "job_id") and isinstance(item, str):
                seen.setdefault(f"${key}", item)
            learn(item, seen)


def filled(arguments, seen):
    return {key: seen.get(value, value) if isinstance(value, str) else value for key, value in arguments.items()}


def documents(folder):
    text = "# Terms\n\nPayment is due within thirty days of the invoice. Jane Roe signed for Acme Foods, Inc. on May 5, 2019, and Acme Foods, " \
           "Inc. complies with ISO 27001.\n"
    (folder / "note.md").write_text(text)
    (folder / "other.txt").write_text("Payment is due within thirty days of the delivery, says Acme Foods, Inc.\n")
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 no document")


async def python_sdk(command, folder):
    """Problems, and the arguments that succeeded."""
    problems, worked, seen = [], [], {}
    async with stdio_client(StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))) as streams:
        async with ClientSession(*streams) as session:
            await session.initialize()
            tools = {tool.name for tool in (await session.list_tools()).tools}
            table = calls(folder)
            problems += [f"{name} is not called here" for name in tools - {name for name, *_ in table}]
            for name, arguments, failing in table:
                for wrong, said in failing if name.startswith("delete") else []:
                    problems += await refused(session, name, wrong, said)
                arguments = filled(arguments, seen)
                result = await session.call_tool(name, arguments)
                answer = result.model_dump(by_alias=True)
                if answer["isError"]:
                    problems.append(f"{name} {arguments}: {answer['content'][0]['text']}")
                else:
                    worked.append((name, arguments))
                    learn(answer["structuredContent"], seen)
                for wrong, said in [] if name.startswith("delete") else failing:
                    problems += await refused(session, name, filled(wrong, seen), said)
    return problems, worked


async def refused(session, name, arguments, said):
    answer = (await session.call_tool(name, arguments)).model_dump(by_alias=True)
    text = answer["content"][0]["text"]
    return [] if answer["isError"] and text and said.lower() in text.lower() else [f"{name} {arguments} was to fail with \"{said}\": {text}"]


def inspector(command, folder):
    """Problems, and how many calls were made: each tool once as it should be, and once with a parameter that it does not have."""
    problems, seen, made = [], {}, 0

    def call(name, arguments):
        nonlocal made
        made += 1
        line = ["npx", "-y", "@modelcontextprotocol/inspector", "--cli", *command, "--method", "tools/call", "--tool-name", name]
        for key, value in arguments.items():
            line += ["--tool-arg", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
        done = subprocess.run(line, capture_output=True, text=True)
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError:
            return {"isError": True, "content": [{"text": (done.stdout + done.stderr)[-500:]}], "broken": True}

    for name, arguments, _ in calls(folder):
        wrong = call(name, {"no_such_parameter": 1})
        answer = call(name, filled(arguments, seen))
        if answer.get("isError") or "structuredContent" not in answer:
            problems.append(f"{name}: {answer['content'][0]['text']}")
        learn(answer.get("structuredContent"), seen)
        if wrong.get("broken") or not wrong.get("isError") or "no parameter" not in wrong["content"][0]["text"]:
            problems.append(f"{name} with an unknown parameter: {wrong}")
    return problems, made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(Path.home() / ".cache/casetrack-target/release/casetrack"))
    parser.add_argument("--no-inspector", action="store_true")
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root, "documents")
        folder.mkdir()
        documents(folder)
        problems, worked = asyncio.run(python_sdk([options.program, "--quiet", "--data-dir", f"{root}/sdk", "mcp", "--toolsets", "all"], folder))
        print(f"Python SDK: {len(worked)} tools succeeded, their errors as expected; problems: {len(problems)}")
        print(*problems, sep="\n")
        failed |= bool(problems)
        if not options.no_inspector:
            home = f"{root}/inspector"
            subprocess.run([options.program, "--quiet", "--data-dir", home, "new", "Notes"], check=True, stdout=subprocess.DEVNULL)
            # Every call is a session of its own, so the collection is named at the start; it cannot be made twice.
            command = [options.program, "--data-dir", home, "mcp", "--toolsets", "all", "--collection", "Notes"]
            problems, made = inspector(command, folder)
            problems = [problem for problem in problems if not (problem.startswith("create_collection") and "exists already" in problem)]
            print(f"inspector: {made} calls; problems: {len(problems)}")
            print(*problems, sep="\n")
            failed |= bool(problems)
        for home in ("sdk", "inspector"):
            subprocess.run([options.program, "--data-dir", f"{root}/{home}", "stop"], stdout=subprocess.DEVNULL)
    sys.exit(failed)


if __name__ == "__main__":
    main()
