#!/usr/bin/env python3
"""Random calls of every tool, made from the tools' own schemas, and whether the server stands them.

    python3 benches/protocol/random_calls.py [--calls N] [--minutes M] [--seed S] [--keep]

Starts `casetrack mcp` on a new data directory and calls tools at random: valid calls (values from the schemas, with names and ids that
earlier answers gave), and invalid ones (missing, unknown and ill-typed parameters, values out of range, odd strings, malformed
requests). Every answer must be a result whose structured content follows the declared output schema, an error with a text, or a protocol
error with a code and a message; the server's processes must be the ones that were started. Prints what was called, the memory of the
owner as it went, and every violation; the exit status is 1 if there is one. Calls are spread over M minutes where that is given.

Needs the Python package jsonschema for the check against output schemas.
"""

import argparse
import collections
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import jsonschema
from protocol import BINARY, Server, allow_many_calls, memory

WORDS = "tenant rent roof slate harbour invoice payment delivery notice clause liability audit Acme Roe 2019 ISO 27001 §4.2".split()
ODD = ["", " ", "\u0000", "🦀" * 50, "a" * 20_000, "../../etc/passwd", "%s%n", "'; DROP TABLE x;--", "\u202eevil", "NaN", "-1", "\n\n",
       "casetrack://collections", "00000000-0000-0000-0000-000000000000", "C:\\x", "{}", "null", "\ud7ff", "ﬀ" * 30]


class Caller:
    """Makes arguments. What earlier answers named is kept, by kind, to be used again."""

    def __init__(self, rng, folder):
        self.rng, self.folder = rng, folder
        self.seen = collections.defaultdict(lambda: collections.deque(maxlen=200))

    def learn(self, value):
        if isinstance(value, list):
            for item in value[:50]:
                self.learn(item)
        elif isinstance(value, dict):
            for key, item in value.items():
                if isinstance(item, str) and item:
                    kind = {"document_id": "document", "document_name": "document", "chunk_id": "chunk", "job_id": "job", "watch_id": "watch",
                            "collection": "collection", "collection_id": "collection", "canonical_name": "entity"}.get(key)
                    if kind:
                        self.seen[kind].append(item)
                else:
                    self.learn(item)

    def text(self, name):
        rng = self.rng
        kinds = {"document": "document", "chunk": "chunk", "job": "job", "collection": "collection", "entity": "entity"}
        if "folder" in name:
            return str(rng.choice([self.folder, self.folder / "one", self.folder / "none", self.folder / "a0.txt"]))
        if name == "file_path":
            return str(rng.choice(sorted(self.folder.rglob("*.*")) + [self.folder, self.folder / "none.pdf"]))
        if "date" in name or name == "ingested":
            return rng.choice(["2019", "2020-02-29", "2021-13-01", "yesterday", "2019-05-05"])
        for part, kind in kinds.items():
            if part in name and self.seen[kind] and rng.random() < 0.85:
                return rng.choice(self.seen[kind])
        if name == "name":
            return f"Matter {rng.randrange(6)}"
        return " ".join(rng.choices(WORDS, k=rng.randrange(1, 5)))

    def value(self, name, schema):
        rng = self.rng
        if "enum" in schema:
            return rng.choice(schema["enum"])
        kind = schema.get("type")
        if kind == "boolean":
            return rng.random() < 0.5
        if kind in ("integer", "number"):
            low, high = schema.get("minimum", 0), schema.get("maximum", 40)
            if name == "wait_seconds":
                high = 2
            return rng.randint(int(low), int(min(high, low + 60))) if kind == "integer" else round(rng.uniform(low, high), 2)
        if kind == "array":
            return [self.value(name, schema.get("items", {"type": "string"})) for _ in range(rng.randrange(0, 4))]
        return self.text(name)

    def valid(self, schema):
        properties, required = schema["properties"], schema.get("required", [])
        chosen = [name for name in properties if name in required or self.rng.random() < 0.3]
        return {name: self.value(name, properties[name]) for name in chosen}

    def spoil(self, arguments):
        """One or two things wrong."""
        rng, arguments = self.rng, dict(arguments)
        for _ in range(rng.randrange(1, 3)):
            name = rng.choice([*arguments, "no_such_parameter"])
            if rng.random() < 0.2 and name in arguments:
                del arguments[name]
            elif "folder" not in name and name != "file_path" or rng.random() < 0.5:
                arguments[name] = rng.choice([None, True, -1, 10**30, 3.7, [], {}, [[1]], {"a": 1}, *ODD])
        # Odd strings as paths are relative or do not exist; a real one outside the folder is never named.
        return arguments


def check(answer, tool):
    """What is wrong with an answer; and whether it was a success."""
    if "error" in answer:
        error = answer["error"]
        fine = isinstance(error.get("code"), int) and isinstance(error.get("message"), str) and error["message"]
        return (None if fine else f"malformed protocol error {error}"), False
    result = answer.get("result")
    content = result.get("content") if isinstance(result, dict) else None
    if not content or content[0].get("type") != "text" or not content[0].get("text"):
        return f"no text: {json.dumps(result)[:300]}", False
    if result.get("isError"):
        text = content[0]["text"]
        return (f"a defect: {text[:300]}" if "defect in CaseTrack" in text or "panick" in text else None), False
    try:
        jsonschema.validate(result.get("structuredContent"), tool["outputSchema"])
    except jsonschema.ValidationError as error:
        return f"does not follow its schema: {error.message[:300]} at {list(error.absolute_path)}", True
    return None, True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="leave the data directory, and print where it is")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    root = Path(tempfile.mkdtemp(prefix="casetrack-random-"))
    folder = root / "documents"
    (folder / "one").mkdir(parents=True)
    for n in range(12):
        text = " ".join(rng.choices(WORDS, k=400)) + f". Jane Roe of Acme Foods, Inc. paid ${n}00 on May {n + 1}, 2019 under Section 4.2.\n"
        (folder / f"a{n}.txt" if n % 2 else folder / "one" / f"b{n}.md").write_text(f"# Part {n}\n\n{text * 3}")
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 broken")
    # As fast as it goes: the limit on calls is for clients that run wild.
    (root / "home").mkdir()
    (root / "home/config.toml").write_text("[limits]\ncalls_per_minute = 100000\n")
    home = str(root / "home")
    allow_many_calls(home)
    server = Server(home)
    tools = {tool["name"]: tool for tool in server.result("tools/list")["tools"]}
    caller, violations, outcomes = Caller(rng, folder), [], collections.Counter()
    pids = (server.child.pid, server.owner())
    started, pause = time.time(), options.minutes * 60 / options.calls
    print(f"{options.calls} calls of {len(tools)} tools, seed {options.seed}")
    for n in range(options.calls):
        name = rng.choice([*tools])
        if n % 25 == 0:
            name, arguments = "create_collection", {"name": f"Matter {rng.randrange(6)}"}
        elif n % 25 == 1:
            name, arguments = "ingest_folder", {"folder_path": str(folder), "wait_seconds": 2}
        else:
            arguments = caller.valid(tools[name]["inputSchema"])
        if name.startswith("delete") and rng.random() < 0.7:
            arguments["confirm"] = False
        if rng.random() < 0.3:
            arguments = caller.spoil(arguments)
        params = {"name": name, "arguments": arguments}
        if rng.random() < 0.02:
            params = rng.choice([{}, {"name": 5}, {"name": "nothing"}, {"name": name, "arguments": [1]}, {"name": name, "arguments": "x"}])
        answer, _ = server.request("tools/call", params)
        problem, success = check(answer, tools[name])
        outcomes[name, success] += 1
        if problem:
            violations.append((n, name, arguments, problem))
            print(f"VIOLATION at {n}, {name} {json.dumps(arguments)[:300]}: {problem}", flush=True)
        caller.learn(answer.get("result", {}).get("structuredContent"))
        if (n + 1) % max(options.calls // 20, 1) == 0:
            print(f"{n + 1:6} calls, {time.time() - started:6.0f} s, owner {memory(server.owner()):6.1f} MB, "
                  f"client's process {memory(server.child.pid):5.1f} MB, violations {len(violations)}", flush=True)
        if pause:
            time.sleep(max(0, started + (n + 1) * pause - time.time()))
    if (server.child.pid, server.owner()) != pids:
        violations.append((options.calls, "", {}, "another process owns the data directory: the first ended"))
        print("VIOLATION: the owner ended and was started again")
    print("tool: succeeded / refused")
    for name in tools:
        print(f"  {name:30} {outcomes[name, True]:5} / {outcomes[name, False]}")
    server.close()
    subprocess.run([BINARY, "--data-dir", home, "stop"], stdout=subprocess.DEVNULL)
    if options.keep:
        print(root)
    else:
        subprocess.run(["rm", "-r", str(root)])
    sys.exit(bool(violations))


if __name__ == "__main__":
    main()
