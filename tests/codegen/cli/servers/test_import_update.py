"""`import --update` merges a new document into an edited contract and edited handlers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.codegen.cli.servers.test_import_server import NAMES
from toolaccord_codegen.__main__ import main
from toolaccord_codegen.cli.start.handler_merge import HandlerMerge

COMMAND = ["import", "acme/books", "--from-openapi", "books.json", *NAMES]
CONTRACT, MODULE = Path("contracts/acme/books.json"), Path("imported_handlers/acme/books.py")
STORED = Path("drafts/acme/books.json")
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


@pytest.mark.parametrize("path", [STORED, CONTRACT, MODULE])
def test_an_update_needs_the_stored_draft_and_what_became_of_it(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.unlink()
    assert main([*COMMAND, "--update"]) == 2
    assert f"{path} is missing: --update compares with the draft" in capsys.readouterr().err
    assert not path.exists()


@pytest.mark.parametrize(
    "path, text, sentence",
    [
        (STORED, "{}", f"{STORED} is no stored draft; restore it, or draft anew with --force"),
        (STORED, "[" * 100_000, f"{STORED} is not JSON: "),
        (STORED, '{"contract": {}, "handlers": "("}', f"the stored draft of {MODULE} is no Python: "),
        (MODULE, "import a\nb = (\n", f"{MODULE} is no Python: '(' was never closed in line 2; mend the handlers"),
        (MODULE, "import a; b = (\n)\n", f"the merge into {MODULE} is no Python: "),
    ],
)
def test_an_update_of_odd_files_is_rejected(
    path: Path, text: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path.write_text(text)
    before = CONTRACT.read_bytes(), MODULE.read_bytes()
    write_document(d=operation("d", "x", "The fourth"))
    assert main([*COMMAND, "--update"]) == 2
    assert sentence in capsys.readouterr().err
    assert (CONTRACT.read_bytes(), MODULE.read_bytes()) == before


@pytest.mark.parametrize("text", ["{", "[]", '{"$defs": [{}]}'])
def test_an_update_beside_odd_shared_schemas_names_their_file(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("contracts/shared.json").write_text(text)
    assert main([*COMMAND, "--update"]) == 3
    assert "contracts/shared.json:1:" in capsys.readouterr().out


SEPARATORS = '"a\x0cb\x1cc\x1dd\x1ee\x85f\u2028g\u2029h"'


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_end_in_the_merge_where_python_ends_them(end: str) -> None:
    own = f"OWN = {SEPARATORS}\n\n\ndef own():\n    return {SEPARATORS}\n"
    old = "import os\n\n\ndef a():\n    return os\n"
    edited = f"import os\n\n{own}\n\ndef a():\n    return os\n".replace("\n", end)
    new = f"import os\n\n\ndef a():\n    return os, {SEPARATORS}\n"
    merge = HandlerMerge(MODULE)
    assert merge.merge(old, edited, new) == edited.replace("return os", f"return os, {SEPARATORS}")
    assert merge.conflicts == []


def test_imports_are_added_behind_the_last_one_wherever_it_is() -> None:
    old = "def a():\n    return 1\n\n\nimport os  # noqa\n"
    body = "    print(re)\n" * 5
    new = f"import re\n\n\ndef a():\n{body}"
    assert HandlerMerge(MODULE).merge(old, old, new) == (f"def a():\n{body}\n\nimport os  # noqa\nimport re\n")


@pytest.mark.parametrize("mine", ["def a() -> int:\n    return 1\n", "async def a():\n    return 1\n"])
def test_another_kind_or_result_of_a_function_is_a_change(mine: str) -> None:
    merge = HandlerMerge(MODULE)
    assert merge.merge("def a():\n    return 1\n", mine, "def a():\n    return 2\n") == mine
    assert merge.conflicts == ["a"]


def test_an_update_that_does_not_compile_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    edit(CONTRACT, '"description": "The first"', '"description": ""')
    before = CONTRACT.read_text(), MODULE.read_text()
    write_document(a=operation("a", "y", "The first"))
    assert main([*COMMAND, "--update"]) == 3
    assert "contracts/acme/books.json:" in capsys.readouterr().out
    assert (CONTRACT.read_text(), MODULE.read_text()) == before
