"""What the acceptance scripts share: sessions of the official Python SDK over stdio or streamable HTTP, and checks that are counted.

Needs the Python packages mcp and jsonschema.
"""

import argparse
import asyncio
import contextlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from jsonschema import Draft202012Validator
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

TOKEN = "of-the-acceptance-scripts"
OVER_HTTP = "--http" in sys.argv
ROOT = Path(__file__).resolve().parents[2]


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

    def __init__(self, session, checks, heard):
        self.session, self.checks, self.schemas = session, checks, {}
        # Notifications, in the order in which they came.
        self.heard = heard

    async def tools(self):
        tools = [tool.model_dump(by_alias=True) for tool in (await self.session.list_tools()).tools]
        self.schemas = {tool["name"]: tool["outputSchema"] for tool in tools}
        return {tool["name"]: tool for tool in tools}

    async def call(self, tool, arguments, **options):
        """The whole result. The options are those of the SDK's `call_tool`."""
        if not self.schemas:
            await self.tools()
        result = (await self.session.call_tool(tool, arguments, **options)).model_dump(by_alias=True)
        if not result["isError"] and tool in self.schemas:
            for error in Draft202012Validator(self.schemas[tool]).iter_errors(result["structuredContent"]):
                self.checks.that(False, f"{tool} {arguments}: {error.json_path}: {error.message[:300]}")
        return result


@contextlib.asynccontextmanager
async def session(program, home, checks, *options, **of_client):
    """A session of `casetrack mcp` with these options, and those of the SDK's client. Its owner ends by itself after three seconds without clients."""
    over, heard = http if OVER_HTTP else stdio, []

    async def hear(message):
        heard.append(message)

    of_client.setdefault("message_handler", hear)
    async with over(program, *started(home, options)) as streams, ClientSession(*streams, **of_client) as opened:
        await opened.initialize()
        yield Client(opened, checks, heard)


def started(home, options):
    """The arguments and the environment that a server is started with."""
    env = {**os.environ, "CASETRACK_IDLE_SECONDS": "3", "CASETRACK_TOKEN": TOKEN}
    return ["--quiet", "--data-dir", str(home), "mcp", *options], env


def stdio(program, arguments, env):
    return stdio_client(StdioServerParameters(command=program, args=arguments, env=env))


@contextlib.asynccontextmanager
async def http(program, arguments, env):
    with listening(program, arguments, env) as url:
        async with create_mcp_http_client(headers={"Authorization": f"Bearer {TOKEN}"}) as client:
            async with streamable_http_client(url, http_client=client) as streams:
                yield streams


@contextlib.contextmanager
def listening(program, arguments, env):
    """A server on a free port, which ends with this; its address is that of the endpoint."""
    server = subprocess.Popen([program, *arguments, "--http", "127.0.0.1:0"], env=env, stderr=subprocess.PIPE, text=True)
    try:
        # It says where it listens.
        said = ""
        while not (found := re.search(r"http://[0-9.:]+/mcp", said)):
            line = server.stderr.readline()
            if not line:
                sys.exit(f"{program} mcp --http ended: {said}")
            said += line
        yield found[0]
    finally:
        server.terminate()
        server.wait()


def stop(program, home):
    """Ends the owner, as `casetrack stop` does."""
    subprocess.run([program, "--quiet", "--data-dir", str(home), "stop"], check=True, stdout=subprocess.DEVNULL)


def main(description, accept):
    """Runs `accept(program, folder, checks, contract)` in an empty folder, and exits with 1 if a check failed."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(Path.home() / ".cache/casetrack-target/release/casetrack"))
    parser.add_argument("--http", action="store_true", help="over streamable HTTP instead of stdio")
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
