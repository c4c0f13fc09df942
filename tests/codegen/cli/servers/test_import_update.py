"""`import --update` merges a new document into an edited contract and edited handlers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.codegen.cli.servers.test_import_server import NAMES
from toolaccord_codegen.__main__ import main

COMMAND = ["import", "acme/books", "--from-openapi", "books.json", *NAMES]
CONTRACT, MODULE = Path("contracts/acme/books.json"), Path("imported_handlers/acme/books.py")
LOADED = {"schema": {"type": "object", "properties": {"title": {"type": "string"}}, "additionalProperties": False}}


def operation(name: str, query: str, description: str) -> dict[str, Any]:
    """Return an operation with one parameter."""
    return {
        "operationId": name,
        "description": description,
        "parameters": [{"name": query, "in": "query", "schema": {"type": "string"}}],
        "responses": {"200": {"description": "OK", "content": {"application/json": LOADED}}},
    }


def write_document(**operations: dict[str, Any]) -> None:
    """Write a document with an operation at each path."""
    paths = {f"/{path}": {"get": each} for path, each in operations.items()}
    document = {"openapi": "3.1.0", "info": {"title": "Books", "version": "1.0.0"}, "paths": paths}
    Path("books.json").write_text(json.dumps(document))


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder current into which a document of three operations is imported."""
    monkeypatch.chdir(tmp_path)
    write_document(
        a=operation("a", "x", "The first"), b=operation("b", "x", "The second"), c=operation("c", "x", "Third")
    )
    assert main(COMMAND) == 0


def edit(path: Path, old: str, new: str) -> None:
    """Replace a text that a file has."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_edits_survive_and_the_new_document_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    edit(CONTRACT, '"The first"', '"The first of mine"')
    edit(MODULE, '"b{?x}"', '"b/mine{?x}"')
    MODULE.write_text(f"{MODULE.read_text()}\n\n# mine\ndef _own() -> None: ...\n")
    write_document(
        a=operation("a", "y", "The first"), b=operation("b", "x", "Second, new"), d=operation("d", "z", "The fourth")
    )
    assert main([*COMMAND, "--update"]) == 0
    tools = {tool["name"]: tool for tool in json.loads(CONTRACT.read_text())["tools"]}
    assert {name: tool["description"] for name, tool in tools.items()} == {
        "a": "The first of mine",
        "b": "Second, new",
        "d": "The fourth",
    }
    assert list(tools["a"]["parameters"]["properties"]) == ["y"]
    text = MODULE.read_text()
    assert '"a{?y}"' in text
    assert '"b/mine{?x}"' in text
    assert "async def d(" in text
    assert "async def c(" not in text
    assert "# mine\ndef _own() -> None: ...\n" in text
    capsys.readouterr()
    main(["check", *NAMES])
    assert "Handlers: ok" in capsys.readouterr().out


def test_conflicts_are_named_and_the_edits_stay(capsys: pytest.CaptureFixture[str]) -> None:
    edit(CONTRACT, '"The first"', '"The first of mine"')
    edit(MODULE, '"a{?x}"', '"a/mine{?x}"')
    write_document(a=operation("a", "y", "The first of theirs"), b=operation("b", "x", "The second"))
    assert main([*COMMAND, "--update"]) == 1
    output = capsys.readouterr().out
    assert "yours stays, and drafts/acme/books.json has the original's:" in output
    assert "  - contracts/acme/books.json /tools/a/description\n" in output
    assert "  - imported_handlers/acme/books.py a\n" in output
    assert "The first of mine" in CONTRACT.read_text()
    assert '"a/mine{?x}"' in MODULE.read_text()
    stored = json.loads(Path("drafts/acme/books.json").read_text())
    assert '"a{?y}"' in stored["handlers"]
    assert stored["contract"]["tools"][0]["description"] == "The first of theirs"


def test_an_update_without_a_change_writes_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    edit(MODULE, '"a{?x}"', '"a/mine{?x}"')
    before = CONTRACT.read_text(), MODULE.read_text()
    assert main([*COMMAND, "--update"]) == 0
    assert (CONTRACT.read_text(), MODULE.read_text()) == before
    assert "conflict" not in capsys.readouterr().out


def test_an_update_needs_the_stored_draft(capsys: pytest.CaptureFixture[str]) -> None:
    Path("drafts/acme/books.json").unlink()
    assert main([*COMMAND, "--update"]) == 2
    assert "drafts/acme/books.json is missing: --update compares with the draft" in capsys.readouterr().err


def test_an_update_that_does_not_compile_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    edit(CONTRACT, '"description": "The first"', '"description": ""')
    before = CONTRACT.read_text(), MODULE.read_text()
    write_document(a=operation("a", "y", "The first"))
    assert main([*COMMAND, "--update"]) == 3
    assert "contracts/acme/books.json:" in capsys.readouterr().out
    assert (CONTRACT.read_text(), MODULE.read_text()) == before
