"""A project outside this checkout: it is generated, typed, served on stdio and called."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult

from tests.codegen.conftest import UP_TO_DATE
from tests.services.type_checker import check_types

ROOT = Path(__file__).parents[3]
CONTRACT = """{
  "contract": 1,
  "server": {"name": "library-mcp", "title": "Library", "version": "1.0.0", "description": "Books, and who has them."},
  "dialect": "plain",
  "settings": {"greeting": {"env": "GREETING", "description": "How readers are greeted", "default": "Hello"}},
  "tools": [
    {
      "name": "greet",
      "version": "1.0.0",
      "description": "Greet a reader",
      "effects": {"elsewhere": "nothing"},
      "parameters": {
        "type": "object",
        "properties": {
          "name": {"type": "string", "maxLength": 10, "description": "Name of the reader, up to 10 characters"},
          "since": {"type": "string", "format": "date", "default": "2026-01-01", "description": "First day of the reader as YYYY-MM-DD, default 2026-01-01"}
        },
        "required": ["name"],
        "additionalProperties": false
      },
      "returns": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": false
      },
      "errors": [
        {"code": "NAME_TOO_LONG", "description": "The name is too long", "http": 400, "when": {"at": ["/name"], "keyword": "maxLength"}},
        {"code": "UNKNOWN_READER", "description": "Nobody is called so", "http": 404, "details": {"name": {"type": "string"}}}
      ],
      "deadline": {"timeout_ms": 5000},
      "examples": [{"arguments": {"name": "Ann"}, "returns": {"text": "Hello Ann"}}]
    },
    {
      "name": "list_books",
      "version": "1.0.0",
      "description": "All books",
      "effects": {"elsewhere": "nothing"},
      "parameters": {
        "type": "object",
        "properties": {
          "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 2, "description": "Books a page, up to 50, default 2"},
          "offset": {"type": "integer", "minimum": 0, "maximum": 1000, "default": 0, "description": "Books to skip, up to 1000"}
        },
        "additionalProperties": false
      },
      "returns": {
        "type": "object",
        "properties": {
          "items": {"type": "array", "maxItems": 50, "items": {"$ref": "../shared.json#/$defs/Book"}},
          "pagination": {
            "type": "object",
            "properties": {
              "offset": {"type": "integer"},
              "limit": {"type": "integer"},
              "total": {"type": "integer"},
              "has_more": {"type": "boolean"}
            },
            "required": []
          }
        },
        "required": ["items", "pagination"]
      },
      "errors": [],
      "pagination": "offset",
      "deadline": {"timeout_ms": 5000},
      "examples": [{"arguments": {}, "returns": {"items": [], "pagination": {}}}]
    }
  ]
}
"""
SHARED = """{
  "$defs": {
    "Book": {
      "type": "object",
      "description": "A book",
      "properties": {"title": {"type": "string"}, "class": {"type": "string"}},
      "required": ["title", "class"]
    }
  }
}
"""
HANDLERS = '''"""Handlers of the library."""

from acme.city.errors import UnknownReader
from acme.city.library.models import GreetRequest, GreetResult, ListBooksRequest
from acme.city.library.server import LibraryCall
from acme.shared import Book
from toolaccord import Page

BOOKS = [Book(title=title, class_="novel") for title in ("Emma", "Ulysses", "Dune")]


async def greet(request: GreetRequest, call: LibraryCall) -> GreetResult:
    """Greet a reader."""
    if request.name == "Nobody":
        raise UnknownReader("Nobody is called so", name=request.name)
    return GreetResult(text=f"{call.settings.greeting} {request.name} of {request.since.year}")


async def list_books(request: ListBooksRequest, _call: LibraryCall) -> Page[Book]:
    """All books."""
    return Page(BOOKS[request.offset : request.offset + request.limit], total=len(BOOKS))
'''
CALLING = '''"""Calls the library."""

import asyncio
from datetime import date

from acme.city.errors import NameTooLong, UnknownReader
from acme.city.library.client import LIST_BOOKS, LibraryClient
from acme.city.library.models import GreetRequest, ListBooksRequest

SINCE = date(2025, 3, 1)


async def main() -> None:
    """Greet, list, and be refused."""
    async with LibraryClient.stdio(env={"PYTHONPATH": "%s"}) as client:
        print((await client.greet(GreetRequest(name="Ann", since=SINCE))).text)
        async for page in client.pages(LIST_BOOKS, ListBooksRequest(limit=2)):
            print(*(book.class_ + " " + book.title for book in page.items or []))
        try:
            await client.greet(GreetRequest(name="Nobody", since=SINCE))
        except UnknownReader as error:
            print(error.details)
        try:
            await client.greet(GreetRequest.model_construct(name="A" * 11))
        except NameTooLong as error:
            print(error.details["violations"][0]["at"])


asyncio.run(main())
'''
WRONG = HANDLERS.replace("-> Page[Book]", "-> Page[str]").replace(
    "Page(BOOKS[request.offset", "Page([str(x) for x in BOOKS][request.offset"
)


def program(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a Python module in a folder outside the checkout."""
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": f"{ROOT}"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Generate a package from contracts outside this checkout, beside its handlers."""
    folder = tmp_path_factory.mktemp("acme_project")
    files = {
        "contracts/city/library.json": CONTRACT,
        "contracts/shared.json": SHARED,
        "acme_handlers/__init__.py": "",
        "acme_handlers/city/__init__.py": "",
        "acme_handlers/city/library.py": HANDLERS,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    done = program(folder, "toolaccord_codegen", "generate", "--package", "acme", "--handlers", "acme_handlers")
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def test_the_package_is_checked_in_its_own_folder(project: Path) -> None:
    done = program(project, "toolaccord_codegen", "check", "--package", "acme", "--handlers", "acme_handlers")
    assert (done.returncode, done.stdout) == (
        0,
        UP_TO_DATE.replace("handlers matches", "acme_handlers matches"),
    )


def test_package_and_handlers_are_strictly_typed_together(project: Path) -> None:
    assert check_types(project, "acme", "acme_handlers") == ""


def test_a_handler_that_returns_something_else_is_a_type_error(project: Path) -> None:
    wrong = project / "wrong"
    wrong.mkdir()
    (wrong / "handlers.py").write_text(WRONG, encoding="utf-8")
    (wrong / "bound.py").write_text(
        "from acme.city.library.server import server\nfrom wrong import handlers\n\nserver(handlers)\n"
    )
    assert "Page[str]" in check_types(project, "wrong/bound.py")


def test_details_that_the_contract_does_not_declare_are_a_type_error(project: Path) -> None:
    (project / "raising.py").write_text(
        "from acme.city.errors import NameTooLong, UnknownReader\n\n"
        'NameTooLong("no")\nUnknownReader("no", name="x")\n'
        'NameTooLong("no", {"name": "x"})\nUnknownReader("no", name="x", age=1)\n'
    )
    said = check_types(project, "raising.py")
    assert [line.split(": ")[0] for line in said.splitlines() if ": error: " in line] == [
        "raising.py:5",
        "raising.py:6",
    ]


def structured_content(result: CallToolResult) -> object:
    """Return the structured content of a result."""
    return result.structured_content


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_a_real_client_calls_the_server_on_stdio(era: str, project: Path) -> None:
    how = StdioServerParameters(
        command=sys.executable,
        args=["-m", "acme.city.library"],
        env={"PYTHONPATH": f"{ROOT}{os.pathsep}{project}", "GREETING": "Good day"},
        cwd=str(project),
    )
    async with Client(stdio_client(how), mode=era) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["greet", "list_books"]
        greeting = await client.call_tool("greet", {"name": "Ann"})
        assert structured_content(greeting) == {"text": "Good day Ann of 2026"}
        unknown = await client.call_tool("greet", {"name": "Nobody"})
        error = {"code": "UNKNOWN_READER", "message": "Nobody is called so", "details": {"name": "Nobody"}}
        assert (unknown.is_error, structured_content(unknown)) == (True, {"error": error})
        long = await client.call_tool("greet", {"name": "A" * 11})
        assert "NAME_TOO_LONG" in str(structured_content(long))
        page = await client.call_tool("list_books", {"offset": 2})
        assert structured_content(page) == {
            "items": [{"title": "Dune", "class": "novel"}],
            "pagination": {"offset": 2, "limit": 2, "total": 3, "has_more": False},
        }


def test_the_typed_client_calls_the_server_of_its_own_package(project: Path) -> None:
    (project / "calling.py").write_text(CALLING % f"{ROOT}{os.pathsep}{project}")
    assert check_types(project, "calling.py") == ""
    done = program(project, "calling")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "Hello Ann of 2025",
        "novel Emma novel Ulysses",
        "novel Dune",
        "{'name': 'Nobody'}",
        "/name",
    ]


def test_help_names_the_setting_and_no_sandbox(project: Path) -> None:
    done = program(project, "acme.city.library", "--help")
    assert done.returncode == 0
    assert "GREETING (default Hello)" in done.stdout
    assert "--sandbox" not in done.stdout
