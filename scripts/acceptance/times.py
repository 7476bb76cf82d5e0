#!/usr/bin/env python3
"""The contract of fs.search_by_time, called by the official Python SDK over stdio.

    scripts/acceptance/times.py [--program PROGRAM] [--contract fs-search-by-time.md]

Schemas equal to the printed ones; the examples and errors word for word; times exactly at, before and after the bounds, to the nanosecond
and in any offset; ties; pages while files are added; what lies outside the root, which must be refused in the same words whether or not it
is there. With --contract, the schemas and the error are read from the contract itself. The exit status is 1 if anything is otherwise.

Needs the Python packages mcp and jsonschema.
"""

import json
import os
import re
from pathlib import Path

from common import ROOT, main, session

TOOL = "fs.search_by_time"
PRINTED = ROOT / "crates/casetrack-mcp/src/tools/time"
FROM, TO = 1_764_547_200, 1_765_843_200  # 2025-12-01T00:00:00Z and 2025-12-16T00:00:00Z
SECOND = 1_000_000_000
RANGE = {"from": "2025-12-01T00:00:00Z", "to": "2025-12-16T00:00:00Z"}
INVALID_RANGE = "Invalid range: 'from' must be earlier than 'to'."


def write(root, name, nanoseconds):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"12345")
    os.utime(path, ns=(nanoseconds, nanoseconds))


class Searching:
    def __init__(self, client, checks, root):
        self.client, self.checks, self.root = client, checks, root

    async def call(self, **arguments):
        result = await self.client.call(TOOL, {"timeField": "modified", **arguments})
        self.checks.equal(result["isError"], False, f"{arguments}: {result['content'][0]['text'][:300]}")
        self.checks.equal(len(result["content"]), 2, f"{arguments}: two blocks of text")
        self.checks.equal(json.loads(result["content"][1]["text"]), result["structuredContent"], f"{arguments}: text and structured content")
        return result

    async def names(self, **arguments):
        matches = (await self.call(**arguments))["structuredContent"]["matches"]
        return [str(Path(match["path"]).relative_to(self.root)) for match in matches]

    async def refused(self, arguments):
        result = await self.client.call(TOOL, arguments)
        text = result["content"][0]["text"]
        self.checks.that(result["isError"] and len(result["content"]) == 1 and result["structuredContent"] is None, f"{arguments} was to fail: {text}")
        self.checks.that(text.endswith(".") and "\n" not in text, f"{arguments}: one sentence: {text}")
        return text


async def schemas(client, checks, contract):
    tool = (await client.tools())[TOOL]
    printed = [json.loads((PRINTED / f"search_by_time.{which}.json").read_text(encoding="utf-8")) for which in ("input", "output")]
    if contract:
        blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", contract, re.S) if "{...}" not in block]
        of_contract = [block for block in blocks if block.get("type") == "object"]
        checks.equal(printed, of_contract, "the schemas that are compared are those of the contract")
        checks.that(f'"text": "{INVALID_RANGE}"' in contract, "the error that is compared is that of the contract")
    checks.equal([tool["inputSchema"], tool["outputSchema"]], printed, "the listed schemas are the printed ones")
    annotations = tool["annotations"]
    checks.equal((annotations["readOnlyHint"], annotations["destructiveHint"]), (True, False), "the hints that are recommended")
    capability = {"capabilities": {"tools": {"listChanged": False}}}
    if contract:
        checks.that(capability in [json.loads(block) for block in re.findall(r"```json\n(.*?)```", contract, re.S) if "{...}" not in block], "the capability of the contract")
    declared = client.session.server_capabilities
    checks.equal(declared.tools.model_dump(by_alias=True, exclude_none=True), capability["capabilities"]["tools"], "the capability that is declared")


async def example(search, root, checks):
    write(root, "example/notes/a.md", (FROM + 10) * SECOND)
    write(root, "example/b.md", (FROM + 20) * SECOND + 500_000_000)
    write(root, "example/old.md", (FROM - 10) * SECOND)
    result = await search.call(path="example", glob="**/*.md", **RANGE)
    checks.equal(result["content"][0]["text"], "Found 2 files (sorted by modified desc).", "the sentence of the example")
    answer = result["structuredContent"]
    checks.equal((answer["timeField"], answer["range"], answer["nextCursor"]), ("modified", RANGE, None), "the fields of the example")
    checks.equal(answer["stats"], {"scannedFiles": 3, "scannedDirectories": 1, "returned": 2}, "the numbers of the example")
    first = answer["matches"][0]
    expected = (str(root / "example/b.md"), False, 5, "2025-12-01T00:00:20.5Z")
    checks.equal((first["path"], first["isDirectory"], first["sizeBytes"], first["modifiedAt"]), expected, "a match")
    folder = await search.call(path="example", includeFiles=False, includeDirectories=True)
    checks.equal([match["sizeBytes"] for match in folder["structuredContent"]["matches"]], [None], "the size of a folder is null")
    checks.equal(folder["structuredContent"]["range"], {"from": None, "to": None}, "a range without bounds")


async def bounds(search, root, checks):
    for name, at in [("at_from", FROM * SECOND), ("before_from", FROM * SECOND - 1), ("at_to", TO * SECOND), ("before_to", TO * SECOND - 1)]:
        write(root, f"bounds/{name}", at)
    for bounds in (
        RANGE,
        {"from": "2025-12-01T09:00:00+09:00", "to": "2025-12-15T19:00:00-05:00"},
        {"from": "2025-11-30T18:15:00.000000000-05:45", "to": "2025-12-16T05:45:00+05:45"},
    ):
        checks.equal(await search.names(path="bounds", **bounds), ["bounds/before_to", "bounds/at_from"], f"from is included, to is not: {bounds}")
    # 1 ns earlier.
    later = await search.names(path="bounds", **{"from": "2025-11-30T23:59:59.999999999Z", "to": "2025-12-16T00:00:00.000000001Z", "sort": "time_asc"})
    checks.equal(later, ["bounds/before_from", "bounds/at_from", "bounds/before_to", "bounds/at_to"], "bounds 1 ns wider")
    last = await search.names(path="bounds", to="2025-11-30T23:59:59.999999999Z")
    checks.equal(last, [], "nothing before the first")


async def order(search, root, checks):
    for i in range(20):
        write(root, f"ties/{i % 3}/{i:02}", (FROM + i // 5) * SECOND)
    newest = await search.names(path="ties")
    groups = [sorted(name for name in newest if int(name[-2:]) // 5 == group) for group in (3, 2, 1, 0)]
    checks.equal(newest, sum(groups, []), "newest first, ties in the order of paths")
    checks.equal(await search.names(path="ties", sort="time_asc"), sum(reversed(groups), []), "oldest first, ties in the order of paths")
    for sort in ("time_desc", "time_asc", "path_asc"):
        known = await search.names(path="ties", sort=sort)
        pages, cursor, added = [], {}, []
        while True:
            result = (await search.call(path="ties", sort=sort, limit=3, **cursor))["structuredContent"]
            pages += [str(Path(match["path"]).relative_to(root)) for match in result["matches"]]
            # Before and behind where the list is, whatever its order.
            for name, at in [(f"ties/0/added{len(pages)}", FROM - 1), (f"ties/2/added{len(pages)}", TO + 1)]:
                write(root, name, at * SECOND)
                added.append(root / name)
            if result["nextCursor"] is None:
                break
            cursor = {"cursor": result["nextCursor"]}
        checks.equal(len(pages), len(set(pages)), f"{sort}: none twice")
        checks.equal([name for name in pages if name in known], known, f"{sort}: none lost")
        for path in added:
            path.unlink()
    first = (await search.call(path="ties", limit=1))["structuredContent"]["nextCursor"]
    for other in ({"sort": "time_asc"}, {"glob": "*"}, {"path": "bounds"}, {"from": RANGE["from"]}):
        text = await search.refused({"timeField": "modified", "path": "ties", "limit": 1, "cursor": first, **other})
        checks.that(text.startswith("Invalid cursor"), f"a cursor of another question: {text}")
    for damaged in ("abc", first[:-2], first[::-1], ""):
        text = await search.refused({"timeField": "modified", "path": "ties", "limit": 1, "cursor": damaged})
        checks.that(text.startswith("Invalid cursor"), f"a damaged cursor: {text}")


async def depths(search, root, checks):
    for name in ("0.txt", "a/1.txt", "a/b/2.txt", ".hidden"):
        write(root, f"depths/{name}", FROM * SECOND)
    for more, expected in [
        ({}, [".hidden", "0.txt", "a/1.txt", "a/b/2.txt"]),
        ({"recursive": False}, [".hidden", "0.txt"]),
        ({"recursive": False, "maxDepth": 9}, [".hidden", "0.txt"]),
        ({"maxDepth": 0}, [".hidden", "0.txt"]),
        ({"maxDepth": 1}, [".hidden", "0.txt", "a/1.txt"]),
        ({"includeDirectories": True}, [".hidden", "0.txt", "a", "a/1.txt", "a/b", "a/b/2.txt"]),
        ({"includeFiles": False, "includeDirectories": True}, ["a", "a/b"]),
        ({"glob": "*/*.txt"}, ["a/1.txt"]),
        ({"glob": "**/*.txt"}, ["0.txt", "a/1.txt", "a/b/2.txt"]),
        ({"glob": "2.*"}, ["a/b/2.txt"]),
    ]:
        names = await search.names(path="depths", sort="path_asc", **more)
        checks.equal(names, [f"depths/{name}" for name in expected], f"{more}")
    checks.equal(await search.names(path="depths/a/1.txt"), ["depths/a/1.txt"], "a file as the start is the only candidate")
    checks.equal(await search.names(path="depths/a/1.txt", glob="*.md"), [], "and must match")
    created = await search.client.call(TOOL, {"timeField": "created", "path": "depths", "includeUnknownTime": True})
    checks.equal(len(created["structuredContent"]["matches"]), 4, "times of creation, or entries without one")


async def errors(search, checks):
    modified = {"timeField": "modified"}
    checks.equal(await search.refused({**modified, "from": RANGE["to"], "to": RANGE["from"]}), INVALID_RANGE, "a range backwards")
    checks.equal(await search.refused({**modified, "from": RANGE["from"], "to": "2025-12-01T09:00:00+09:00"}), INVALID_RANGE, "an empty range")
    for more, said in [
        ({"from": "2025-12-01T00:00:00"}, "Invalid 'from': '2025-12-01T00:00:00' has no offset"),
        ({"to": "yesterday"}, "Invalid 'to': 'yesterday' is not a date-time"),
        ({"to": "2025-02-30T00:00:00Z"}, "Invalid 'to': "),
        ({"includeFiles": False}, "Nothing to search for"),
        ({"glob": "[a"}, "The glob pattern '[a' is invalid"),
        ({"path": "none"}, "There is no '"),
        ({"timeField": "accessed"}, "it must be one of modified, created"),
        ({"sort": "size"}, "it must be one of time_desc, time_asc, path_asc"),
        ({"limit": 0}, "limit is 0; it must be between 1 and 1000."),
        ({"limit": 1001}, "limit is 1001; it must be between 1 and 1000."),
        ({"maxDepth": -1}, "maxDepth is -1; it must be at least 0."),
        # A number counts as its text.
        ({"path": 5}, "/5': check the spelling"),
        ({"depth": 1}, 'has no parameter "depth"'),
    ]:
        text = await search.refused({**modified, **more})
        checks.that(said in text, f"{more}: {text}")
    checks.that('needs the parameter "timeField"' in await search.refused({}), "a field is missing")


async def escapes(search, root, outside, checks):
    (outside / "secret.txt").write_text("x")
    (root / "link").symlink_to(outside)
    (root / "dangling").symlink_to(outside / "missing")
    pairs = [
        ("path", f"../{outside.name}/secret.txt", f"../{outside.name}/missing.txt"),
        ("path", f"{outside}/secret.txt", f"{outside}/missing.txt"),
        ("path", f"a/../../{outside.name}", "a/../../nothing"),
        ("path", "link/secret.txt", "link/missing.txt"),
        ("path", "link", "dangling"),
        ("root", str(outside), f"{outside}x"),
        ("root", "/etc", "/nowhere"),
        ("root", f"{root}/../{outside.name}", f"{root}/../nothing"),
    ]
    for name, there, missing in pairs:
        texts = [(await search.refused({"timeField": "modified", name: path})).replace(f"'{path}'", "'PATH'") for path in (there, missing)]
        checks.equal(texts[0], texts[1], f"{name} {there} and {missing} cannot be told apart")
    names = await search.names(recursive=True, sort="path_asc")
    checks.that("link" in names and "dangling" in names and not any("secret" in name for name in names), f"links are matches and lead nowhere: {names}")
    unknown = None
    try:
        await search.client.call("fs.search_by_size", {})
    except Exception as error:  # The SDK raises protocol errors.
        unknown = str(error)
    checks.that(unknown and "Unknown tool" in unknown, f"an unknown tool is a protocol error: {unknown}")


async def accept(program, folder, checks, contract):
    root, outside = folder / "root", folder / "outside"
    root.mkdir()
    outside.mkdir()
    async with session(program, folder / "home", checks, "--toolsets", "time", "--root", str(root)) as client:
        search = Searching(client, checks, root)
        await schemas(client, checks, contract)
        await example(search, root, checks)
        await bounds(search, root, checks)
        await order(search, root, checks)
        await depths(search, root, checks)
        await errors(search, checks)
        await escapes(search, root, outside, checks)


if __name__ == "__main__":
    main(__doc__, accept)
