#!/usr/bin/env python3
"""The contract of Smart File Search (the toolset `files`), checked from the official Python SDK over stdio.

    scripts/acceptance_files.py [--program PROGRAM]

Every example of the contract is called word for word, but for the folders, which are made here. Then the texts of errors, the schemas
against those in schemas/, paths that lead out of the roots, limits of calls, the length of previews, and secrets at every cut. The exit
status is 1 if anything is otherwise.

Needs the Python package mcp (with its own jsonschema).
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from jsonschema import Draft202012Validator
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

SCHEMAS = Path(__file__).resolve().parent.parent / "schemas"
TOOLS = ["listRoots", "indexFolder", "searchFiles", "openFile", "summarizeResults", "rewriteQuery"]
# The parameters that the contract prints: required or not, type, default, bounds or values.
PARAMETERS = {
    "listRoots": {},
    "indexFolder": {"root": (True, "string"), "full": (False, "boolean", False),
                    "priority": (False, "string", "normal", ["low", "normal", "high"])},
    "searchFiles": {"query": (True, "string"), "k": (False, "integer", 10, (1, 100)), "offset": (False, "integer", 0),
                    "exts": (False, "array"), "years": (False, "array"), "roots": (False, "array")},
    "openFile": {"path": (True, "string"), "pointer": (False, "string"), "before": (False, "integer"), "after": (False, "integer")},
    "summarizeResults": {"query": (True, "string"), "results": (True, "array"), "max_tokens": (False, "integer"),
                         "style": (False, "string", "bullets", ["bullets", "paragraph", "table"])},
    "rewriteQuery": {"query": (True, "string")},
}
# Made up, and written in pieces so that no scanner for secrets takes them for real ones.
SECRETS = ["jane.roe@example.org", "+44 20 7946 0958", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "AKIA" + "IOSFODNN7EXAMPLE",
           "gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a"]
KEPT = ["May 5, 2019", "2021-05-14", "$1,250,000.00", "Section 4.2(b)", "978-3-16-148410-0"]

problems = []


def check(what, is_so, shown=""):
    if not is_so:
        problems.append(f"{what}: {shown}")


def office(path, parts):
    with zipfile.ZipFile(path, "w") as file:
        for name, text in parts.items():
            file.writestr(name, '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>' + text)


def docx(path, pages):
    """A Word file whose pages are divided by breaks."""
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    pages = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'.join(
        "".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in page.split("\n")) for page in pages)
    types = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    office(path, {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{types}"/></Types>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f"<w:document {w}><w:body>{pages}</w:body></w:document>",
    })


def pptx(path, slides):
    relationships = "http://schemas.openxmlformats.org/package/2006/relationships"
    office_rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    p = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    a = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    base = "application/vnd.openxmlformats-officedocument.presentationml"
    numbers = range(1, len(slides) + 1)
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/ppt/presentation.xml" ContentType="{base}.presentation.main+xml"/>'
        + "".join(f'<Override PartName="/ppt/slides/slide{n}.xml" ContentType="{base}.slide+xml"/>' for n in numbers) + "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{relationships}"><Relationship Id="r1" Type="{office_rel}/officeDocument" '
        'Target="ppt/presentation.xml"/></Relationships>',
        "ppt/presentation.xml": f'<p:presentation {p} xmlns:r="{office_rel}"><p:sldIdLst>'
        + "".join(f'<p:sldId id="{255 + n}" r:id="r{n}"/>' for n in numbers) + "</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": f'<Relationships xmlns="{relationships}">'
        + "".join(f'<Relationship Id="r{n}" Type="{office_rel}/slide" Target="slides/slide{n}.xml"/>' for n in numbers) + "</Relationships>",
    }
    for n, text in zip(numbers, slides):
        parts[f"ppt/slides/slide{n}.xml"] = (
            f"<p:sld {p} {a}><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>")
    office(path, parts)


def documents(root):
    contracts = root / "contracts"
    contracts.mkdir(parents=True)
    docx(contracts / "vendor_x_contract.docx", [
        "Master agreement\nDated 2021-05-14.", "Definitions\nNothing of note is said on this page.",
        "Services\nThis contract between Vendor X and the buyer was signed in 2021. Vendor X agrees to provide the services of schedule 1."])
    pptx(contracts / "vendor_x_summary.pptx", ["Agenda for the board", "Vendor X contract of 2021: scope, price and term"])
    (contracts / "vendor_x_logo.png").write_bytes(b"no picture")
    (contracts / "letter.txt").write_text("Vendor Y wrote in 2019 about garden chairs.\n")
    filler = "This sentence is here to fill the page and says nothing of note. "
    lines = [f"{filler * 3}Reach the buyer at {secret} for the cutover plan. {filler * 3}" for secret in SECRETS]
    (root / "cutover.txt").write_text("\n".join(lines) + "\n" + filler + " ".join(KEPT) + "\n")


class Caller:
    def __init__(self, session, full):
        self.session, self.full, self.seen = session, full, []

    async def raw(self, tool, arguments):
        answer = (await self.session.call_tool(tool, arguments)).model_dump(by_alias=True)
        text = json.dumps(answer, ensure_ascii=False)
        for secret in SECRETS:
            check(f"{tool} {arguments} shows a secret", secret not in text, text[:300])
        check(f"{tool} {arguments} has no version in _meta", (answer.get("_meta") or answer.get("meta") or {}).get("mcp_version") == "v1.0.0", text[:300])
        return answer

    async def __call__(self, tool, arguments):
        answer = await self.raw(tool, arguments)
        structured = answer.get("structuredContent") or {}
        check(f"{tool} {arguments} failed", not answer["isError"], answer["content"])
        check(f"{tool} {arguments} has no version", structured.get("mcp_version") == "v1.0.0", structured)
        check(f"{tool} {arguments}: its text is not its JSON", json.loads(answer["content"][0]["text"]) == structured)
        for error in Draft202012Validator(self.full[tool]).iter_errors(structured):
            problems.append(f"{tool} {arguments}: {error.json_path}: {error.message[:300]}")
        for snippet in [structured.get("preview", "")] + [item["snippet"] for item in structured.get("items", [])]:
            check(f"{tool} {arguments}: a preview is too long", len(snippet.encode()) <= 2048, len(snippet.encode()))
        return structured

    async def refused(self, tool, arguments, code, message):
        answer = await self.raw(tool, arguments)
        structured = answer.get("structuredContent") or {}
        error = structured.get("error", {})
        check(f"{tool} {arguments} was to fail with {code} \"{message}\"",
              answer["isError"] and (error.get("code"), error.get("message")) == (code, message), answer)
        check(f"{tool} {arguments}: the form of its error", set(error) == {"code", "message", "details"} and set(structured) == {"error", "mcp_version"}
              and answer["content"][0]["text"] == message and set(error.get("details", {})) <= {"hint"}, structured)
        return error


async def schemas(session):
    tools = (await session.list_tools()).tools
    check("the tools", [tool.name for tool in tools] == TOOLS, [tool.name for tool in tools])
    full = {}
    for tool in tools:
        document = json.loads((SCHEMAS / f"{tool.name}.json").read_text(encoding="utf-8"))
        full[tool.name] = document["outputSchema"]
        check(f"the listed parameters of {tool.name}", tool.input_schema == document["inputSchema"])
        listed, printed = tool.input_schema["properties"], PARAMETERS[tool.name]
        check(f"the parameters of {tool.name}", set(listed) == set(printed), set(listed))
        check(f"{tool.name} takes others", tool.input_schema.get("additionalProperties") is False)
        for name, (required, kind, *rest) in printed.items():
            own = listed.get(name, {})
            check(f"{tool.name}.{name}", (name in tool.input_schema.get("required", []), own.get("type")) == (required, kind), own)
            if rest:
                check(f"the default of {tool.name}.{name}", own.get("default") == rest[0], own)
            if len(rest) > 1:
                bounds = (own.get("minimum"), own.get("maximum"))
                check(f"the values of {tool.name}.{name}", rest[1] in (bounds, own.get("enum")), own)
    return full


async def examples(call, root):
    roots = await call("listRoots", {})
    check("listRoots", roots["roots"] == [str(root)], roots)
    first = await call("indexFolder", {"root": str(root), "full": False})
    while "job" in first:
        first = await call("indexFolder", {"root": str(root), "full": False})
    check("what indexFolder answers", {"indexed", "skipped", "removed", "duration_ms"} <= set(first), first)
    again = await call("indexFolder", {"root": str(root), "full": False, "priority": "normal"})
    check("what has not changed is skipped", (again["indexed"], again["removed"]) == (0, 0) and again["skipped"] >= 4, again)
    rebuilt = await call("indexFolder", {"root": str(root), "full": True, "priority": "high"})
    check("a full rebuild reads everything", rebuilt["indexed"] >= 4 and rebuilt["removed"] == 0, rebuilt)
    contract, summary = str(root / "contracts/vendor_x_contract.docx"), str(root / "contracts/vendor_x_summary.pptx")

    given = {"query": "contracts about vendor X from 2021 in ppt or docx", "k": 10, "offset": 0, "exts": [".pptx", ".docx"], "years": ["2021"],
             "roots": [str(root)]}
    found = await call("searchFiles", given)
    check("the example finds both files", {item["path"] for item in found["items"]} == {contract, summary}, found)
    for item in found["items"]:
        check("the fields of an item", {"path", "pointer", "snippet", "score", "ext", "modified"} <= set(item) and 0 <= item["score"] <= 1, item)
    pointers = {item["path"]: item["pointer"] for item in found["items"]}
    check("the pointers", pointers == {contract: "page 3", summary: "slide 2"}, pointers)
    check("the pages", set(found["pagination"]) == {"offset", "returned", "total_estimate"} and found["pagination"]["returned"] == 2, found["pagination"])
    found = await call("searchFiles", {"query": "vendor x 2021 ppt docx", "k": 10})
    check("filters are taken from the query", found.get("filters") == {"exts": [".pptx", ".docx"], "years": ["2021"]}
          and {item["path"] for item in found["items"]} == {contract, summary}, found)
    found = await call("searchFiles", {"query": "garden chairs in ppt"})
    check("a given filter is kept, one of the query is not", any(item["path"].endswith("summary.pptx") for item in found["items"]), found)
    found = await call("searchFiles", {"query": "garden chairs from 1950"})
    check("without the filters where they leave nothing", found["items"] and any("1950" in notice for notice in found.get("notices", [])), found)
    found = await call("searchFiles", {"query": "garden chairs", "years": ["1950"]})
    check("a parameter is never left out", found["items"] == [], found)
    found = await call("searchFiles", {"query": "vendor_x_logo"})
    check("found by name", any(item["path"].endswith("logo.png") for item in found["items"]), found)

    rewritten = await call("rewriteQuery", {"query": "Find vendor X contracts from 2021 in ppt or docx"})
    check("rewriteQuery", rewritten == {"fts": "vendor NEAR/5 contract AND (2021)", "filters": {"exts": [".pptx", ".docx"], "years": ["2021"]},
                                        "notes": "NEAR/5 used to pair 'vendor' and 'contract'", "mcp_version": "v1.0.0"}, rewritten)
    executed = await call("searchFiles", {"query": rewritten["fts"], **rewritten["filters"]})
    check("searchFiles takes its result", {item["path"] for item in executed["items"]} == {contract, summary}, executed)
    none = await call("searchFiles", {"query": "vendor NEAR/1 schedule AND NOT (chairs OR price)"})
    check("NEAR counts the words between", none["items"] == [], none)

    preview = await call("openFile", {"path": contract, "pointer": "page 3", "before": 200, "after": 200})
    check("openFile", preview["path"] == contract and preview["pointer"] == "page 3" and "Vendor X agrees to provide" in preview["preview"]
          and isinstance(preview["truncated"], bool), preview)
    summarized = await call("summarizeResults", {
        "query": "vendor x 2021 contracts", "style": "bullets", "max_tokens": 400,
        "results": [{"path": contract, "snippet": "Vendor X agrees to …"}, {"path": summary, "snippet": "Slide mentions contract scope …"}]})
    check("summarizeResults", "vendor_x_contract.docx" in summarized["summary"] and set(summarized["tokens_used"]) == {"prompt", "completion"}
          and summarized["tokens_used"]["completion"] <= 400, summarized)
    await call("summarizeResults", {"query": "vendor x 2021 contracts", "results": [{"path": "…", "snippet": "…"}]})
    check("numbers and their texts", (await call("searchFiles", {"query": "vendor", "k": "1", "years": [2021]}))["pagination"]["returned"] == 1)


async def errors(call, root):
    file, missing = str(root / "cutover.txt"), str(root / "missing.txt")
    for tool, arguments, code, message in [
        ("searchFiles", {}, "BAD_REQUEST", 'searchFiles needs the parameter "query".'),
        ("searchFiles", {"query": ""}, "BAD_REQUEST", "The query is empty."),
        ("searchFiles", {"query": "a", "k": 101}, "BAD_REQUEST", "k is 101; it must be between 1 and 100."),
        ("searchFiles", {"query": "a", "roots": ["/etc"]}, "FORBIDDEN", "Access to '/etc' is not allowed."),
        ("indexFolder", {"root": "/etc"}, "FORBIDDEN", "Access to '/etc' is not allowed."),
        ("indexFolder", {"root": missing}, "NOT_FOUND", f"There is no file or folder '{missing}'."),
        ("indexFolder", {"root": file}, "BAD_REQUEST", f"'{file}' is not a folder."),
        ("openFile", {"path": "/etc/hostname"}, "FORBIDDEN", "Access to '/etc/hostname' is not allowed."),
        ("openFile", {"path": missing}, "NOT_FOUND", f"There is no file or folder '{missing}'."),
        ("openFile", {"path": file, "pointer": "page 9"}, "BAD_REQUEST", "The file has no page 9: it has 1."),
        ("rewriteQuery", {"query": ""}, "BAD_REQUEST", "The query is empty."),
    ]:
        await call.refused(tool, arguments, code, message)


async def escapes(call, root):
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("a secret")
    os.symlink(outside / "secret.txt", root / "link.txt")
    os.symlink(outside / "none.txt", root / "dangling.txt")
    os.symlink(outside, root / "folder")
    told = set()
    for path in [outside / "secret.txt", outside / "none.txt", f"{root}/../outside/secret.txt", f"{root}/../outside/none.txt", root / "link.txt",
                 root / "dangling.txt", root / "folder/secret.txt", root / "folder/none.txt", "secret.txt", root / "id_rsa"]:
        for tool, name in [("openFile", "path"), ("indexFolder", "root")]:
            answer = await call.raw(tool, {name: str(path)})
            error = (answer.get("structuredContent") or {}).get("error", {})
            told.add((error.get("code"), error.get("message", "").replace(str(path), "PATH"), error.get("details", {}).get("hint")))
    check("what lies outside is refused in the same words", len(told) == 1 and next(iter(told))[0] == "FORBIDDEN", told)


async def cuts(call, root):
    """Secrets at every place of a cut: 30 previews a minute, so each with another beginning and length, and searches."""
    file = str(root / "cutover.txt")
    for n in range(12):
        line = n % len(SECRETS) + 1
        preview = await call("openFile", {"path": file, "pointer": f"lines {line}", "before": 37 * n, "after": 53 * n})
        check("redaction is said", preview.get("redacted") is True and "[redacted: " in preview["preview"], preview)
    kept = await call("openFile", {"path": file, "pointer": f"lines {len(SECRETS) + 1}", "before": 0, "after": 0})
    check("dates, amounts, clauses and ISBNs stay", all(text in kept["preview"] for text in KEPT) and "redacted" not in kept, kept)
    found = await call("searchFiles", {"query": "where is the buyer reached for the cutover plan"})
    check("snippets are redacted", any(item.get("redacted") for item in found["items"]), found)


async def session_of(program, home, root, work):
    command = StdioServerParameters(command=program, args=["--quiet", "--data-dir", str(home), "mcp", "--toolsets", "files", "--root", str(root)],
                                    env=dict(os.environ))
    async with stdio_client(command) as (reader, writer), ClientSession(reader, writer) as session:
        await session.initialize()
        return await work(session)


async def limits(session):
    for tool, arguments, most in [("searchFiles", {"query": "vendor"}, 60), ("summarizeResults", {"query": "a", "results": []}, 20)]:
        began = time.monotonic()
        for _ in range(most):
            answer = await session.call_tool(tool, arguments)
            check(f"{tool} within its limit", not answer.is_error, answer.content)
        if time.monotonic() - began > 55:
            problems.append(f"{tool} was too slow to reach its limit within a minute")
            continue
        answer = (await session.call_tool(tool, arguments)).model_dump(by_alias=True)
        error = (answer.get("structuredContent") or {}).get("error", {})
        check(f"call {most + 1} of {tool}", (error.get("code"), error.get("message")) == ("RATE_LIMITED", f"{tool} has reached its limit of {most} calls per minute."), answer)
    check("nothing else of collections", (await session.list_resources()).resources == [])


async def run(program, top):
    root, home = top / "root", top / "home"
    documents(root)

    async def all_of(session):
        call = Caller(session, await schemas(session))
        await examples(call, root)
        await errors(call, root)
        await cuts(call, root)
        await escapes(call, root)

    await session_of(program, home, root, all_of)
    await session_of(program, home, root, limits)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(Path.home() / ".cache/casetrack-target/release/casetrack"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as top:
        top = Path(top).resolve()
        try:
            asyncio.run(run(options.program, top))
        finally:
            subprocess.run([options.program, "--data-dir", str(top / "home"), "stop"], stdout=subprocess.DEVNULL)
    print(f"problems: {len(problems)}")
    print(*problems, sep="\n")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
