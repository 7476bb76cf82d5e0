#!/usr/bin/env python3
"""The contract of the toolset index, called by the official Python SDK over stdio.

    scripts/acceptance/index.py [--program PROGRAM] [--contract search-module.md]

Examples and errors word for word; names, types, defaults and descriptions of parameters and fields as the contract's tables have them;
tokens; operators; ties; a document that is added again, to the bit; two sessions and one index; what a restart keeps; what the owner holds
when nobody is connected; bounds. With --contract, the tables and examples are read from the contract itself and must be those that are
written here. The exit status is 1 if anything is otherwise.

Needs the Python packages mcp and jsonschema, and for the backend collection the models in the repository.
"""

import json
import re
import time

from common import main, session, stop

PARAMETERS = {
    "search_index": [
        ("query", "string", True, "Search query (supports +/- and phrase operators)"),
        ("k", "integer", False, "Maximum results to return (default: 10)"),
        ("index_name", "string", False, 'Target index instance (default: "default")'),
    ],
    "search_add_document": [
        ("doc_id", "string", True, "Unique document identifier"),
        ("content", "string", True, "Text content to index"),
        ("metadata", "object", False, "Arbitrary key-value metadata"),
        ("index_name", "string", False, 'Target index instance (default: "default")'),
    ],
    "search_create_index": [
        ("index_name", "string", True, "Name for the new index"),
        ("backend", "string", False, 'Index backend type (default: "memory")'),
        ("tokenizer_config", "object", False, "Tokenizer settings"),
    ],
}
FIELDS = {
    "search_index": [
        ("results", "array", "Ranked search results"),
        ("total_matches", "integer", "Total candidate documents found"),
        ("query_parsed", "object", "Parsed query structure"),
    ],
    "search_add_document": [
        ("status", "string", '"indexed" or "re-indexed"'),
        ("doc_id", "string", "Confirmed document ID"),
        ("token_count", "integer", "Tokens extracted from content"),
    ],
    "search_create_index": [
        ("status", "string", '"created"'),
        ("index_name", "string", "Confirmed index name"),
        ("backend", "string", "Backend type in use"),
    ],
}
RESULT_FIELDS = [
    ("doc_id", "string", "Document identifier"),
    ("score", "number", "TF-IDF relevance score"),
    ("highlights", "array", "Context snippets (max 3)"),
    ("metadata", "object", "Document metadata"),
]
TOKENIZER_FIELDS = [("lowercase", "boolean", True, "Convert tokens to lowercase"), ("min_length", "integer", 2, "Minimum token character length")]
DEFAULTS = {"k": 10, "backend": "memory"}
EXAMPLES = [
    ("search_index", {"query": "rate limiting API", "k": 3, "index_name": "documentation"}),
    (
        "search_add_document",
        {
            "doc_id": "readme-rate-limiting",
            "content": "Rate limiting protects APIs from abuse by throttling request frequency.",
            "metadata": {"module": "rate_limiting", "type": "readme"},
        },
    ),
    ("search_create_index", {"index_name": "codebase_search", "tokenizer_config": {"lowercase": True, "min_length": 3}}),
]
SIX = "Python rate limiting with token buckets"


def rows(table):
    """The cells of a table in Markdown, without its head."""
    lines = [line for line in table.splitlines() if line.startswith("|")][2:]
    return [[re.sub(r"^`(.*)`$", r"\1", cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def of_contract(text, checks):
    """Compares what is written above with the contract."""
    parts = dict(re.findall(r"## Tool: `(\w+)`\n(.*?)(?=\n## |\Z)", text, re.S))
    for tool, part in parts.items():
        cells = rows(re.search(r"### 3\..*?(?=\n\*\*|\n### 4)", part, re.S)[0])
        found = [(name, kind, required == "Yes", said.replace("`", "")) for name, kind, required, said, _ in cells]
        checks.equal(found, PARAMETERS[tool], f"the parameters of {tool} in the contract")
        tables = re.findall(r"(?:^\|.*\n)+", re.search(r"### 4\..*?(?=\n### 5)", part, re.S)[0] + "\n", re.M)
        fields = [[(name, kind.split("[")[0], said.replace("`", "")) for name, kind, said, _ in rows(table)] for table in tables]
        checks.equal(fields[0], FIELDS[tool], f"the fields of {tool} in the contract")
        if tool == "search_index":
            checks.equal(fields[1], RESULT_FIELDS, "the fields of a result in the contract")
        example = json.loads(re.search(r"### 7\..*?```json\n(.*?)```", part, re.S)[1])
        checks.that((example["tool_name"], example["arguments"]) in EXAMPLES, f"the example of {tool} in the contract")
    config = rows(re.search(r"`tokenizer_config` fields.*?(?=\n### 4)", text, re.S)[0])
    checks.equal([(name, kind, json.loads(default), said) for name, kind, default, said in config], TOKENIZER_FIELDS, "the tokenizer in the contract")
    checks.equal(set(parts), set(PARAMETERS), "the tools of the contract")
    purposes = {tool: re.search(r"### 1\. .*?\n(.*?)\n\n", part, re.S)[1].strip() for tool, part in parts.items()}
    return purposes


async def schemas(client, checks, purposes):
    tools = await client.tools()
    checks.equal(sorted(tools), sorted(PARAMETERS), "the tools of the set")
    for name, tool in tools.items():
        given = tool["inputSchema"]
        found = [(key, value["type"], key in given["required"], value["description"]) for key, value in given["properties"].items()]
        checks.equal(sorted(found), sorted(PARAMETERS[name]), f"the parameters of {name}")
        defaults = {key: value["default"] for key, value in given["properties"].items() if "default" in value}
        expected = {**DEFAULTS, **({"index_name": "default"} if name != "search_create_index" else {})}
        checks.equal(defaults, {key: value for key, value in expected.items() if key in given["properties"]}, f"the defaults of {name}")
        answered = tool["outputSchema"]["properties"]
        found = [(key, value["type"], value["description"]) for key, value in answered.items()]
        checks.equal(sorted(found), sorted(FIELDS[name]), f"the fields of {name}")
        if purposes:
            checks.equal(tool["description"], purposes[name], f"the description of {name}")
    results = tools["search_index"]["outputSchema"]["properties"]["results"]["items"]["properties"]
    checks.equal(sorted((key, value["type"], value["description"]) for key, value in results.items()), sorted(RESULT_FIELDS), "the fields of a result")
    config = tools["search_create_index"]["inputSchema"]["properties"]["tokenizer_config"]["properties"]
    found = [(key, value["type"], value["default"], value["description"]) for key, value in config.items()]
    checks.equal(sorted(found), sorted(TOKENIZER_FIELDS), "the fields of tokenizer_config")
    # The answer to an empty query has no third field.
    checks.equal(tools["search_index"]["outputSchema"]["required"], ["results", "total_matches"], "what is always answered")


class Index:
    """Calls whose answers must be the same as text and as structured content."""

    def __init__(self, client, checks):
        self.client, self.checks = client, checks

    async def answered(self, tool, arguments):
        result = await self.client.call(tool, arguments)
        self.checks.that(not result["isError"], f"{tool} {str(arguments)[:200]}: {result['content'][0]['text'][:300]}")
        self.same(result, tool)
        return result["structuredContent"]

    async def refused(self, tool, arguments, error):
        result = await self.client.call(tool, arguments)
        self.checks.that(result["isError"], f"{tool} {str(arguments)[:200]} was to fail")
        self.same(result, tool)
        self.checks.equal(result["structuredContent"], {"error": error}, f"{tool} {str(arguments)[:200]}")

    def same(self, result, tool):
        self.checks.equal(len(result["content"]), 1, f"{tool}: one block of text")
        self.checks.equal(json.loads(result["content"][0]["text"]), result["structuredContent"], f"{tool}: text and structured content")

    async def add(self, doc_id, content, **more):
        return await self.answered("search_add_document", {"doc_id": doc_id, "content": content, **more})

    async def search(self, query, **more):
        return await self.answered("search_index", {"query": query, **more})

    async def found(self, query, **more):
        return [result["doc_id"] for result in (await self.search(query, **more))["results"]]


async def examples(index, checks):
    (_, query), (_, document), (_, new) = EXAMPLES
    created = await index.answered("search_create_index", new)
    checks.equal(created, {"status": "created", "index_name": "codebase_search", "backend": "memory"}, "the index of the example")
    added = await index.answered("search_add_document", document)
    checks.equal(added, {"status": "indexed", "doc_id": "readme-rate-limiting", "token_count": 10}, "ten tokens")
    await index.refused("search_index", query, "Index not found: documentation")
    await index.answered("search_create_index", {"index_name": "documentation"})
    added = await index.add("doc-001", SIX, metadata={"author": "Smith", "year": 2026}, index_name="documentation")
    checks.equal(added, {"status": "indexed", "doc_id": "doc-001", "token_count": 6}, "six tokens")
    await index.add("doc-002", "An API without limits.", index_name="documentation")
    found = await index.answered("search_index", query)
    checks.equal(found["total_matches"], 2, "plain words are alternatives")
    best = found["results"][0]
    checks.equal((best["doc_id"], best["highlights"], best["metadata"]), ("doc-001", [SIX], {"author": "Smith", "year": 2026}), "the best result")
    checks.that(isinstance(best["score"], float) and best["score"] > found["results"][1]["score"] > 0, "scores fall")
    checks.equal(found["query_parsed"], {"terms": ["rate", "limiting", "api"], "must": []}, "how the query was understood")
    await index.add("ml", "Why python? It has libraries for machine learning. Nobody\nasks twice.")
    found = await index.search('+python "machine learning"', k=5)
    checks.equal(found["query_parsed"], {"terms": [], "must": ["python"], "phrases": ["machine learning"]}, "the query of the contract")
    checks.equal([result["doc_id"] for result in found["results"]], ["ml"], "both must be there")
    checks.equal(found["results"][0]["highlights"], ["Why python?", "It has libraries for machine learning."], "whole sentences")
    checks.equal((await index.search("+python"))["query_parsed"], {"terms": [], "must": ["python"]}, "query_parsed as printed")


async def errors(index, checks):
    refused = index.refused
    for empty in ("", "   "):
        checks.equal(await index.search(empty), {"results": [], "total_matches": 0}, "an empty query")
        await refused("search_index", {"query": empty, "index_name": "nope"}, "Index not found: nope")
    await refused("search_index", {"query": "x", "index_name": "nope"}, "Index not found: nope")
    await refused("search_add_document", {"doc_id": "a", "content": "x", "index_name": "nope"}, "Index not found: nope")
    for content in ({}, {"content": ""}, {"content": " \n\t"}, {"content": None}, {"content": []}, {"content": {"a": 1}}):
        await refused("search_add_document", {"doc_id": "a", **content}, "Content must be a non-empty string")
    await refused("search_create_index", {"index_name": "default"}, "Index already exists: default")
    await refused("search_create_index", {"index_name": "documentation", "backend": "redis"}, "Index already exists: documentation")
    await refused("search_create_index", {"index_name": "new", "backend": "redis"}, "Unknown backend: redis")
    for name in ("my docs", "", "ä", "a/b", "a.b", "x" * 65):
        await refused("search_create_index", {"index_name": name}, f"Invalid index name: {name}")
    await refused("search_index", {"query": "x", "k": -1}, "k is -1; it must be between 0 and 1000.")
    await refused("search_index", {"query": "x", "k": "many"}, 'k is "many"; it must be an integer, such as 10.')
    await refused("search_add_document", {"doc_id": " ", "content": "x"}, "doc_id must be one line of text that is not blank.")


async def searching(index, checks):
    await index.answered("search_create_index", {"index_name": "search"})
    texts = {
        "b": "Token buckets limit the rate.",
        "a": "Token buckets limit the rate.",
        "c": "The rate of a leaky bucket, in tokens. Token, token!",
        "d": "Nothing of this kind is in here",
    }
    for doc_id, text in texts.items():
        await index.add(doc_id, text, index_name="search")
    for query, expected in [
        ("buckets rate", ["a", "b", "c"]),
        ("nothing leaky", ["d", "c"]),
        ('"token buckets"', ["a", "b"]),
        ('"buckets token"', []),
        ('rate -"token buckets"', ["c"]),
        ("+token +leaky", ["c"]),
        ("+token nothing", ["c", "a", "b"]),
        ("token -leaky -limit", []),
        ("-token", []),
        ('-"token buckets" -leaky', []),
        ("absent", []),
        ("!?", []),
        ("LEAKY", ["c"]),
        ('"of a leaky"', ["c"]),
    ]:
        checks.equal(await index.found(query, index_name="search"), expected, f"search of {query}")
    first = await index.search("token rate buckets", index_name="search", k=2)
    checks.equal((len(first["results"]), first["total_matches"]), (2, 3), "k results of all matches")
    checks.equal((await index.search("token", index_name="search", k=0))["total_matches"], 3, "no results, but their number")
    for _ in range(3):
        for doc_id in ("c", "a"):
            again = await index.add(doc_id, texts[doc_id], index_name="search")
            checks.equal(again["status"], "re-indexed", "added again")
    checks.equal(json.dumps(await index.search("token rate buckets", index_name="search", k=2)), json.dumps(first), "the same to the bit")
    await index.add("c", "Other words", index_name="search")
    checks.equal(await index.found("leaky", index_name="search"), [], "the former content is gone")
    await index.add("c", texts["c"], index_name="search")
    checks.equal(json.dumps(await index.search("token rate buckets", index_name="search", k=2)), json.dumps(first), "and back, to the bit")

    await index.answered("search_create_index", {"index_name": "cased", "tokenizer_config": {"lowercase": False, "min_length": 4}})
    checks.equal((await index.add("x", "Rate the API now, Größe", index_name="cased"))["token_count"], 2, "min_length counts characters")
    checks.equal((await index.found("rate", index_name="cased"), await index.found("Rate", index_name="cased")), ([], ["x"]), "case")

    # Numbers and strings stand for each other.
    added = await index.add(123, "one hundred and twenty-three", index_name="search", metadata={"n": 123})
    checks.equal(added["doc_id"], "123", "a number for a string")
    checks.equal(await index.found("hundred", k="1", index_name="search"), ["123"], "a string for a number")
    long = "The clause goes on, and on, " * 40 + "to the needle, at last. A needle. And a needle! No needle? Done."
    await index.add("long", long, index_name="search")
    highlights = (await index.search("needle last", index_name="search"))["results"][0]["highlights"]
    checks.equal((len(highlights), highlights[1:]), (3, ["A needle.", "And a needle!"]), "at most three highlights")
    checks.that(highlights[0].startswith("...") and highlights[0].endswith("to the needle, at last.") and len(highlights[0]) < 310, "clauses of a long sentence")


async def bounds(index, checks):
    eight = "word " * ((8 << 20) // 5 + 1)
    await index.refused("search_add_document", {"doc_id": "big", "content": eight},
                        f"content has {len(eight)} bytes; the limit is 8388608. Add it as several documents.")
    await index.answered("search_create_index", {"index_name": "big"})
    added = await index.add("big", eight[: 8 << 20], index_name="big")
    checks.equal(added["token_count"], (8 << 20) // 5 + 1, "8 MB are taken")
    status = None
    for i in range(64):
        result = await index.client.call("search_create_index", {"index_name": f"n{i}"})
        status = result["structuredContent"]
        if result["isError"]:
            break
    checks.that(status.get("error", "").startswith("There are 64 indexes"), f"64 indexes: {status}")


async def durable(index, checks):
    created = await index.answered("search_create_index", {"index_name": "kept", "backend": "collection"})
    checks.equal(created, {"status": "created", "index_name": "kept", "backend": "collection"}, "a durable index")
    await index.refused("search_create_index", {"index_name": "kept"}, "Index already exists: kept")
    checks.equal(await index.search("anything", index_name="kept"), {"results": [], "total_matches": 0, "query_parsed": {"terms": ["anything"], "must": []}}, "an empty collection")
    added = await index.add("docs/limits.md", SIX, metadata={"author": "Smith", "year": 2026, "tags": ["a", None]}, index_name="kept")
    checks.equal(added, {"status": "indexed", "doc_id": "docs/limits.md", "token_count": 6}, "a durable document")
    await index.add("copy", SIX, index_name="kept")
    await index.add("html", "<html><body>Tenants pay the rent in advance.</body></html> They repaint every five years.", index_name="kept")
    checks.equal((await index.add("copy", SIX, index_name="kept"))["status"], "re-indexed", "a durable document, again")


async def kept(index, checks):
    found = await index.search("token buckets", index_name="kept")
    checks.equal(sorted(result["doc_id"] for result in found["results"][:2]), ["copy", "docs/limits.md"], "documents with equal content")
    metadata = {result["doc_id"]: result["metadata"] for result in found["results"]}
    checks.equal(metadata.get("docs/limits.md"), {"author": "Smith", "year": 2026, "tags": ["a", None]}, "metadata as it is")
    checks.equal(metadata.get("copy"), {}, "no metadata")
    checks.equal(await index.found("+rent", index_name="kept"), ["html"], "required words")
    checks.equal(await index.found('"token buckets" -python', index_name="kept"), [], "excluded words")
    checks.equal(await index.found('-python', index_name="kept"), [], "only exclusions")
    text = await index.search('"<html><body>Tenants"', index_name="kept")
    checks.equal([result["highlights"] for result in text["results"]], [["<html><body>Tenants pay the rent in advance.</body></html> They repaint every five years."]], "texts are texts")
    await index.add("html", "The lender charges interest.", metadata={"n": 1}, index_name="kept")
    checks.equal(await index.found("+rent", index_name="kept"), [], "the former content is gone")
    await index.add("html", "The lender charges interest.", index_name="kept")
    result = (await index.search("+lender", index_name="kept"))["results"]
    checks.equal([(one["doc_id"], one["metadata"], one["highlights"]) for one in result], [("html", {}, ["The lender charges interest."])], "new content and metadata")


async def accept(program, folder, checks, contract):
    home, options = folder / "home", ("--toolsets", "index")
    purposes = of_contract(contract, checks) if contract else {}
    async with session(program, home, checks, *options) as client, session(program, home, checks, *options) as other:
        await schemas(client, checks, purposes)
        index, second = Index(client, checks), Index(other, checks)
        await examples(index, checks)
        checks.equal(await second.found("+python"), ["ml"], "two sessions see one index")
        await second.add("ml", "Replaced by the other session")
        checks.equal(await index.found("replaced"), ["ml"], "in both directions")
        await errors(index, checks)
        await searching(index, checks)
        await durable(index, checks)
        await bounds(index, checks)
    # Longer than the owner waits without clients: it holds documents in memory.
    time.sleep(8)
    async with session(program, home, checks, *options) as client:
        index = Index(client, checks)
        checks.equal(await index.found("replaced"), ["ml"], "an owner with documents in memory does not end by itself")
    stop(program, home)
    async with session(program, home, checks, *options) as client:
        index = Index(client, checks)
        checks.equal(await index.search("replaced"), {"results": [], "total_matches": 0, "query_parsed": {"terms": ["replaced"], "must": []}}, "a restart loses memory")
        await index.refused("search_index", {"query": "rate", "index_name": "documentation"}, "Index not found: documentation")
        await kept(index, checks)


if __name__ == "__main__":
    main(__doc__, accept)
