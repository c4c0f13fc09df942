"""`import` writes a contract that compiles, its handlers, and its differences."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from toolaccord.testing.sources import FakeHttp
from toolaccord_codegen.__main__ import main
from toolaccord_codegen.cli.call import command as call_command
from toolaccord_codegen.cli.servers import import_server, server_lists

SERVER = Path(__file__).with_name("listing_server.py")
FROM_SERVER = f"{sys.executable} {SERVER}"
NAMES = ("--package", "imported", "--handlers", "imported_handlers")
BOOKS = {
    "openapi": "3.0.3",
    "info": {"title": "Books", "version": "1.0.0"},
    "paths": {
        "/books/{isbn}": {
            "get": {
                "operationId": "getBook",
                "parameters": [
                    {"name": "isbn", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "full", "in": "query", "schema": {"type": "boolean"}},
                ],
                "responses": {
                    "200": {
                        "description": "OK",
                        "content": {"application/json": {"schema": {"type": "array", "items": {"type": "string"}}}},
                    }
                },
            }
        }
    },
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Make a folder current that has a server imported from another one, and one from OpenAPI."""
    folder, before = tmp_path_factory.mktemp("project"), Path.cwd()
    os.chdir(folder)
    (folder / "books.yaml").write_text(json.dumps(BOOKS))  # any JSON is YAML
    (folder / "tab.yaml").write_text("openapi: 3.1.0\n\tpaths: {}\n")
    assert main(["import", "acme/library", "--from-server", FROM_SERVER, "--report", "losses.json", *NAMES]) == 0
    assert main(["import", "acme/books", "--from-openapi", "books.yaml", *NAMES]) == 0
    yield folder
    os.chdir(before)


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("command", ["import", "tools"])
def test_a_list_whose_cursors_never_end_is_an_error(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    for module in (server_lists, call_command):
        monkeypatch.setattr(module, "MOST_PAGES", 5)
    options = ["acme/endless", "--from-server"] if command == "import" else ["--command"]
    assert main([command, *options, f"{FROM_SERVER} endless", *(NAMES if command == "import" else ())]) == 2
    assert "the server lists more than 5 pages" in capfd.readouterr().err


@pytest.mark.usefixtures("project")
def test_the_name_of_a_server_cannot_control_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "acme/hostile", "--from-server", f"{FROM_SERVER} hostile", *NAMES]) == 0
    printed = capfd.readouterr().out
    assert "of Lib\\x1b[2J\\x9b\\u202erary 1.0.0\n" in printed
    assert printed.replace("\n", "").isprintable()


def test_a_running_server_becomes_a_contract_with_every_page_of_its_tools(project: Path) -> None:
    contract = json.loads((project / "contracts/acme/library.json").read_bytes())
    assert [tool["name"] for tool in contract["tools"]] == ["search", "forget_it"]
    assert [prompt["name"] for prompt in contract["prompts"]] == ["recommend"]
    assert contract["server"]["title"] == "Library"


def test_the_report_has_every_difference(project: Path) -> None:
    report = json.loads((project / "losses.json").read_bytes())
    assert report["origin"] == "Library 1.0.0"
    assert [(loss["owner"], loss["pointer"], loss["effect"]) for loss in report["losses"]] == [
        ("tool search", "/inputSchema/properties/query/not", "wider"),
        ("tool search", "/inputSchema/additionalProperties", "narrower"),
        ("tool forget it", "/name", "narrower"),
    ]


def test_a_draft_has_nothing_to_mend_but_lint(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert project.is_dir()
    main(["check", *NAMES])
    output = capsys.readouterr().out
    assert "Files: ok" in output
    assert "Handlers: ok" in output


def test_the_handler_of_a_readable_operation_is_complete(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(project))
    handlers = importlib.import_module("imported_handlers.acme.books")
    models = importlib.import_module("imported.acme.books.models")
    service = FakeHttp({"books/1%2F2%20%3F?full=true": ["Dubliners"]})
    call = SimpleNamespace(upstream=service)
    result = asyncio.run(handlers.getbook(models.GetBookRequest(isbn="1/2 ?", full=True), call))
    assert service.sent == [("GET", "books/{isbn}{?full}", {"values": {"isbn": "1/2 ?", "full": True}})]
    assert result.items == ["Dubliners"]


def test_a_draft_without_open_work_names_none(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = {"application/json": {"schema": {"$ref": "more.yaml#/Pong"}}}
    get = {"operationId": "ping", "responses": {"200": {"description": "OK", "content": content}}}
    document = {"openapi": "3.1.0", "info": {"title": "Ping", "version": "1.0.0"}, "paths": {"/ping": {"get": get}}}
    (project / "ping.json").write_text(json.dumps(document))
    assert main(["import", "acme/ping", "--from-openapi", "ping.json", *NAMES]) == 0
    output = capsys.readouterr().out
    assert "$ref dropped: it leads to no schema of the document" in output
    assert "To do" not in output


def test_existing_files_stay(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = project / "imported_handlers/acme/books.py"
    written = f"{module.read_text()}\n\nasync def _mine() -> None: ...\n"
    module.write_text(written)
    arguments = ["import", "acme/books", "--from-openapi", "books.yaml", *NAMES]
    assert main(arguments) == 2
    assert "contracts/acme/books.json exists already" in capsys.readouterr().err
    assert main([*arguments, "--force"]) == 0
    assert "kept    imported_handlers/acme/books.py" in capsys.readouterr().out
    assert module.read_text() == written


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ([], "give exactly one origin"),
        (["--from-tools", "a.json", "--from-url", "http://127.0.0.1:1"], "give exactly one origin"),
        (["--from-tools", "missing.json"], "missing.json"),
        (["--from-tools", "books.yaml"], "books.yaml: it holds no tools"),
        (["--from-openapi", "losses.json"], 'losses.json: it is no OpenAPI document: it has no key "openapi"'),
        (["--from-openapi", "missing.yaml"], "missing.yaml: No such file or directory\n"),
        (["--from-openapi", "https://books.example/openapi.json"], "reads a file: download the document first"),
        (["--from-openapi", "tab.yaml"], "tab.yaml:2 is not YAML: found character '\\t' that cannot start any token"),
        (["--from-openapi", "books.yaml", "--tag", "x"], "books.yaml: it has no such operation"),
        (["--from-server", f"{FROM_SERVER} invalid"], "its tools: it is not MCP: tools.0.inputSchema: Field required"),
        (["--from-server", "nosuch x"], "there is no program nosuch to start; install it, or correct --from-server"),
        (["--from-server", "'nosuch"], "--from-server 'nosuch: no closing quotation"),
        (["--from-server", "echo no key"], 'No answer from "echo no key": Connection closed.\n  no key\n'),
        (["--from-url", "http://127.0.0.1:1/mcp", "--token-env", "UNSET_TOKEN"], "UNSET_TOKEN of --token-env is not"),
        (["--from-url", "http://127.0.0.1:1/mcp"], "No answer from the server at http://127.0.0.1:1/mcp: "),
    ],
)
def test_an_origin_that_cannot_be_read_is_reported(
    arguments: list[str], sentence: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", "acme/other", *arguments, *NAMES]) == 2
    assert sentence in capsys.readouterr().err
    assert not (project / "contracts/acme/other.json").exists()


def test_a_reference_to_another_document_reads_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = ["file:///etc/passwd", "/etc/hosts", "losses.json#/origin", "http://127.0.0.1:1/x"]
    references = [{"$ref": place} for place in places]
    get = {"operationId": "x", "parameters": references, "responses": {"200": references[0]}}
    (project / "referring.json").write_text(json.dumps(BOOKS | {"paths": {"/x": {"get": get}}}))
    opened: list[str] = []
    monkeypatch.setattr(Path, "read_text", _recording(Path.read_text, opened))
    assert main(["import", "acme/referring", "--from-openapi", "referring.json", *NAMES]) == 0
    assert "referring.json" in opened
    assert not {"/etc/passwd", "/etc/hosts", "losses.json"} & {*opened}
    contract = (project / "contracts/acme/referring.json").read_text()
    assert [place for place in places if place in contract] == []


def _recording(read: Any, opened: list[str]) -> Any:
    """Return a function that notes each file before it is read."""

    def read_text(path: Path, **options: Any) -> Any:
        opened.append(str(path))
        return read(path, **options)

    return read_text


def test_aliases_that_would_fill_the_memory_are_rejected(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_server, "LARGEST_JSON", 10_000)
    lines = [
        'a: &a "x"',
        *(f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]" for before, name in pairwise("abcdefghij")),
    ]
    (project / "bomb.yaml").write_text("\n".join(lines))
    assert main(["import", "acme/bomb", "--from-openapi", "bomb.yaml", *NAMES]) == 2
    assert "bomb.yaml is larger than 10,000 characters as JSON" in capsys.readouterr().err


def test_a_draft_that_does_not_compile_beside_other_contracts_is_not_written(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", "beta/library", "--from-server", "touch started", *NAMES]) == 3
    assert "contracts/beta/library.json:4:" in (output := capsys.readouterr().out)
    assert "SERVER_TAKEN: contracts/acme/library.json already has" in output
    assert not (project / "contracts/beta").exists()
    assert not (project / "started").exists()


def test_a_list_that_fails_leaves_the_others(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "acme/partly", "--from-server", f"{FROM_SERVER} mute", *NAMES]) == 0
    output = " ".join(capsys.readouterr().out.split())
    assert "drafted 2 tools of Library 1.0.0" in output
    for key in ("resources", "resourceTemplates", "prompts"):
        assert f"{key} dropped: the server does not send this list: unknown" in output
    assert (project / "contracts/acme/partly.json").exists()
