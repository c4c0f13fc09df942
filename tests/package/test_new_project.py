"""Prove a new user's journey from an empty folder to a server that an MCP client calls."""

import asyncio
import json
import signal
import zipfile
from asyncio import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.package.conftest import ROOT, TIMEOUT_S, Installation
from toolaccord.testing import postgresql

pytestmark = pytest.mark.package
UV = ROOT / ".cache/nox/bin/uv"
MOST_LINES = 80
"""Lines of a project with two tools that a user reads or writes."""


@pytest.fixture(scope="module")
def books(project: Installation) -> Installation:
    """The project that `toolaccord init` starts."""
    for command in (("init", "acme/books", "--postgresql"), ("generate",)):
        ended = project.run("toolaccord", *command)
        assert ended.returncode == 0, ended.stdout + ended.stderr
    return project


def test_a_new_server_with_two_tools_has_few_lines_of_its_own(books: Installation) -> None:
    written = ["contracts/acme/books.json", "acme_handlers/acme/books.py", "tests/acme/test_books.py"]
    written += [str(path.relative_to(books.folder)) for path in books.folder.glob("acme_handlers/**/*.sql")]
    lines = {name: len((books.folder / name).read_text(encoding="utf-8").splitlines()) for name in written}
    tools = json.loads((books.folder / written[0]).read_text(encoding="utf-8"))["tools"]
    assert len(tools) == 2
    assert len(lines) == 5
    assert sum(lines.values()) <= MOST_LINES, lines


def test_the_new_projects_check_and_tests_pass(books: Installation) -> None:
    checked = books.run("toolaccord", "check")
    assert checked.returncode == 0, checked.stdout
    tested = books.run("python", "-m", "pytest", "-q", "-W", "error")
    assert tested.returncode == 0, tested.stdout + tested.stderr
    assert " passed" in tested.stdout


@pytest.fixture(scope="module")
def database_url(books: Installation) -> Iterator[str]:
    """The URL of a real PostgreSQL with the project's tables."""
    with postgresql.temporary() as cluster:
        migrated = books.run("toolaccord", "migrate", DATABASE_URL=cluster.url())
        assert migrated.returncode == 0, migrated.stdout + migrated.stderr
        yield cluster.url()


async def test_an_mcp_client_adds_and_finds_a_book(books: Installation, database_url: str) -> None:
    command = StdioServerParameters(
        command=str(books.programs / "toolaccord"),
        args=["serve", "acme/books"],
        env={**books.environ, "DATABASE_URL": database_url},
        cwd=books.folder,
    )
    async with Client(stdio_client(command)) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == {"add_to_books", "search_books"}
        added = await client.call_tool("add_to_books", {"title": "Dubliners, James Joyce"})
        found = await client.call_tool("search_books", {"query": "joyce"})
        again = await client.call_tool("add_to_books", {"title": "Dubliners, James Joyce"})
    assert not added.is_error
    assert (found.structured_content or {})["items"] == [added.structured_content]
    assert (again.is_error, (again.structured_content or {})["error"]["code"]) == (True, "TITLE_TAKEN")


def test_a_call_before_the_migration_says_which_command_is_missing(books: Installation) -> None:
    with postgresql.temporary() as cluster:
        called = books.run("toolaccord", "call", "search_books", "query=x", DATABASE_URL=cluster.url())
    assert (called.returncode, json.loads(called.stdout)["error"]["code"]) == (1, "UNAVAILABLE")
    assert "run `toolaccord migrate acme`" in " ".join(called.stderr.split())


async def test_a_host_starts_the_unpacked_bundle_by_its_manifest(
    books: Installation, database_url: str, tmp_path: Path
) -> None:
    bundled = books.run("toolaccord", "bundle", "acme/books", "--to", str(tmp_path))
    assert bundled.returncode == 0, bundled.stdout + bundled.stderr
    folder = tmp_path / "my servers"
    with zipfile.ZipFile(tmp_path / "books-mcp-0.1.0.mcpb") as archive:
        archive.extractall(folder)
    config = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["server"]["mcp_config"]
    assert (config["command"], config["env"]) == ("uv", {"DATABASE_URL": "${user_config.database_url}"})
    # Any day has the same versions: those of the project, not the newest that uv would install.
    installed = {"UV_NO_SYNC": "1", "UV_PROJECT_ENVIRONMENT": str(books.programs.parent)}
    command = StdioServerParameters(
        command=str(UV),
        args=[argument.replace("${__dirname}", str(folder)) for argument in config["args"]],
        env={**books.environ, **installed, "DATABASE_URL": database_url},
        cwd="/",
    )
    async with Client(stdio_client(command)) as client:
        found = await client.call_tool("search_books", {"query": "nowhere"})
    assert (found.structured_content or {})["items"] == []


async def test_a_host_starts_the_installed_server_by_the_generated_configuration(
    books: Installation, database_url: str
) -> None:
    install = ("pip", "install", "--quiet", "--no-deps", "--python", books.programs / "python", "--editable", ".")
    installing = await asyncio.create_subprocess_exec(UV, *install, cwd=books.folder)
    async with asyncio.timeout(TIMEOUT_S):
        assert await installing.wait() == 0
    file = books.folder / "acme_generated/acme/books/hosts/claude-code.mcp.json"
    server = json.loads(file.read_text(encoding="utf-8"))["mcpServers"]["books-mcp"]
    assert server["env"] == {"DATABASE_URL": "${DATABASE_URL:-}"}
    command = StdioServerParameters(
        command=str(books.programs / server["command"]),
        args=server["args"],
        env={**books.environ, "DATABASE_URL": database_url},
        cwd="/",
    )
    async with Client(stdio_client(command)) as client:
        found = await client.call_tool("search_books", {"query": "nowhere"})
    assert (found.structured_content or {})["items"] == []


@asynccontextmanager
async def serve_while_writing(books: Installation) -> AsyncIterator[str]:
    """Run `toolaccord dev`, and yield the URL that it prints."""
    process = await asyncio.create_subprocess_exec(
        books.programs / "toolaccord", "dev", "acme/books", "--no-browser", "--port", "0",
        cwd=books.folder, env=books.environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr
    printed = b""
    try:
        while b"  MCP " not in printed.rpartition(b"\n")[0]:
            line = await process.stderr.readline()
            assert line, printed.decode()
            printed += line
        yield printed.partition(b"  MCP ")[2].split()[0].decode()
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
        await process.communicate()


async def test_dev_serves_a_database_with_the_projects_tables_to_clients_over_http(books: Installation) -> None:
    async with asyncio.timeout(TIMEOUT_S), serve_while_writing(books) as url:
        async with Client(url) as client:
            added = await client.call_tool("add_to_books", {"title": "Emma, Jane Austen"})
        called = await asyncio.to_thread(books.run, "toolaccord", "call", "--url", url, "search_books", "query=austen")
    assert (called.returncode, called.stderr) == (0, "")
    assert json.loads(called.stdout)["items"] == [added.structured_content]
