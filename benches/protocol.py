#!/usr/bin/env python3
"""What the MCP server costs a client over stdio, without a model loaded.

    python3 benches/protocol.py [--collections N] [--calls N]

Makes a data directory with N empty collections, starts `casetrack mcp` on it and prints: the time of tools/list (median and
worst of 20), of get_status (median and 99th percentile), and the memory (RSS) of the server's two processes: the one that the client
starts and the owner of the data directory. The bars are 60 ms, 2 ms (median) and 80 MB.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

BINARY = os.environ.get("CASETRACK_BIN", str(Path.home() / ".cache/casetrack-target/release/casetrack"))


class Client:
    """JSON lines over the standard streams of a child; no SDK, whose own time would be measured too."""

    def __init__(self, home, *arguments, program=BINARY):
        self.home = home
        self.log = tempfile.TemporaryFile()
        command = [program, "--data-dir", home, "mcp", "--toolsets", "all", *arguments]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log)
        self.next = 0
        client = {"name": "bench", "version": "0"}
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.child.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.child.stdin.flush()

    def request(self, method, params):
        """The answer, a result or an error, and the milliseconds it took."""
        self.next += 1
        started = time.perf_counter()
        self.send({"id": self.next, "method": method, "params": params})
        while True:
            line = self.child.stdout.readline()
            elapsed = (time.perf_counter() - started) * 1000
            if not line:
                status = self.child.wait()
                self.log.seek(0)
                raise SystemExit(f"the server ended (status {status}): {self.log.read().decode(errors='replace')[-2000:]}")
            message = json.loads(line)
            if message.get("id") == self.next:
                return message, elapsed

    def owner(self):
        """The process that owns the data directory."""
        return json.loads(Path(self.home, "owner/address.json").read_text())["pid"]


def allow_many_calls(home):
    """Raises the limit on calls per minute of a data directory that is the bench's own."""
    Path(home).mkdir(parents=True, exist_ok=True)
    Path(home, "config.toml").write_text("[limits]\ncalls_per_minute = 100000\n", encoding="utf-8")


def memory(pid):
    """RSS in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collections", type=int, default=3)
    parser.add_argument("--calls", type=int, default=2000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        allow_many_calls(home)
        for n in range(options.collections):
            subprocess.run([BINARY, "--data-dir", home, "--quiet", "new", f"Matter {n}"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([BINARY, "--data-dir", home, "stop"], check=True, stdout=subprocess.DEVNULL)
        client = Client(home)
        lists = [client.request("tools/list", {}) for _ in range(20)]
        tools = len(lists[0][0]["result"]["tools"])
        times = [elapsed for _, elapsed in lists]
        print(f"tools/list ({tools} tools): median {statistics.median(times):.2f} ms, worst {max(times):.2f} ms")
        call = {"name": "get_status", "arguments": {}}
        times = sorted(client.request("tools/call", call)[1] for _ in range(options.calls))
        print(f"get_status ({options.collections} collections): median {statistics.median(times):.2f} ms, "
              f"p99 {times[len(times) * 99 // 100]:.2f} ms of {len(times)}")
        print(f"memory: client's process {memory(client.child.pid):.1f} MB, owner {memory(client.owner()):.1f} MB")
        client.child.stdin.close()
        client.child.wait()
        subprocess.run([BINARY, "--data-dir", home, "stop"], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
