#!/usr/bin/env python3
"""The contract of Smart File Search (the toolset `files`), called by the official Python SDK over stdio.

    scripts/acceptance/files.py [--program PROGRAM] [--http] [--contract smart-file-search.md]

Every example of the contract, but for the folders, which are made here; parameters, types, defaults and bounds; each code with the texts of
its errors; paths that lead out of the roots; the limits of calls, which hold over several sessions; the length of previews; secrets at every
cut; /healthz and /metrics. With --contract, examples, parameters, codes and limits are read from the contract itself and must be those that
are written here. The exit status is 1 if anything is otherwise.

Needs the Python packages mcp and jsonschema, and the models in the repository.
"""

import asyncio
import json
import os
import re
import time
import urllib.error
import urllib.request
import zipfile

from jsonschema import Draft202012Validator
from mcp.types import CreateMessageResult, ErrorData, TextContent

from common import ROOT, TOKEN, listening, main, session, started

# The parameters that the contract prints: required or not, type, default, bounds or values.
PARAMETERS = {
    "listRoots": {},
    "indexFolder": {"root": (True, "string"), "full": (False, "boolean", False),
                    "priority": (False, "string", "normal", ["low", "normal", "high"])},
    "searchFiles": {"query": (True, "string"), "k": (False, "integer", 10, (1, 100)), "offset": (False, "integer", 0),
                    "exts": (False, "array"), "years": (False, "array"), "roots": (False, "array")},
    "openFile": {"path": (True, "string"), "pointer": (False, "string"), "before": (False, "integer"), "after": (False, "integer")},
    "summarizeResults": {"query": (True, "string"), "results": (True, "array"),
                         "style": (False, "string", "bullets", ["bullets", "paragraph", "table"]), "max_tokens": (False, "integer")},
    "rewriteQuery": {"query": (True, "string")},
}
CONTRACT_FILE, SUMMARY_FILE = "/mnt/shared/contracts/vendor_x_contract.docx", "/mnt/shared/contracts/vendor_x_summary.pptx"
# Requests as the contract prints them.
EXAMPLES = {
    "listRoots": {},
    "indexFolder": {"root": "/mnt/shared/finance", "full": False, "priority": "normal"},
    "searchFiles": {"query": "contracts about vendor X from 2021 in ppt or docx", "k": 10, "offset": 0, "exts": [".pptx", ".docx"],
                    "years": ["2021"], "roots": ["/mnt/shared/finance"]},
    "openFile": {"path": CONTRACT_FILE, "pointer": "page 3", "before": 200, "after": 200},
    "summarizeResults": {"query": "vendor x 2021 contracts", "style": "bullets", "max_tokens": 400,
                         "results": [{"path": CONTRACT_FILE, "snippet": "Vendor X agrees to …"},
                                     {"path": SUMMARY_FILE, "snippet": "Slide mentions contract scope …"}]},
    "rewriteQuery": {"query": "Find vendor X contracts from 2021 in ppt or docx"},
}
# The names of the fields that it answers; of lists of objects those of an object.
FIELDS = {
    "listRoots": {"roots": []},
    "indexFolder": {"indexed": 0, "skipped": 0, "removed": 0, "duration_ms": 0},
    "searchFiles": {"items": [{"path": "", "pointer": "", "snippet": "", "score": 0.0, "ext": "", "modified": ""}],
                    "pagination": {"offset": 0, "returned": 0, "total_estimate": 0}},
    "openFile": {"path": "", "pointer": "", "preview": "", "truncated": True},
    "summarizeResults": {"summary": "", "tokens_used": {"prompt": 0, "completion": 0}},
    "rewriteQuery": {"fts": "", "filters": {"exts": [], "years": []}, "notes": ""},
}
REWRITTEN = {"fts": "vendor NEAR/5 contract AND (2021)", "filters": {"exts": [".pptx", ".docx"], "years": ["2021"]},
             "notes": "NEAR/5 used to pair 'vendor' and 'contract'"}
PSEUDO = [
    ("listRoots", {}),
    ("indexFolder", {"root": "/mnt/shared/finance", "full": False}),
    ("searchFiles", {"query": "vendor x 2021 ppt docx", "k": 10}),
    ("openFile", {"path": CONTRACT_FILE, "pointer": "page 3"}),
    ("summarizeResults", {"query": "vendor x 2021 contracts", "results": [{"path": "…", "snippet": "…"}]}),
]
CODES = {
    "listRoots": {"INTERNAL_ERROR"},
    "indexFolder": {"FORBIDDEN", "NOT_FOUND", "CONFLICT", "INTERNAL_ERROR"},
    "searchFiles": {"BAD_REQUEST", "FORBIDDEN", "INTERNAL_ERROR"},
    "openFile": {"FORBIDDEN", "NOT_FOUND", "INTERNAL_ERROR"},
    "summarizeResults": {"LLM_UPSTREAM", "RATE_LIMITED", "INTERNAL_ERROR"},
    "rewriteQuery": {"LLM_UPSTREAM", "INTERNAL_ERROR"},
}
LIMITS = {"searchFiles": 60, "openFile": 30, "summarizeResults": 20}
# Made up, and written in pieces so that no scanner for secrets takes them for real ones.
SECRETS = ["jane.roe@example.org", "+44 20 7946 0958", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "AKIA" + "IOSFODNN7EXAMPLE",
           "gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a"]
KEPT = ["May 5, 2019", "2021-05-14", "$1,250,000.00", "Section 4.2(b)", "978-3-16-148410-0"]
TYPES = {"string": "string", "int": "integer", "bool": "boolean", "array<string>": "array", "array<object>": "array", "enum": "string"}


def of_contract(text, checks):
    """Compares what is written above with the contract."""
    parts = dict(re.findall(r"## Tool: `(\w+)`[^\n]*\n(.*?)(?=\n## |\Z)", text, re.S))
    checks.equal(list(parts), list(PARAMETERS), "the tools of the contract")
    for tool, part in parts.items():
        request, response = (json.loads(re.search(rf"\*\*{name}\*\*\n```json\n(.*?)```", part, re.S)[1]) for name in ("Request", "Response"))
        checks.equal(request, EXAMPLES[tool], f"the request of {tool} in the contract")
        checks.equal(shape(response), shape(FIELDS[tool]), f"the response of {tool} in the contract")
        if tool == "rewriteQuery":
            checks.equal(response, REWRITTEN, "the answer of rewriteQuery in the contract")
        codes = re.search(r"\*\*Errors\*\*: (.*)", part)[1]
        checks.equal(set(re.findall(r"`([A-Z_]+)`", codes)), CODES[tool], f"the codes of {tool} in the contract")
        described = {}
        for names, kind, rest in re.findall(r"^- ((?:`\w+`/?)+) \(([^,)]+)(.*)$", part, re.M):
            described.update({name: (kind, rest) for name in re.findall(r"`(\w+)`", names)})
        for name, (kind, rest) in described.items():
            required, own, *more = PARAMETERS[tool][name]
            checks.equal((TYPES[kind.split(":")[0].strip()], "required" in rest or tool == "rewriteQuery"), (own, required), f"{tool}.{name} in the contract")
            default = re.search(r"default `?([\w.]+)`?", rest)
            if default:
                checks.equal(json.loads(default[1]), more[0], f"the default of {tool}.{name} in the contract")
            bounds = re.search(r"(\d+)–(\d+)\)", rest)
            if bounds:
                checks.equal(tuple(map(int, bounds.groups())), more[1], f"the bounds of {tool}.{name} in the contract")
            values = re.search(r"`(\w+(?:\|\w+)+)`", kind + rest)
            if values:
                checks.equal(values[1].split("|"), more[1], f"the values of {tool}.{name} in the contract")
    codes = re.search(r'"code": "([A-Z_|]+)"', text)[1].split("|")
    # What the tools' own lists name beside that, CONFLICT, joins them.
    checks.equal(set(codes), set().union(*CODES.values()) - {"CONFLICT"}, "the codes of the contract")
    limits = {tool: int(most) for tool, most in re.findall(r"`(\w+)`: (\d+) req/min per client", text)}
    checks.equal(limits, LIMITS, "the limits of the contract")
    pseudo = [json.loads(line) for line in re.findall(r'^\{"tool":.*$', text, re.M)]
    checks.equal([(one["tool"], one["args"]) for one in pseudo], PSEUDO, "the invocations of the contract")


def shape(value):
    """Names and types, without the values."""
    if isinstance(value, dict):
        return {name: shape(of) for name, of in value.items()}
    if isinstance(value, list):
        return [shape(one) for one in value[:1] if isinstance(one, dict)]
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__


def has_fields(answer, fields):
    """Whether an answer has at least these fields, with their types."""
    if isinstance(fields, dict):
        return isinstance(answer, dict) and all(name in answer and has_fields(answer[name], of) for name, of in fields.items())
    if isinstance(fields, list):
        return isinstance(answer, list) and all(has_fields(one, of) for one in answer for of in fields)
    return shape(answer) == shape(fields)


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
    (root / "letter.txt").write_text("Vendor Y wrote in 2019 about garden chairs.\n")
    filler = "This sentence is here to fill the page and says nothing of note. "
    lines = [f"{filler * 3}Reach the buyer at {secret} for the cutover plan. {filler * 3}" for secret in SECRETS]
    (root / "cutover.txt").write_text("\n".join(lines) + "\n" + filler + " ".join(KEPT) + "\n")


class Files:
    """Calls whose answers must have no secret, both forms, the version and the form of the contract."""

    def __init__(self, client, checks, root):
        self.client, self.checks, self.root = client, checks, root
        read = lambda tool: json.loads((ROOT / f"schemas/{tool}.json").read_text(encoding="utf-8"))
        self.full = {tool: read(tool) for tool in PARAMETERS}

    def here(self, arguments):
        """An example, with the folders that are made here."""
        text = json.dumps(arguments).replace("/mnt/shared/finance", str(self.root))
        return json.loads(text.replace("/mnt/shared", str(self.root)))

    async def raw(self, tool, arguments, **options):
        result = await self.client.call(tool, arguments, **options)
        text = json.dumps(result, ensure_ascii=False)
        for secret in SECRETS:
            self.checks.that(secret not in text, f"{tool} {arguments} shows a secret: {text[:300]}")
        meta = result.get("_meta") or result.get("meta") or {}
        self.checks.equal(meta.get("mcp_version"), "v1.0.0", f"{tool} {arguments}: the version in _meta")
        return result

    async def answered(self, tool, arguments, **options):
        result = await self.raw(tool, arguments, **options)
        structured = result["structuredContent"] or {}
        self.checks.that(not result["isError"], f"{tool} {arguments} failed: {result['content']}")
        self.checks.equal(structured.get("mcp_version"), "v1.0.0", f"{tool} {arguments}: the version")
        self.checks.equal(json.loads(result["content"][0]["text"]), structured, f"{tool} {arguments}: text and structured content")
        self.checks.that(has_fields(structured, FIELDS[tool]), f"{tool} {arguments}: the fields: {structured}")
        for error in Draft202012Validator(self.full[tool]["outputSchema"]).iter_errors(structured):
            self.checks.that(False, f"{tool} {arguments}: {error.json_path}: {error.message[:300]}")
        for snippet in [structured.get("preview", "")] + [item["snippet"] for item in structured.get("items", [])]:
            self.checks.that(len(snippet.encode()) <= 2048, f"{tool} {arguments}: a preview of {len(snippet.encode())} bytes")
        return structured

    async def refused(self, tool, arguments, code, message=None):
        result = await self.raw(tool, arguments)
        structured = result["structuredContent"] or {}
        error = structured.get("error", {})
        self.checks.that(result["isError"], f"{tool} {arguments} was to fail")
        self.checks.equal((error.get("code"), message and error.get("message")), (code, message), f"{tool} {arguments}: {error}")
        self.checks.that(set(error) == {"code", "message", "details"} and set(structured) == {"error", "mcp_version"}
                         and set(error.get("details", {})) <= {"hint"}, f"{tool} {arguments}: the form of its error: {structured}")
        self.checks.equal([json.loads(block["text"]) for block in result["content"]], [structured], f"{tool} {arguments}: text and structured content")
        return error


async def schemas(files, checks):
    tools = await files.client.tools()
    checks.equal(list(tools), list(PARAMETERS), "the tools of the set")
    for name, tool in tools.items():
        # The list leaves out that there are no others; a call with another is refused.
        full = {key: value for key, value in files.full[name]["inputSchema"].items() if key != "additionalProperties"}
        checks.equal(tool["inputSchema"], full, f"the parameters of {name} in schemas/")
        listed, printed = tool["inputSchema"]["properties"], PARAMETERS[name]
        checks.equal(set(listed), set(printed), f"the parameters of {name}")
        for parameter, (required, kind, *rest) in printed.items():
            own = listed[parameter]
            checks.equal((parameter in tool["inputSchema"].get("required", []), own.get("type")), (required, kind), f"{name}.{parameter}")
            if rest:
                checks.equal(own.get("default"), rest[0], f"the default of {name}.{parameter}")
            if len(rest) > 1:
                checks.that(rest[1] in ((own.get("minimum"), own.get("maximum")), own.get("enum")), f"the values of {name}.{parameter}: {own}")


async def examples(files, checks):
    call, root = files.answered, files.root
    checks.equal((await call("listRoots", EXAMPLES["listRoots"]))["roots"], [str(root)], "listRoots")
    index = files.here(EXAMPLES["indexFolder"])
    while "job" in await call("indexFolder", index):
        pass
    again = await call("indexFolder", index)
    checks.that((again["indexed"], again["removed"]) == (0, 0) and again["skipped"] >= 4, f"what has not changed is skipped: {again}")
    rebuilt = await call("indexFolder", {**index, "full": True, "priority": "high"})
    checks.that(rebuilt["indexed"] >= 4 and rebuilt["removed"] == 0, f"a full rebuild reads everything: {rebuilt}")

    contract, summary = files.here(CONTRACT_FILE), files.here(SUMMARY_FILE)
    paths = lambda found: {item["path"] for item in found["items"]}
    found = await call("searchFiles", files.here(EXAMPLES["searchFiles"]))
    checks.equal({item["path"]: item["pointer"] for item in found["items"]}, {contract: "page 3", summary: "slide 2"}, "both files with their pointers")
    checks.that(all(0 <= item["score"] <= 1 and item["ext"] in (".docx", ".pptx") for item in found["items"]), f"scores and extensions: {found}")
    checks.equal((found["pagination"]["offset"], found["pagination"]["returned"]), (0, 2), "the pages")
    for tool, arguments in PSEUDO:
        found = await call(tool, files.here(arguments))
        if tool == "searchFiles":
            checks.equal(found.get("filters"), {"exts": [".pptx", ".docx"], "years": ["2021"]}, "filters are taken from the query")
            checks.equal(paths(found), {contract, summary}, "what they leave")
    search = lambda query, **more: call("searchFiles", {"query": query, **more})
    checks.equal(paths(await search("vendor contract in ppt")), {summary}, "an extension in the query is a filter")
    found = await search("garden chairs from 1950")
    checks.that(found["items"] and any("1950" in notice for notice in found.get("notices", [])), f"without the filters where they leave nothing: {found}")
    checks.equal((await search("garden chairs", years=["1950"]))["items"], [], "a parameter is never left out")
    for query in ("vendor_x_logo", "vendor_x_contract.docx", "letter.txt"):
        first = (await search(query))["items"][:1]
        checks.that(first and query in first[0]["path"] and first[0]["score"] == 1, f"found by name, first: {first}")
    checks.equal((await search("vendor", k="1", years=[2021]))["pagination"]["returned"], 1, "numbers and their texts")

    rewritten = await call("rewriteQuery", EXAMPLES["rewriteQuery"])
    checks.equal(rewritten, {**REWRITTEN, "mcp_version": "v1.0.0"}, "rewriteQuery, word for word")
    checks.equal(paths(await search(rewritten["fts"], **rewritten["filters"])), {contract, summary}, "searchFiles takes its result")
    checks.equal((await search("vendor NEAR/1 schedule AND NOT (chairs OR price)"))["items"], [], "NEAR counts the words between")

    preview = await call("openFile", files.here(EXAMPLES["openFile"]))
    checks.that((preview["path"], preview["pointer"]) == (contract, "page 3") and "Vendor X agrees to provide" in preview["preview"], f"openFile: {preview}")
    summarized = await call("summarizeResults", files.here(EXAMPLES["summarizeResults"]))
    checks.that("vendor_x_contract.docx" in summarized["summary"] and summarized["tokens_used"]["completion"] <= 400, f"summarizeResults: {summarized}")


async def replaced(files, checks):
    """What was put in place of a file that was read is another, also where it is older."""
    letter, older = files.root / "letter.txt", files.root / "older.txt"
    letter.write_text("Vendor Y wrote in 2019 about garden chairs.\n")
    await files.answered("indexFolder", {"root": str(files.root)})
    older.write_text("Vendor Z wrote in 2018 about garden tables.\n")
    os.utime(older, (1_500_000_000, 1_500_000_000))
    older.rename(letter)
    preview = await files.answered("openFile", {"path": str(letter)})
    checks.that("Vendor Z" in preview["preview"], f"a preview of what is there now: {preview}")
    found = await files.answered("searchFiles", {"query": "garden chairs of vendor Y"})
    checks.that(any("Changed since they were indexed" in notice for notice in found.get("notices", [])), f"a change is said: {found}")


async def errors(files):
    file, missing, root = str(files.root / "cutover.txt"), str(files.root / "missing.txt"), str(files.root)
    for tool, arguments, code, message in [
        ("searchFiles", {}, "BAD_REQUEST", 'searchFiles needs the parameter "query".'),
        ("searchFiles", {"query": ""}, "BAD_REQUEST", "The query is empty."),
        ("searchFiles", {"query": "a", "k": 0}, "BAD_REQUEST", "k is 0; it must be between 1 and 100."),
        ("searchFiles", {"query": "a", "k": 101}, "BAD_REQUEST", "k is 101; it must be between 1 and 100."),
        ("searchFiles", {"query": "a", "k": "many"}, "BAD_REQUEST", 'k is "many"; it must be an integer between 1 and 100, such as 10.'),
        ("searchFiles", {"query": "a", "offset": -1}, "BAD_REQUEST", "offset is -1; it must be at least 0."),
        ("searchFiles", {"query": "a", "page": 1}, "BAD_REQUEST", 'searchFiles has no parameter "page".'),
        ("searchFiles", {"query": "a", "roots": ["/etc"]}, "FORBIDDEN", "Access to '/etc' is not allowed."),
        ("indexFolder", {}, "BAD_REQUEST", 'indexFolder needs the parameter "root".'),
        ("indexFolder", {"root": "/etc"}, "FORBIDDEN", "Access to '/etc' is not allowed."),
        ("indexFolder", {"root": missing}, "NOT_FOUND", f"There is no file or folder '{missing}'."),
        ("indexFolder", {"root": file}, "BAD_REQUEST", f"'{file}' is not a folder."),
        ("indexFolder", {"root": root, "priority": "urgent"}, "BAD_REQUEST", 'priority is "urgent"; it must be one of low, normal, high.'),
        ("openFile", {}, "BAD_REQUEST", 'openFile needs the parameter "path".'),
        ("openFile", {"path": "/etc/hostname"}, "FORBIDDEN", "Access to '/etc/hostname' is not allowed."),
        ("openFile", {"path": missing}, "NOT_FOUND", f"There is no file or folder '{missing}'."),
        ("openFile", {"path": root}, "BAD_REQUEST", f"'{root}' is not a file."),
        ("openFile", {"path": file, "pointer": "chapter 1"}, "BAD_REQUEST", 'The pointer "chapter 1" cannot be read.'),
        ("openFile", {"path": file, "pointer": "page 9"}, "BAD_REQUEST", "The file has no page 9: it has 1."),
        ("openFile", {"path": file, "pointer": "sheet 'Q2'"}, "BAD_REQUEST", "The file has no sheet 'Q2'."),
        ("openFile", {"path": file, "before": -1}, "BAD_REQUEST", "before is -1; it must be at least 0."),
        ("summarizeResults", {"query": "a"}, "BAD_REQUEST", 'summarizeResults needs the parameter "results".'),
        ("summarizeResults", {"query": "a", "results": [], "style": "song"}, "BAD_REQUEST", 'style is "song"; it must be one of bullets, paragraph, table.'),
        ("summarizeResults", {"query": "a", "results": [], "max_tokens": 0}, "BAD_REQUEST", "max_tokens is 0; it must be at least 1."),
        ("rewriteQuery", {"query": ""}, "BAD_REQUEST", "The query is empty."),
    ]:
        await files.refused(tool, arguments, code, message)


async def escapes(files, checks, outside):
    root = files.root
    (outside / "secret.txt").write_text("a secret")
    for link, target in [("link.txt", "secret.txt"), ("dangling.txt", "none.txt"), ("folder", "")]:
        (root / link).symlink_to(outside / target)
    told = set()
    for path in [outside / "secret.txt", outside / "none.txt", f"{root}/../outside/secret.txt", f"{root}/../outside/none.txt", root / "link.txt",
                 root / "dangling.txt", root / "folder/secret.txt", root / "folder/none.txt", "secret.txt", root / "id_rsa"]:
        for tool, name in [("indexFolder", "root"), ("openFile", "path")]:
            error = await files.refused(tool, {name: str(path)}, "FORBIDDEN")
            told.add((error["message"].replace(str(path), "PATH"), error["details"].get("hint")))
    checks.equal(len(told), 1, f"what lies outside is refused in the same words: {told}")


async def cuts(files, checks):
    """Secrets at every place of a cut."""
    file = str(files.root / "cutover.txt")
    for n in range(12):
        line = n % len(SECRETS) + 1
        preview = await files.answered("openFile", {"path": file, "pointer": f"lines {line}", "before": 37 * n, "after": 53 * n})
        checks.that(preview.get("redacted") is True and "[redacted: " in preview["preview"], f"redaction is said: {preview}")
    kept = await files.answered("openFile", {"path": file, "pointer": f"lines {len(SECRETS) + 1}", "before": 0, "after": 0})
    checks.that(all(text in kept["preview"] for text in KEPT) and "redacted" not in kept, f"dates, amounts, clauses and ISBNs stay: {kept}")
    found = await files.answered("searchFiles", {"query": "where is the buyer reached for the cutover plan"})
    checks.that(any(item.get("redacted") for item in found["items"]), f"snippets are redacted: {found}")


async def busy(files, checks):
    """Another request for a folder that is being indexed is a conflict; the same one joins it."""
    many = files.root / "many"
    many.mkdir()
    for n in range(400):
        (many / f"{n}.txt").write_text(f"Number {n} of many letters. " * 40)
    begun = asyncio.Event()

    async def note(*_):
        begun.set()

    first = asyncio.create_task(files.answered("indexFolder", {"root": str(many)}, progress_callback=note))
    await begun.wait()
    await files.refused("indexFolder", {"root": str(many), "full": True}, "CONFLICT", f"{many} is being indexed by another request.")
    both = await asyncio.gather(files.answered("indexFolder", {"root": str(many)}), first)
    # A call answers with the job if the work takes long.
    jobs = {answer["job"]["job_id"] for answer in both if "job" in answer}
    whole = {answer.get("indexed") for answer in both if "job" not in answer}
    checks.that(len(jobs) < 2 and len(whole) < 2, f"the same request joins the work: {both}")


async def limits(files, other, checks):
    """The limits of a client, which another session of it does not raise."""
    calls = {"searchFiles": {"query": "vendor"}, "openFile": {"path": str(files.root / "cutover.txt")}, "summarizeResults": {"query": "a", "results": []}}
    for tool, most in LIMITS.items():
        began = time.monotonic()
        for n in range(most):
            await (files, other)[n % 2].answered(tool, calls[tool])
        checks.that(time.monotonic() - began < 55, f"{tool} reaches its limit within a minute")
        for session in (files, other):
            error = await session.refused(tool, calls[tool], "RATE_LIMITED", f"{tool} has reached its limit of {most} calls per minute.")
            checks.that(re.fullmatch(r"Try again in \d+ seconds?\.", error["details"]["hint"]), f"when to try again: {error}")
    checks.equal((await files.client.session.list_resources()).resources, [], "nothing else of collections")


async def summaries(program, home, root, checks):
    """The client's model is asked where the settings say so; only its failure is LLM_UPSTREAM."""
    home.mkdir()
    (home / "config.toml").write_text('[summaries]\nmodel = "client"\n')
    said = []

    async def model(_, request):
        if said:
            return ErrorData(code=-1, message="The user said no")
        said.append(json.dumps(request.model_dump(mode="json")))
        return CreateMessageResult(role="assistant", content=TextContent(type="text", text=f"- It says so. Ask {SECRETS[0]}."), model="m")

    async with session(program, home, checks, "--toolsets", "files", "--root", str(root), sampling_callback=model) as client:
        files = Files(client, checks, root)
        arguments = {"query": "vendor", "results": [{"path": str(root / "a.txt"), "snippet": f"Vendor X agrees. Ask {SECRETS[0]}."}]}
        summary = (await files.answered("summarizeResults", arguments))["summary"]
        checks.that(summary.startswith("- It says so."), f"what the model says: {summary}")
        checks.that(said and SECRETS[0] not in said[0], "the model is shown no secret")
        error = await files.refused("summarizeResults", arguments, "LLM_UPSTREAM")
        checks.that("The user said no" in error["message"], f"why it failed: {error}")


async def broken(program, home, root, checks):
    """A data directory that cannot hold a catalogue."""
    home.mkdir()
    (home / "catalog").write_text("no folder")
    async with session(program, home, checks, "--toolsets", "files", "--root", str(root)) as client:
        files = Files(client, checks, root)
        for tool, arguments in [("searchFiles", {"query": "vendor"}), ("indexFolder", {"root": str(root)})]:
            await files.refused(tool, arguments, "INTERNAL_ERROR")


def operations(program, home, root, checks):
    """What is served beside the protocol."""
    with listening(program, *started(home, ["--toolsets", "files", "--root", str(root)])) as url:
        def get(path, token=None):
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            try:
                with urllib.request.urlopen(urllib.request.Request(url.removesuffix("/mcp") + path, headers=headers), timeout=30) as answer:
                    return answer.status, answer.read().decode()
            except urllib.error.HTTPError as error:
                return error.code, error.read().decode()

        status, text = get("/healthz")
        checks.equal((status, text.strip()), (200, "ok"), "/healthz, for anybody")
        checks.equal((get("/metrics")[0], get("/metrics", "wrong")[0]), (401, 401), "/metrics needs the token")
        status, text = get("/metrics", TOKEN)
        counted = [line for line in text.splitlines() if line and not line.startswith("#")]
        checks.that(status == 200 and counted and all(re.fullmatch(r'[a-z_]+(\{[^}]*\})? [0-9.e+-]+', line) for line in counted), f"/metrics: {text[:500]}")
        checks.that('tool="searchFiles"' in text and "RATE_LIMITED".lower() not in text, f"calls by tool: {text[:500]}")


async def accept(program, folder, checks, contract):
    root, outside = folder / "root", folder / "outside"
    outside.mkdir()
    documents(root)
    if contract:
        of_contract(contract, checks)
    options = ("--toolsets", "files", "--root", str(root))
    async with session(program, folder / "home", checks, *options) as client:
        files = Files(client, checks, root)
        await schemas(files, checks)
        await examples(files, checks)
        await errors(files)
        await cuts(files, checks)
        await replaced(files, checks)
        operations(program, folder / "home", root, checks)
    # Calls are counted by client, so each of these has a data directory, and with it an owner, of its own.
    async with session(program, folder / "home_outside", checks, *options) as client:
        await escapes(Files(client, checks, root), checks, outside)
    async with session(program, folder / "home_limits", checks, *options) as client, session(program, folder / "home_limits", checks, *options) as other:
        await limits(Files(client, checks, root), Files(other, checks, root), checks)
    async with session(program, folder / "home_busy", checks, *options) as client:
        await busy(Files(client, checks, root), checks)
    await summaries(program, folder / "home_summaries", root, checks)
    await broken(program, folder / "home_broken", root, checks)


if __name__ == "__main__":
    main(__doc__, accept)
