"""What the acceptance scripts share: sessions of the official Python SDK over stdio, and checks that are counted.

Needs the Python packages mcp and jsonschema.
"""

import argparse
import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from jsonschema import Draft202012Validator
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

ROOT = Path(__file__).resolve().parent.parent


class Checks:
    """Counts what holds, and keeps what does not."""

    def __init__(self):
        self.passed, self.failed = 0, []

    def equal(self, found, expected, what):
        self.that(found == expected, f"{what}\n    found    {found!r}\n    expected {expected!r}")

    def that(self, holds, what):
        if holds:
            self.passed += 1
        else:
            self.failed.append(what)


class Client:
    """One session. Answers are checked against the schema that is listed."""

    def __init__(self, session, checks):
        self.session, self.checks, self.schemas = session, checks, {}

    async def tools(self):
        tools = [tool.model_dump(by_alias=True) for tool in (await self.session.list_tools()).tools]
        self.schemas = {tool["name"]: tool["outputSchema"] for tool in tools}
        return {tool["name"]: tool for tool in tools}

    async def call(self, tool, arguments):
        """The whole result."""
        if not self.schemas:
            await self.tools()
        result = (await self.session.call_tool(tool, arguments)).model_dump(by_alias=True)
        if not result["isError"] and tool in self.schemas:
            for error in Draft202012Validator(self.schemas[tool]).iter_errors(result["structuredContent"]):
                self.checks.that(False, f"{tool} {arguments}: {error.json_path}: {error.message[:300]}")
        return result


@contextlib.asynccontextmanager
async def session(program, home, checks, *options):
    """A session of `casetrack mcp` with these options. Its owner ends by itself after three seconds without clients."""
    env = {**os.environ, "CASETRACK_IDLE_SECONDS": "3"}
    arguments = ["--quiet", "--data-dir", str(home), "mcp", *options]
    async with stdio_client(StdioServerParameters(command=program, args=arguments, env=env)) as streams:
        async with ClientSession(*streams) as opened:
            await opened.initialize()
            yield Client(opened, checks)


def stop(program, home):
    """Ends the owner, as `casetrack stop` does."""
    subprocess.run([program, "--quiet", "--data-dir", str(home), "stop"], check=True, stdout=subprocess.DEVNULL)


def main(description, accept):
    """Runs `accept(program, folder, checks, contract)` in an empty folder, and exits with 1 if a check failed."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(Path.home() / ".cache/casetrack-target/release/casetrack"))
    parser.add_argument("--contract", type=Path, help="the contract, in Markdown, to compare the listed schemas with")
    options = parser.parse_args()
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder).resolve()
        contract = options.contract.read_text(encoding="utf-8") if options.contract else None
        try:
            asyncio.run(accept(options.program, folder, checks, contract))
        finally:
            for home in folder.glob("home*"):
                stop(options.program, home)
    print(f"{checks.passed} checks hold, {len(checks.failed)} do not")
    print(*checks.failed, sep="\n")
    sys.exit(bool(checks.failed))
