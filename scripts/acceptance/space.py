#!/usr/bin/env python3
"""The contract of the space browser, called by the official Python SDK over stdio, or with --http over streamable HTTP.

    scripts/acceptance/space.py [--program PROGRAM] [--contract space-browser.md]

The three workflows word for word; every tool with its defaults, each error with its data, every address; null and absent depths; sums over
a diamond; cycles; the reason of a skip; cancelling; the five modes with signs that mean something elsewhere; pages; numbers of jobs as
numbers and strings; what a restart keeps; files that move. Then files that change under a continuous plan: created, written, renamed,
deleted, and 10,000 at once. With --contract, the names of tools, their parameters and the addresses are read from the contract. The exit
status is 1 if anything is otherwise.

Needs the Python packages mcp and jsonschema.
"""

import asyncio
import base64
import json
import re
import struct
import time
import zlib
from urllib.parse import quote

from mcp.shared.exceptions import MCPError
from mcp.types import ResourceTemplateReference

from common import main, session, stop

FIXED = """nodes selection-sets jobs jobs/pending jobs/running jobs/completed jobs/failed metadata metadata/thumbnails plans plan-executions""".split()
TEMPLATES = """selection-sets/{name} selection-sets/{name}/entries selection-sets/{name}/children selection-sets/{name}/parents
selection-sets/{name}/stats selection-sets/{name}/metrics/{metric} nodes/{path} jobs/{id} plans/{name} plans/{name}/executions
metadata/{hash} nodes/{path}/metadata nodes/{path}/thumbnail""".split()
SKIP = re.compile(r"Path was scanned \d+ seconds ago \(max age: 3600 seconds\)\. Use force=true to re-index\.")
# A change is to be seen within this, in seconds.
SEEN = 2.0


def png(width, height):
    """A picture in one colour."""
    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    rows = b"".join(b"\0" + b"\x20\x60\xa0" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Space:
    def __init__(self, client, checks):
        self.client, self.checks, self.called, self.read_uris = client, checks, set(), set()

    async def __call__(self, tool, /, **arguments):
        """The structured content, which the text repeats."""
        self.called.add(tool)
        result = await self.client.call(tool, arguments)
        text = result["content"][0]["text"]
        self.checks.that(not result["isError"], f"{tool} {arguments}: {text[:300]}")
        if tool != "disk_usage":
            self.checks.equal(json.loads(text), result["structuredContent"], f"{tool}: text and structured content")
        return result["structuredContent"]

    async def refused(self, tool, field, reason=None, /, **arguments):
        try:
            await self.client.session.call_tool(tool, arguments)
            self.checks.that(False, f"{tool} {arguments} was to be refused")
        except MCPError as error:
            error = error.error
            expected = (-32602, "Invalid params", True)
            known = (error.code, error.message.split(":")[0], error.data["reason"] in error.message)
            self.checks.equal(known, expected, f"{tool} {arguments}")
            data = error.data or {}
            self.checks.equal(data.get("field"), field, f"{tool} {arguments}: {data}")
            if reason is None:
                self.checks.that(data.get("reason"), f"{tool} {arguments}: a reason")
            else:
                self.checks.equal(data.get("reason"), reason, f"{tool} {arguments}")

    async def contents(self, uri):
        self.read_uris.add(uri)
        return (await self.client.session.read_resource(uri)).contents[0].model_dump(by_alias=True)

    async def read(self, uri):
        contents = await self.contents(uri)
        self.checks.equal(contents["mimeType"], "application/json", uri)
        return json.loads(contents["text"])

    async def until(self, what, expected, ask):
        """How long it took until an answer is as expected."""
        started = time.monotonic()
        while True:
            found = await ask()
            took = time.monotonic() - started
            if found == expected or took > 30:
                break
            await asyncio.sleep(0.02)
        self.checks.that(found == expected and took <= SEEN, f"{what}: {found!r} after {took:.1f} s, expected {expected!r} within {SEEN} s")
        return took


async def listed(space, checks, contract):
    tools = await space.client.tools()
    checks.equal(len(tools), 37, "tools")
    resources = [str(resource.uri) for resource in (await space.client.session.list_resources()).resources]
    checks.equal(sorted(resources), sorted(f"synthesis://{uri}" for uri in FIXED), "static resources")
    templates = (await space.client.session.list_resource_templates()).resource_templates
    found = [template.model_dump(by_alias=True)["uriTemplate"] for template in templates]
    checks.equal(sorted(found), sorted(f"synthesis://{uri}" for uri in TEMPLATES), "templates")
    if contract:
        of_contract = set(re.findall(r"^#### ([a-z-]+)$", contract, re.M))
        checks.equal(len(of_contract), 35, "tools of the contract")
        checks.that(of_contract <= set(tools), f"tools that lack: {of_contract - set(tools)}")
        for uri in set(re.findall(r"`(synthesis://[^`]+)`", contract)):
            checks.that(uri in resources or uri in found, f"{uri} is an address of the contract")
        for name, body in re.findall(r"^#### ([a-z-]+)\n(.*?)(?=^#|\Z)", contract, re.M | re.S):
            properties = tools[name]["inputSchema"]["properties"]
            for parameter, kind, required, default in re.findall(r"^\| (\w+) \| (\S+) \| (Yes|No) \| (\S+) \|", body, re.M):
                ours = properties.get(parameter)
                checks.that(ours is not None, f"{name}.{parameter} is there")
                types = ours.get("type") if ours else None
                wanted = {"string[]": "array", "object[]": "array"}.get(kind, kind)
                checks.that(wanted == types or wanted in (types or []), f"{name}.{parameter} is {types}, not {kind}")
                is_required = parameter in tools[name]["inputSchema"].get("required", [])
                checks.equal(is_required, required == "Yes", f"{name}.{parameter} is required")
                if default not in ("-", "null", "all") and ours:
                    checks.equal(str(ours.get("default")).lower().removesuffix(".0"), default, f"{name}.{parameter} has its default")


async def first_workflow(space, root, checks):
    photos = root / "Photos"
    (photos / "deep").mkdir(parents=True)
    (photos / "a.jpg").write_bytes(b"x" * 100)
    (photos / "deep/b.jpg").write_bytes(b"x" * 50)
    (photos / "notes.txt").write_bytes(b"x" * 7)
    await space("resource-set-create", name="photos")
    await space("resource-set-create", name="all-media")
    await space("resource-set-add-child", parent="all-media", child="photos")
    source = {"name": "scan-photos", "type": "filesystem.index", "target_set": "photos", "config": {"path": str(photos), "recursive": True}}
    await space("plan-create", name="index-photos", sources=[source])
    run = await space("plan-execute", name="index-photos")
    checks.equal(sorted(run), ["execution_id", "plan_name", "started_at", "status"], "the fields of plan-execute")
    checks.equal((run["plan_name"], run["status"]), ("index-photos", "running"), "plan-execute")
    total = await space("resource-sum", name="all-media", metric="size")
    checks.equal(total, {"resource_set": "all-media", "metric": "size", "value": 157, "breakdown": [{"name": "photos", "value": 157}]}, "the sum")
    found = await space("resource-fuzzy-match", name="photos", field="path", pattern=".jpg", mode="suffix")
    checks.equal(sorted(entry["name"] for entry in found["entries"]), ["a.jpg", "b.jpg"], "the pictures")


async def second_workflow(space, root, checks):
    downloads = root / "Downloads"
    downloads.mkdir()
    (downloads / "first").write_bytes(b"x" * 10)
    config = {"path": str(downloads), "recursive": True, "debounce_ms": 500}
    source = {"name": "downloads-watch", "type": "filesystem.watch", "target_set": "downloads", "config": config}
    await space("plan-create", name="watch-downloads", mode="continuous", sources=[source])
    await space("plan-execute", name="watch-downloads")

    async def size():
        return (await space("resource-sum", name="downloads", metric="size"))["value"]

    async def names():
        found = await space("resource-search", name="downloads", sort_by="name", sort_desc=False)
        return [entry["name"] for entry in found["entries"]]

    took = {}
    checks.equal(await size(), 10, "what was there")
    (downloads / "second").write_bytes(b"x" * 5)
    took["created"] = await space.until("a new file in a sum", 15, size)
    with (downloads / "second").open("ab") as file:
        file.write(b"x" * 100)
    took["written"] = await space.until("a written file in a sum", 115, size)
    (downloads / "second").rename(downloads / "renamed")
    took["renamed"] = await space.until("a renamed file in a set", ["first", "renamed"], names)
    (downloads / "first").unlink()
    took["deleted"] = await space.until("a deleted file in a set", ["renamed"], names)
    checks.equal(await size(), 105, "a deleted file in a sum")
    started = time.monotonic()
    for number in range(10_000):
        (downloads / f"{number:05}").write_bytes(b"x")
    wrote = time.monotonic() - started
    took["10,000 created, after the last"] = await space.until("a burst", 10_105, size)
    print(f"seen after, in seconds: {', '.join(f'{what} {seconds:.2f}' for what, seconds in took.items())} (written in {wrote:.1f})")
    again = await space("plan-execute", name="watch-downloads")
    history = (await space("plan-get", name="watch-downloads"))["executions"]
    checks.equal((len(history), history[0]["status"], history[0]["execution_id"]), (1, "running", again["execution_id"]), "one run goes on")


async def third_workflow(space, root, checks):
    big = root / "big.bin"
    with big.open("wb") as file:
        file.truncate(1_073_741_824)
    await space("resource-set-create", name="all-files")
    await space("resource-set-modify", name="all-files", operation="add", paths=[str(big), str(root / "Photos/a.jpg")])
    found = await space("resource-metric-range", name="all-files", metric="size", min=1073741824)
    checks.equal([entry["path"] for entry in found["entries"]], [str(big)], "the third workflow")
    size = await space("resource-sum", name="all-files", metric="size")
    allocated = await space("resource-sum", name="all-files", metric="allocated")
    checks.that(size["value"] == 1_073_741_924 and allocated["value"] < 1_000_000, "a file with holes: apparent and allocated bytes")


async def graph(space, root, checks):
    for name in ("top", "left", "right", "bottom"):
        await space("resource-set-create", name=name, description=f"The {name}")
    for parent, child in [("top", "left"), ("top", "right"), ("left", "bottom"), ("right", "bottom")]:
        answer = await space("resource-set-add-child", parent=parent, child=child)
        checks.equal(answer, {"parent": parent, "child": child, "changed": True}, "an edge")
    file = root / "Photos/a.jpg"
    (root / "other name").hardlink_to(file)
    await space("resource-set-modify", name="bottom", operation="add", paths=[str(file)])
    await space("resource-set-modify", name="right", operation="add", paths=[str(file), str(root / "other name"), str(root / "none")])
    for metric, value in [("size", 100), ("count", 2), ("files", 2), ("directories", 0)]:
        total = await space("resource-sum", name="top", metric=metric)
        checks.equal(total["value"], value, f"a diamond: {metric}")
    checks.equal([part["value"] for part in (await space("resource-sum", name="top", metric="size"))["breakdown"]], [100, 100], "its breakdown")
    for depth, value in [(1, 100), (0, 0), (None, 100)]:
        checks.equal((await space("resource-sum", name="top", metric="size", depth=depth))["value"], value, f"a sum to depth {depth}")
    checks.equal((await space("resource-sum", name="top", metric="size", include_children=False))["value"], 0, "a set alone")
    children = await space("resource-children", name="top")
    expected = [{"name": "left", "description": "The left", "entry_count": 0, "child_count": 1}, {"name": "right", "description": "The right", "entry_count": 2, "child_count": 1}]
    checks.equal(children, {"resource_set": "top", "children": expected}, "the default depth is 1")
    deep = (await space("resource-children", name="top", depth=None, include_entries=True))["children"]
    checks.equal([(child["name"], child["depth"], len(child["entries"])) for child in deep], [("left", 1, 0), ("right", 1, 2), ("bottom", 2, 1)], "depth null is all")
    checks.equal((await space("resource-parent", name="bottom")), {"resource_set": "bottom", "parents": [{"name": "left"}, {"name": "right"}]}, "parents")
    above = (await space("resource-parent", name="bottom", depth=None))["parents"]
    checks.equal([(parent["name"], parent["depth"]) for parent in above], [("left", 1), ("right", 1), ("top", 2)], "all ancestors")
    await space.refused("resource-set-add-child", "child", "this edge closes a cycle: bottom -> top -> left -> bottom", parent="bottom", child="top")
    await space.refused("resource-set-add-child", "child", "this edge closes a cycle: top -> top", parent="top", child="top")
    await space("resource-set-remove-child", parent="left", child="bottom")
    removed = await space("resource-set-modify", name="right", operation="remove", paths=[str(file)])
    checks.equal((removed["removed"], removed["entry_count"]), (1, 1), "removing an entry")
    checks.that(file.exists(), "the file stays")


async def questions(space, root, checks):
    folder = root / "signs"
    folder.mkdir()
    names = ["50%_off.txt", "50x_off.txt", "a[1].txt", "a1.txt", "back\\slash.txt", "q?.TXT", "plain.pdf"]
    for i, name in enumerate(names):
        (folder / name).write_bytes(b"x" * (i + 1))
    await space("source-create", name="signs", type="filesystem.index", target_set="signs", config={"path": str(folder)})
    await space("source-execute", name="signs")
    for mode, pattern, count in [
        ("contains", "50%_", 1), ("contains", "a[1]", 1), ("contains", "\\", 1), ("prefix", "q?", 1), ("suffix", "].txt", 1),
        ("suffix", ".txt", 6), ("regex", r"^50._off\.", 2), ("glob", "a[1].txt", 1), ("glob", "50?_off.txt", 2), ("glob", "*.txt", 6),
    ]:
        found = await space("resource-fuzzy-match", name="signs", field="name", pattern=pattern, mode=mode)
        checks.equal(found["total_count"], count, f"{mode} {pattern}")
    found = await space("resource-fuzzy-match", name="signs", field="path", pattern=f"{folder}/*.pdf", mode="glob")
    checks.equal(found["total_count"], 1, "a glob over a path")
    found = await space("resource-fuzzy-match", name="signs", field="name", pattern=".txt", mode="suffix", case_sensitive=True)
    checks.equal(found["total_count"], 5, "case counts where it is said")
    pages, offset = [], 0
    while True:
        page = await space("resource-search", name="signs", limit=3, offset=offset, sort_by="size")
        checks.equal((page["total_count"], page["offset"], page["limit"], page["returned_count"]), (7, offset, 3, len(page["entries"])), "the numbers of a page")
        pages += [entry["size"] for entry in page["entries"]]
        offset += 3
        if not page["has_more"]:
            break
    checks.equal(pages, [7, 6, 5, 4, 3, 2, 1], "pages together")
    found = await space("resource-search", name="signs", extension="txt", min_size=2, max_size=5, min_mtime="2020-01-01", max_mtime="2199-01-01", kind="file", path_contains="signs", name_contains="A", save_as="some")
    checks.equal(sorted(entry["name"] for entry in found["entries"]), ["a1.txt", "a[1].txt", "back\\slash.txt"], "several filters")
    await space("source-create", name="saved", type="query", target_set="saved", config={"query_name": "some"}, update_mode="replace")
    checks.equal((await space("source-execute", name="saved"))["entries_found"], 3, "a saved query as a source")
    await space("source-create", name="copy", type="resource-set", target_set="copied", config={"source_set_name": "signs"}, update_mode="merge")
    checks.equal((await space("source-execute", name="copy"))["added"], 7, "a set as a source")
    found = await space("resource-is", name="signs", field="kind", value="file")
    checks.equal(found["total_count"], 7, "files")
    found = await space("resource-is", name="signs", field="path", value=str(folder / "a1.txt"))
    checks.equal(found["total_count"], 1, "a path")
    for field in ("mtime", "ctime", "added_at"):
        found = await space("resource-time-range", name="signs", field=field, min="2024-01-01", max=str(int(time.time()) + 60))
        checks.equal(found["total_count"], 7, f"a range of {field}")
    entry = found["entries"][0]
    checks.equal(sorted(entry), sorted(["path", "parent", "name", "kind", "extension", "size", "blocks", "mtime", "ctime", "added_at", "modified"]), "the fields of an entry")
    # A file that moves stays in its sets.
    (folder / "plain.pdf").rename(root / "moved.pdf")
    await space("index", root=str(root), force=True, **{"async": False})
    found = await space("resource-search", name="signs", extension=".pdf")
    checks.equal([entry["path"] for entry in found["entries"]], [str(root / "moved.pdf")], "a moved file")


async def jobs(space, root, checks):
    first = await space("index", root=str(root / "signs"), force=True)
    checks.equal(sorted(first), ["jobId", "root", "status", "statusUrl"], "the fields of index")
    checks.equal((first["status"], first["statusUrl"]), ("pending", f"synthesis://jobs/{first['jobId']}"), "index")
    while (job := await space("job-progress", jobId=str(first["jobId"])))["status"] in ("pending", "running"):
        await asyncio.sleep(0.02)
    checks.equal((job["status"], job["progress"], job["files"]), ("completed", 100, 6), "a job that has ended")
    checks.equal((await space("job-progress", jobId=first["jobId"])), job, "a number as well as a string")
    skipped = await space("index", root=str(root / "signs"), **{"async": False})
    checks.that(SKIP.fullmatch(skipped.get("skipReason", "")), f"the reason of a skip: {skipped}")
    checks.equal([skipped[field] for field in ("status", "files", "directories", "totalSize", "skipped")], ["completed", 0, 0, 0, True], "a skip")
    checks.equal((await space("index", root=str(root / "signs")))["skipped"], True, "the skip also holds in the background")
    checks.equal((await space("index", root=str(root / "signs"), maxAge=0, **{"async": False}))["skipped"], False, "an age of 0")
    await space.refused("cancel-job", "jobId", "job is already completed", jobId=str(first["jobId"]))
    many = root / "many"
    for number in range(400):
        (many / f"{number}").mkdir(parents=True)
        for file in range(25):
            (many / f"{number}/{file}").touch()
    # A job may end before it is cancelled; one of many does not.
    for _ in range(50):
        started = await space("index", root=str(many), force=True)
        try:
            ended = await space("cancel-job", jobId=started["jobId"])
            break
        except MCPError:
            ended = {"status": "completed before it was cancelled"}
    checks.equal(ended["status"], "cancelled", "a job that was cancelled")
    checks.equal((await space("job-progress", jobId=started["jobId"]))["status"], "cancelled", "it stays so")
    checks.equal((await space("list-jobs", activeOnly=True))["count"], 0, "no job is under way")
    listed = await space("list-jobs", limit=2, status="completed", minProgress=50, maxProgress=100)
    checks.equal(len(listed["jobs"]), 2, "a list of jobs")


async def classifier(space, root, checks):
    picture = root / "Photos/c.png"
    picture.write_bytes(png(640, 480))
    job = await space("rerun-classifier", sourcePath=str(picture))
    while job["status"] in ("pending", "running"):
        job = await space("classifier-job-progress", jobId=job["jobId"])
    checks.equal((await space("classifier-job-progress", jobId=job["jobId"]))["metadata"], job["metadata"], "what the classifier found")
    metadata = job["metadata"]
    checks.equal((job["status"], metadata["mediaType"]), ("completed", "image/png"), "the classifier")
    checks.equal((metadata["thumbnail"]["width"], metadata["thumbnail"]["height"]), (320, 240), "the size of a thumbnail")
    node = f"synthesis://nodes/{quote(str(picture), safe='')}"
    contents = await space.contents(f"{node}/thumbnail")
    checks.equal((contents["mimeType"], base64.b64decode(contents["blob"])[:8]), ("image/png", b"\x89PNG\r\n\x1a\n"), "a thumbnail is a blob")
    checks.equal((await space.read(f"{node}/metadata"))["hash"], metadata["hash"], "the metadata of an entry")
    text = await space("rerun-classifier", sourcePath=str(root / "Photos/notes.txt"), operations=["metadata", "thumbnail"])
    checks.that("has no thumbnail" in text["metadata"]["noThumbnail"], "what is not supported says so")


async def errors(space, root, checks):
    for tool, field, arguments in [
        ("resource-set-get", "name", {}), ("resource-set-get", "nam", {"nam": "x"}), ("resource-set-create", "name", {"name": " "}),
        ("resource-sum", "metric", {"name": "top", "metric": "weight"}), ("resource-children", "depth", {"name": "top", "depth": 0}),
        ("resource-search", "limit", {"name": "top", "limit": 0}), ("resource-search", "sort_by", {"name": "top", "sort_by": "x"}),
        ("resource-search", "min_mtime", {"name": "top", "min_mtime": "soon"}), ("resource-is", "field", {"name": "top", "field": "x", "value": "y"}),
        ("resource-fuzzy-match", "mode", {"name": "top", "field": "name", "pattern": "x", "mode": "like"}),
        ("resource-fuzzy-match", "pattern", {"name": "top", "field": "name", "pattern": "(", "mode": "regex"}),
        ("resource-time-range", "field", {"name": "top", "field": "atime"}), ("resource-metric-range", "metric", {"name": "top", "metric": "count"}),
        ("resource-set-modify", "operation", {"name": "top", "operation": "x", "paths": []}),
        ("resource-set-modify", "paths", {"name": "top", "operation": "add", "paths": ["/etc/shadow"]}),
        ("index", "root", {"root": "relative"}), ("index", "root", {"root": str(root / "none")}), ("index", "maxAge", {"root": str(root), "maxAge": "x"}),
        ("list-jobs", "status", {"status": "done"}), ("job-progress", "jobId", {"jobId": "x"}),
        ("source-create", "type", {"name": "x", "type": "ftp", "target_set": "t", "config": {}}),
        ("source-create", "config", {"name": "x", "type": "query", "target_set": "t", "config": {"query": "x"}}),
        ("source-create", "update_mode", {"name": "x", "type": "query", "target_set": "t", "config": {"query_name": "x"}, "update_mode": "x"}),
        ("plan-create", "sources", {"name": "x", "sources": []}), ("plan-update", "status", {"name": "index-photos", "status": "x"}),
        ("plan-create", "outcomes[0]", {"name": "x", "sources": [{"name": "s", "type": "query", "target_set": "t", "config": {"query_name": "x"}}], "outcomes": [{"type": "x"}]}),
        ("rerun-classifier", "operations", {"sourcePath": str(root / "Photos/c.png"), "operations": ["x"]}),
        ("disk_usage", "path", {"path": "x"}), ("find_duplicates", "path", {"path": "x"}),
    ]:
        await space.refused(tool, field, **arguments)
    for tool, what in [("resource-set-get", "resource-set"), ("resource-set-delete", "resource-set"), ("resource-parent", "resource-set"),
                       ("source-get", "source"), ("source-start", "source"), ("source-delete", "source"), ("plan-get", "plan"),
                       ("plan-execute", "plan"), ("plan-delete", "plan"), ("plan-update", "plan"), ("source-execute", "source"),
                       ("source-stop", "source"), ("resource-children", "resource-set")]:
        await space.refused(tool, "name", f"{what} not found", name="none")
    for field, arguments in [("parent", {"parent": "none", "child": "top"}), ("child", {"parent": "top", "child": "none"})]:
        for tool in ("resource-set-add-child", "resource-set-remove-child"):
            await space.refused(tool, field, "resource-set not found", **arguments)
    await space.refused("source-create", "name", "source already exists: signs", name="signs", type="filesystem.index", target_set="t", config={"path": str(root)})
    await space.refused("classifier-job-progress", "jobId", "job not found", jobId=999999)
    indexed = (await space("list-jobs", limit=1))["jobs"][0]["jobId"]
    await space.refused("classifier-job-progress", "jobId", "this job is not one of the classifier; ask job-progress", jobId=indexed)
    for tool in ("resource-set-list", "session-info", "source-list", "plan-list"):
        await space.refused(tool, "name", name="x")
    await space.refused("job-progress", "jobId", "job not found", jobId="999999")
    await space.refused("source-start", "name", "a source of the type filesystem.index runs once: use source-execute", name="signs")


async def plans(space, root, checks):
    source = {"name": "s", "type": "filesystem.index", "target_set": "index-target", "config": {"path": str(root / "Photos")}}
    conditions = {"type": "all", "conditions": [{"type": "media_type", "mediaType": "image/*"}, {"type": "none", "conditions": [{"type": "path", "pathContains": "deep"}]}]}
    outcomes = [{"type": "selection_set", "selectionSetName": "new-files", "operation": "add"}]
    made = await space("plan-create", name="index-media", description="Pictures", sources=[source], conditions=conditions, outcomes=outcomes)
    checks.equal((made["mode"], made["status"], made["conditions"]), ("oneshot", "active", conditions), "a plan")
    await space("plan-execute", name="index-media")
    found = await space("resource-search", name="new-files", sort_by="name", sort_desc=False)
    checks.equal([entry["name"] for entry in found["entries"]], ["a.jpg", "c.png"], "an outcome")
    execution = (await space("plan-get", name="index-media", execution_limit=1))["executions"][0]
    checks.equal((execution["status"], execution["entries_processed"], execution["entries_matched"]), ("completed", 5, 2), "an execution")
    checks.that("executions" not in await space("plan-get", name="index-media", include_executions=False), "no executions where none are wanted")
    changed = await space("plan-update", name="index-media", description="More", status="paused")
    checks.equal((changed["description"], changed["status"], changed["outcomes"]), ("More", "paused", outcomes), "a change of a plan")
    cleared = await space("plan-update", name="index-media", description=None)
    checks.equal((cleared["description"], cleared["outcomes"]), (None, outcomes), "null clears a part of a plan")
    await space.refused("plan-execute", "name", "plan is paused: set its status to active with plan-update", name="index-media")
    watched = root / "watched"
    watched.mkdir()
    await space("source-create", name="w", type="filesystem.watch", target_set="watched", config={"path": str(watched), "debounce_ms": 100})
    checks.equal((await space("source-start", name="w"))["status"], "running", "a source that runs")
    (watched / "file").touch()

    async def count():
        return (await space("resource-set-get", name="watched"))["entry_count"]

    await space.until("a source that watches", 1, count)
    checks.equal((await space("source-stop", name="w"))["status"], "stopped", "a source that was stopped")
    await space.refused("source-stop", "name", "source is not running", name="w")
    await space("source-start", name="w")


async def listening(space, checks):
    """Names are completed, and a subscription hears of a change."""
    reference = ResourceTemplateReference(uri="synthesis://selection-sets/{name}/stats")
    completed = await space.client.session.complete(reference, {"name": "name", "value": "all-m"})
    checks.equal(completed.completion.values, ["all-media"], "the completion of a name")
    uri = "synthesis://selection-sets/all-media"
    await space.client.session.subscribe_resource(uri)
    await space("resource-set-create", name="heard of")
    started = time.monotonic()

    def heard():
        return [str(message.params.uri) for message in space.client.heard if getattr(message, "method", "") == "notifications/resources/updated"]

    while uri not in heard() and time.monotonic() - started < 30:
        await asyncio.sleep(0.02)
    checks.that(uri in heard(), f"a subscription heard nothing of a change: {space.client.heard!r}")
    await space("resource-set-delete", name="heard of")


async def addresses(space, root, checks):
    for uri in FIXED:
        await space.read(f"synthesis://{uri}")
    file = root / "Photos/a.jpg"
    job = (await space("list-jobs"))["jobs"][0]["jobId"]
    digest = (await space.read("synthesis://metadata"))["metadata"][0]["hash"]
    for template in TEMPLATES:
        if template.endswith("/thumbnail"):
            continue
        name = "index-photos" if template.startswith("plans") else "photos"
        uri = template.format(name=name, metric="size", path=quote(str(file), safe=""), id=job, hash=digest)
        await space.read(f"synthesis://{uri}")
    checks.equal((await space.read(f"synthesis://nodes/{quote(str(file), safe='')}"))["size"], 100, "an entry, its path as one segment")
    checks.equal((await space.read(f"synthesis://nodes/{file}"))["size"], 100, "an entry, its path as it is")
    checks.equal((await space.read("synthesis://selection-sets/all-media/metrics/files"))["value"], 3, "a metric")
    page = await space.read("synthesis://nodes")
    checks.equal(len(page["nodes"]), 1000, "a page of entries")
    following = await space.read(page["next"])
    checks.that(following["nodes"][0]["path"] not in [node["path"] for node in page["nodes"]], "the next page")
    for uri in ("synthesis://selection-sets/none", "synthesis://plans/none", "synthesis://jobs/999999", "synthesis://other"):
        try:
            await space.client.session.read_resource(uri)
            checks.that(False, f"{uri} was not to be found")
        except MCPError as error:
            checks.equal(error.error.code, -32002, uri)


async def beyond(space, root, checks):
    usage = await space("disk_usage", path=str(root), depth=2, top=3)
    checks.equal(usage["tree"]["children"][0]["name"], "big.bin", "the largest first")
    twins = root / "twins"
    twins.mkdir()
    for name in ("one", "two", "three"):
        (twins / name).write_bytes(b"equal" * 1000)
    found = await space("find_duplicates", path=str(twins))
    checks.equal((found["group_count"], found["reclaimable_bytes"], len(found["groups"][0]["paths"])), (1, 10_000, 3), "equal files")


async def kept(space, root, checks, before):
    after = [await space("resource-set-list"), await space("plan-list")]
    checks.equal(after, before["made"], "sets and plans after a restart")
    sources = {source["name"]: source["status"] for source in (await space("source-list"))["sources"]}
    checks.equal(sources["w"], "running", "a source goes on after a restart")
    (root / "Downloads/after").write_bytes(b"x" * 3)
    expected = before["size"] + 3

    async def size():
        return (await space("resource-sum", name="downloads", metric="size"))["value"]

    started = time.monotonic()
    while await size() != expected and time.monotonic() - started < 30:
        await asyncio.sleep(0.05)
    checks.equal(await size(), expected, "a continuous plan goes on after a restart")
    job = await space("index", root=str(root / "signs"), force=True)
    checks.that(job["jobId"] > before["job"], "numbers of jobs go on")
    for tool, name in [("source-delete", "copy"), ("plan-delete", "watch-downloads"), ("resource-set-delete", "copied")]:
        checks.equal(await space(tool, name=name), {"name": name, "deleted": True}, tool)
    info = await space("session-info")
    checks.equal(sorted(info), ["database_path", "database_size", "entry_count", "plan_count", "resource_set_count", "source_count"], "session-info")


async def accept(program, folder, checks, contract):
    root, home = folder / "files", folder / "home"
    root.mkdir()
    async with session(program, home, checks, "--toolsets", "space") as client:
        space = Space(client, checks)
        await listed(space, checks, contract)
        await first_workflow(space, root, checks)
        await second_workflow(space, root, checks)
        await third_workflow(space, root, checks)
        for part in (graph, questions, jobs, classifier, plans, errors, beyond, addresses):
            await part(space, root, checks)
        await listening(space, checks)
        await space("source-get", name="signs")
        before = {"made": [await space("resource-set-list"), await space("plan-list")]}
        before["size"] = (await space("resource-sum", name="downloads", metric="size"))["value"]
        before["job"] = max(job["jobId"] for job in (await space("list-jobs"))["jobs"])
        called = space.called
    stop(program, home)
    async with session(program, home, checks, "--toolsets", "space") as client:
        space = Space(client, checks)
        await kept(space, root, checks, before)
        tools = await client.tools()
        checks.equal(set(tools) - space.called - called, set(), "every tool was called")


if __name__ == "__main__":
    main(__doc__, accept)
