"""A client of the Model Context Protocol over the standard streams of a child process, for the scripts and benches. Needs only the
standard library; no SDK, whose own time would be measured too.

Scripts of other folders find it after `sys.path.insert(0, str(ROOT / "scripts" / "lib"))`.
"""

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

TARGET = os.environ.get("CARGO_TARGET_DIR", str(Path.home() / ".cache/casetrack-target"))
BINARY = os.environ.get("CASETRACK_BIN", f"{TARGET}/release/casetrack")
VERSION = "2025-06-18"


# Ranges of a brief place, and the beginning of the names of their ends.
RANGES = {"paragraphs": "paragraph", "lines": "line", "chars": "char"}


def is_pair(value):
    return isinstance(value, list) and len(value) == 2 and all(isinstance(one, int) for one in value)


def numbered(place, name, one):
    """`l. 4`, or `ll. 4-9`; `para. 4`, or `paras. 4-9`"""
    first, last = place[f"{name}_start"], place[f"{name}_end"]
    many = "ll." if one == "l." else "paras."
    return f"{one} {first}" if first == last else f"{many} {first}-{last}"


def in_place(answer):
    """An answer with the documents of its `sources` in the place of their numbers, and with ranges, as `detail: full` has them."""
    sources = {source["number"]: source for source in answer.get("sources", [])} if isinstance(answer, dict) else {}

    def put(value):
        if isinstance(value, list):
            return [put(item) for item in value]
        if not isinstance(value, dict):
            return value
        fields = {name: put(field) for name, field in value.items()}
        place = fields.get("provenance")
        source = sources.get(place.pop("source", None)) if isinstance(place, dict) else None
        if source:
            place |= {name: field for name, field in source.items() if name != "number"}
            short = f"[{source['number']}] "
            if fields.get("citation", "").startswith(short):
                fields["citation"] = f"{source['document_name']}, {fields['citation'][len(short):]}"
            # Left out if it has only the numbers of the place.
            if "paragraph_start" in place and "line_start" in place:
                numbers = [numbered(place, "paragraph", "para."), numbered(place, "line", "l.")]
                fields.setdefault("citation", f"{source['document_name']}, p. {place['page']}, {', '.join(numbers)}")
        for both, name in RANGES.items():
            if is_pair(fields.get(both)):
                fields[f"{name}_start"], fields[f"{name}_end"] = fields.pop(both)
        return fields

    return put(answer) if sources else answer


class Failure(SystemExit):
    """The server ended, refused a request, or reported an error of a tool. Ends the script unless it is caught."""


class Client:
    """A session with the server that `command` starts. `client` is the name under which limits on calls are counted."""

    def __init__(self, command, client="bench", **options):
        self.log = tempfile.TemporaryFile()
        options.setdefault("stderr", self.log)
        self.child = subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        self.last = 0
        hello = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": client, "version": "1"}}
        self.about = self.result("initialize", hello)
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.child.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.child.stdin.flush()

    def request(self, method, params=None):
        """The answer, a result or an error, and the milliseconds it took."""
        self.last += 1
        started = time.perf_counter()
        self.send({"id": self.last, "method": method, "params": params or {}})
        while True:
            line = self.child.stdout.readline()
            elapsed = (time.perf_counter() - started) * 1000
            if not line:
                raise Failure(f"the server ended (status {self.child.wait()}) before it answered {method}: {self.stderr()}")
            message = json.loads(line)
            if message.get("id") == self.last:
                return message, elapsed

    def result(self, method, params=None):
        message, _ = self.request(method, params)
        if "result" not in message:
            raise Failure(f"{method}: {json.dumps(message)[:2000]}")
        return message["result"]

    def call(self, tool, **arguments):
        """The structured content of a tool's result."""
        return self.timed(tool, **arguments)[0]

    def timed(self, tool, **arguments):
        """The structured content of a tool's result, and the milliseconds until it came."""
        message, elapsed = self.request("tools/call", {"name": tool, "arguments": arguments})
        result = message.get("result", {})
        if "error" in message or result.get("isError"):
            content = result.get("content") or [{"text": json.dumps(message)}]
            raise Failure(f"{tool}: {content[0]['text'][:2000]}")
        return in_place(result["structuredContent"]), elapsed

    def stderr(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")[-2000:]

    def close(self):
        """Ends the input and returns the status with which the server exits."""
        self.child.stdin.close()
        return self.child.wait(timeout=60)
