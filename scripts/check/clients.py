#!/usr/bin/env python3
"""Every tool, called over stdio by two clients written elsewhere: the official Python SDK and the MCP inspector's command line.

    scripts/check/clients.py [--program PROGRAM] [--no-inspector]

Each tool is called so that it succeeds, and so that it fails in each way of its own: the error must be a tool error whose text says what
is expected here. The SDK checks every structured answer against the schema that the server declares, and this script checks it against
the full schema in schemas/, whose references must all resolve. The inspector makes one call of each kind for each tool. The exit status
is 1 if anything is otherwise.

Needs the Python package mcp (with its own jsonschema), and for the inspector Node.js with npx and the network.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

UNKNOWN = ({"no_such_parameter": 1}, "has no parameter")
NOWHERE = "/nowhere/at all"
TOOLSETS = ("core", "ingest", "graph", "review", "watch", "workbench")
SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"


def calls(folder):
    """In order: the tool, arguments that succeed, from schemas/calls.json, and pairs of arguments that fail and the expected message.
    `$chunk` and `$job` are filled from earlier answers."""
    names = {"collection": "Notes", "document": "note.md", "other": "other.txt", "file": str(folder / "note.md"), "folder": str(folder),
             "query": "when is payment due?", "quote": "due within thirty days of the", "entity": "Acme Foods", "partner": "Jane Roe",
             "reference": "ISO 27001"}
    failing = failures(folder)
    return [(call["tool"], filled(call["arguments"], names), failing.get(call["tool"], [UNKNOWN]))
            for call in json.loads((SCHEMAS / "calls.json").read_text(encoding="utf-8")) if call["toolset"] in TOOLSETS]


def failures(folder):
    """For tools that can fail in ways of their own, pairs of arguments that fail and the expected message."""
    note = str(folder / "note.md")
    no_document = ({"document_name": "Ghost"}, "not found")
    no_chunk = ({"chunk_id": "00000000-0000-0000-0000-000000000000"}, "not found")
    return {
        "create_collection": [({"name": "Notes"}, "exists already"), ({}, "needs the parameter"), ({"name": ""}, "")],
        "list_collections": [({"status_filter": "lost"}, "must be")],
        "switch_collection": [({"collection_name": "Noets"}, "Did you mean")],
        "ingest_document": [({"file_path": NOWHERE}, "File not found"), ({"file_path": "note.md"}, "absolute"), ({"file_path": str(folder)}, "is a folder"), ({"file_path": str(folder / "broken.docx")}, "")],
        "ingest_folder": [({"folder_path": NOWHERE}, "File not found"), ({"folder_path": note}, "is a file")],
        "sync_folder": [({"folder_path": NOWHERE}, "File not found")],
        "reindex_document": [no_document],
        "reindex_collection": [({"confirm": False}, "confirm must be true")],
        "get_index_status": [({"document_filter": "Ghost"}, "not found")],
        "watch_folder": [({"folder_path": NOWHERE}, "File not found"), ({"folder_path": str(folder)}, "already watched")],
        "set_sync_schedule": [({"folder_path": NOWHERE, "schedule": "manual"}, "Watch not found"), ({"folder_path": str(folder), "schedule": "never"}, "must be")],
        "list_watches": [({"collection_filter": "Ghost"}, "not found")],
        "unwatch_folder": [({"folder_path": NOWHERE}, "Watch not found")],
        "list_jobs": [({"active_only": "yes"}, "must be")],
        "get_job": [({"job_id": "nothing"}, "Job not found")],
        "cancel_job": [({"job_id": "nothing"}, "Job not found")],
        "list_documents": [({"sort_by": "size"}, "must be")],
        "get_document": [no_document],
        "tag_document": [({"documents": ["Ghost"], "add_tags": ["x"]}, "not found"), ({"documents": ["note.md"], "set_fields": ["custodian"]}, "")],
        "search_documents": [({"query": ""}, ""), ({"query": "x", "top_k": 99}, "must be")],
        "ask_every_document": [({"question": ""}, ""), ({"question": "Who?", "documents": ["Ghost"]}, "not found"), ({"question": "Who?", "limit": 0}, "must be")],
        "search_terms": [({"terms": []}, ""), ({"terms": ["payment"], "document": "Ghost"}, "not found")],
        "verify_quote": [({"text": "“…”"}, "has no words"), ({"text": "due within thirty days", "document": "Ghost"}, "not found")],
        "verify_quotes": [({}, "needs the parameter"), ({"text": "x" * 500_001}, "the limit is")],
        "define_column": [({"name": "standard"}, "give one of them"), ({"name": "other", "pattern": "("}, "cannot be read"), ({"name": "parties", "question": "Who?"}, "built-in"), ({"name": "day", "question": "When?", "type": "number"}, "must be")],
        "get_matter_sheet": [({"columns": ["colour"]}, "no column"), ({"filter": ["colour=red"]}, "no column"), ({"format": "pdf"}, "must be")],
        "get_obligations": [({"document_filter": "Ghost"}, "not found"), ({"start_date": "soon"}, "")],
        "get_chunk": [no_chunk, ({"chunk_id": "x"}, "")],
        "get_document_chunks": [no_document],
        "get_source_context": [no_chunk],
        "list_changes": [({"document": "Ghost"}, "not found")],
        "list_bates": [({"document_filter": "Ghost"}, "not found")],
        "find_hidden_text": [({"document": "Ghost"}, "not found")],
        "search_similar_chunks": [no_chunk],
        "compare_documents": [({"document_a": "Ghost", "document_b": "note.md", "topic": "x"}, "not found")],
        "redline_documents": [({"old_document": "Ghost", "new_document": "note.md"}, "not found")],
        "list_versions": [({"document_filter": "Ghost"}, "not found"), ({"min_similarity": 0}, "must be")],
        "list_threads": [({"document_filter": "Ghost"}, "not found"), ({"document_filter": "note.md"}, "not an e-mail")],
        "get_collection_timeline": [({"start_date": "soon"}, "")],
        "list_entities": [({"entity_type": "animal"}, "must be")],
        "find_entity": [({}, "needs the parameter")],
        "get_entity_mentions": [({"entity_name": "Nobody at all"}, "not found")],
        "search_entity_relationships": [({"entities": ["Jane Roe"]}, "")],
        "get_entity_graph": [({"entity_name": "Nobody at all"}, "not found")],
        "list_references": [({"reference_type": "song"}, "must be")],
        "get_reference_citations": [({"reference": "ISO 1"}, "not found")],
        "find_related_documents": [no_document],
        "get_related_documents": [no_document],
        "find_document_clusters": [({"strategy": "luck"}, "must be")],
        "get_document_structure": [no_document],
        "browse_pages": [({"document_name": "note.md", "start_page": 3, "end_page": 2}, "")],
        "list_documents_by_type": [({"document_type": "song"}, "must be")],
        "traverse_chunks": [({"start_chunk_id": "00000000-0000-0000-0000-000000000000"}, "not found")],
        "read_page": [({"document": "note.md", "page": 9}, "no page 9"), ({"document": "Ghost", "page": 1}, "not found")],
        "add_evidence": [({}, "Name a chunk"), ({"document": "note.md", "page": 1, "quote": "within forty days"}, "does not have these words")],
        "list_evidence": [({"limit": 0}, "must be")],
        "update_evidence": [({"id": 9}, "no evidence 9")],
        "export_evidence": [({"format": "odt"}, "must be")],
        "list_paths": [({}, "needs the parameter")],
        "update_collection": [({"collection": "Notes"}, "Give a new name or state"), ({"collection": "Ghost", "state": "closed"}, "not found")],
        "delete_document": [({"document_name": "note.md", "confirm": False}, "confirm must be true")],
        "delete_collection": [({"collection_name": "Notes", "confirm": False}, "confirm must be true"), ({"collection_name": "Ghost", "confirm": True}, "not found")],
    }


def learn(value, seen):
    """The first chunk and job that were named."""
    if isinstance(value, list):
        for item in value:
            learn(item, seen)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in ("chunk_id", "job_id") and isinstance(item, str):
                seen.setdefault(key.removesuffix("_id"), item)
            learn(item, seen)


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


def documents(folder):
    text = "# Terms\n\nPayment is due within thirty days of the invoice. Jane Roe signed for Acme Foods, Inc. on May 5, 2019, and Acme Foods, " \
           "Inc. complies with ISO 27001.\n"
    (folder / "note.md").write_text(text)
    (folder / "other.txt").write_text("Payment is due within thirty days of the delivery, says Acme Foods, Inc.\n")
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 no document")


def of_schema(schema, where):
    """What is wrong with a schema: itself, or a reference that leads nowhere."""
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return [f"{where} is not a JSON schema: {error.message}"]
    return [f"{where}: the reference {ref} leads nowhere" for ref in references(schema) if not leads_somewhere(schema, ref)]


def references(value):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from references(item)


def leads_somewhere(schema, reference):
    """Whether a JSON pointer within the schema does. Clients must not be sent elsewhere."""
    if not reference.startswith("#"):
        return False
    for key in reference[1:].split("/")[1:]:
        key = key.replace("~1", "/").replace("~0", "~")
        if not isinstance(schema, dict) or key not in schema:
            return False
        schema = schema[key]
    return True


def full_schemas(tools):
    """The full schema of each tool's answer, and problems of these and of the schemas that the server lists."""
    problems, full = [], {}
    for tool in tools:
        listed = tool.model_dump(by_alias=True)
        problems += of_schema(listed["inputSchema"], f"the parameters of {tool.name}")
        problems += of_schema(listed["outputSchema"], f"the answer of {tool.name}")
        full[tool.name] = json.loads((SCHEMAS / f"{tool.name}.json").read_text(encoding="utf-8"))["outputSchema"]
        problems += of_schema(full[tool.name], f"schemas/{tool.name}.json")
    return full, problems


async def python_sdk(command, folder):
    """Problems, and the arguments that succeeded."""
    worked, seen = [], {}
    async with stdio_client(StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))) as streams:
        async with ClientSession(*streams) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            full, problems = full_schemas(tools)
            table = calls(folder)
            problems += [f"{name} is not called here" for name in {tool.name for tool in tools} - {name for name, *_ in table}]
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
                    errors = Draft202012Validator(full[name]).iter_errors(answer["structuredContent"])
                    problems += [f"{name}: {error.json_path} of the answer: {error.message[:300]}" for error in errors]
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
        problems, worked = asyncio.run(python_sdk([options.program, "--quiet", "--data-dir", f"{root}/sdk", "mcp", "--toolsets", "all,workbench"], folder))
        print(f"Python SDK: {len(worked)} tools succeeded, their errors as expected; problems: {len(problems)}")
        print(*problems, sep="\n")
        failed |= bool(problems)
        if not options.no_inspector:
            home = f"{root}/inspector"
            subprocess.run([options.program, "--quiet", "--data-dir", home, "new", "Notes"], check=True, stdout=subprocess.DEVNULL)
            # Every call is a session of its own, so the collection is named at the start; it cannot be made twice.
            command = [options.program, "--data-dir", home, "mcp", "--toolsets", "all,workbench", "--collection", "Notes"]
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
