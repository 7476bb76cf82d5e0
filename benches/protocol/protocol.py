#!/usr/bin/env python3
"""What the MCP server costs a client over stdio, without a model loaded.

    python3 benches/protocol/protocol.py [--collections N] [--calls N]

Makes a data directory with N empty collections, starts `casetrack mcp` on it and prints: the time of tools/list (median and
worst of 20), of get_status (median and 99th percentile), and the memory (RSS) of the server's two processes: the one that the client
starts and the owner of the data directory. The bars are 60 ms, 2 ms (median) and 80 MB.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
from mcp_client import BINARY, Client  # noqa: E402


class Server(Client):
    """A session on a data directory, with all tools."""

    def __init__(self, home, *arguments, program=BINARY):
        self.home = home
        super().__init__([program, "--data-dir", home, "mcp", "--toolsets", "all", *arguments])

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
        client = Server(home)
        lists = [client.request("tools/list") for _ in range(20)]
        tools = len(lists[0][0]["result"]["tools"])
        times = [elapsed for _, elapsed in lists]
        print(f"tools/list ({tools} tools): median {statistics.median(times):.2f} ms, worst {max(times):.2f} ms")
        call = {"name": "get_status", "arguments": {}}
        times = sorted(client.request("tools/call", call)[1] for _ in range(options.calls))
        print(f"get_status ({options.collections} collections): median {statistics.median(times):.2f} ms, "
              f"p99 {times[len(times) * 99 // 100]:.2f} ms of {len(times)}")
        print(f"memory: client's process {memory(client.child.pid):.1f} MB, owner {memory(client.owner()):.1f} MB")
        client.close()
        subprocess.run([BINARY, "--data-dir", home, "stop"], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
