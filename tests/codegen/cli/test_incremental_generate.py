"""Test that a generate after edits gives what a generate from nothing gives, with less work."""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.codegen.conftest import Command
from toolaccord.testing import progress
from toolaccord_codegen import compiler
from toolaccord_codegen.cli import generate
from toolaccord_codegen.cli.check_cache import FOLDER
from toolaccord_codegen.emit import render
from toolaccord_codegen.emit.output_tree import list_files
from toolaccord_codegen.ir.contract import Contract

ACME = ("--package", "acme")
STOCK, ORDERS = Path("contracts/shop/stock.json"), Path("contracts/shop/orders.json")
SHARED, DIALECTS = Path("contracts/shared.json"), Path("contracts/dialects.json")
NOTE = Path("contracts/shop/note.md")
OWN_DIALECTS = Path(__file__).parents[3] / "contracts" / "dialects.json"
SIZE = {"type": "object", "description": "A size.", "properties": {"width": {"type": "integer", "maximum": 9}}}

Edit = Callable[[int], object]
"""An edit of some file; its number makes it differ from the same edit before."""


def edit_json(path: Path, change: Callable[[Any], object]) -> None:
    """Change the value of a JSON file."""
    value = json.loads(path.read_text(encoding="utf-8"))
    change(value)
    path.write_text(json.dumps(value), encoding="utf-8")


def change_bound(path: Path, name: str, number: int) -> None:
    """Change the maximum of a schema that contracts refer to."""
    edit_json(path, lambda value: value["$defs"][name]["properties"]["width"].update(maximum=number))


def add_or_remove_server(_number: int) -> None:
    """Add a third server, or remove it."""
    third = STOCK.with_name("third.json")
    if third.exists():
        third.unlink()
    else:
        third.write_text(STOCK.read_text().replace('"stock"', '"third"'))


EDITS: dict[str, Edit] = {
    "words": lambda number: edit_json(ORDERS, lambda value: value["server"].update(title=f"Orders {number}")),
    "schema": lambda number: edit_json(
        ORDERS, lambda value: value["tools"][0]["returns"]["properties"].update({f"more_{number}": {"type": "string"}})
    ),
    "shared schema": lambda number: change_bound(SHARED, "Box", 10 + number),
    "name of a shared schema": lambda number: edit_json(
        SHARED, lambda value: value["$defs"].update({f"Box{number}": SIZE})
    ),
    "schema of another contract": lambda number: change_bound(STOCK, "Size", 10 + number),
    "dialect": lambda number: edit_json(DIALECTS, lambda value: value["ours"].update(description=f"Ours {number}.")),
    "content": lambda number: NOTE.write_text(f"Note {number}\n"),
    "server": add_or_remove_server,
    "generated file": lambda number: Path("acme/shop/stock/models.py").write_text(f"# {number}\n"),
    "generated file removed": lambda _number: Path("acme/shop/orders/openapi.json").unlink(missing_ok=True),
}


@pytest.fixture
def two_servers(shop: Path) -> Path:
    """Add a second server, which uses schemas of the first one and of a shared file."""
    resource = {
        "name": "note",
        "uri": "shop://note",
        "description": "A note.",
        "mime_type": "text/markdown",
        "content": "text",
        "static": {"file": "note.md"},
        "cache": {"ttl_s": 60, "scope": "public"},
    }

    def complete(contract: Any) -> None:
        contract["$defs"] = {"Size": SIZE}
        contract["tools"][0]["returns"]["properties"]["width"] = {"$ref": "#/$defs/Size"}
        contract["dialect"] = "ours"

    def refer(contract: Any) -> None:
        contract["server"]["name"] = "orders"
        members = contract["tools"][0]["returns"]["properties"]
        del contract["$defs"]
        members["width"] = {"$ref": "stock.json#/$defs/Size"}
        members["box"] = {"$ref": "../shared.json#/$defs/Box"}
        contract["resources"] = [resource]

    DIALECTS.write_text(json.dumps({"ours": json.loads(OWN_DIALECTS.read_text(encoding="utf-8"))["plain"]}))
    SHARED.write_text(json.dumps({"$defs": {"Box": SIZE}}))
    NOTE.write_text("Note\n")
    edit_json(STOCK, complete)
    shutil.copy(STOCK, ORDERS)
    edit_json(ORDERS, refer)
    return shop


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the servers that are rendered from now on."""
    done: list[str] = []
    real = render._render_server

    def counted(contracts: compiler.Contracts, contract: Contract, *others: Any) -> Any:
        done.append(contract.name)
        return real(contracts, contract, *others)

    monkeypatch.setattr(render, "_render_server", counted)
    return done


def generate_files(command: Command) -> None:
    """Run the command, which must find no problem."""
    status, printed = command("generate", *ACME)
    assert status == 0, printed


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the content of every file of a folder."""
    return {path: (folder / path).read_bytes() for path in list_files(folder)}


def write_contracts(files: dict[str, bytes]) -> None:
    """Make the contracts folder hold some files and no others."""
    shutil.rmtree("contracts")
    for path, content in files.items():
        place = Path("contracts", path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


@pytest.mark.usefixtures("two_servers")
def test_any_sequence_of_edits_gives_the_files_of_a_generate_from_nothing(command: Command) -> None:
    first = read_files(Path("contracts"))

    @given(st.lists(st.sampled_from(sorted(EDITS)), min_size=2, max_size=4))
    @settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def check(names: Sequence[str]) -> None:
        write_contracts(first)
        generate_files(command)
        for number, name in enumerate(names):
            EDITS[name](number)
            generate_files(command)
        after_edits = read_files(Path("acme"))
        for folder in (FOLDER, Path("acme")):
            shutil.rmtree(folder)
        generate_files(command)
        assert after_edits == read_files(Path("acme"))

    check()


@pytest.mark.usefixtures("two_servers")
@pytest.mark.parametrize(
    "edit, servers",
    [
        ("words", ["orders"]),
        ("schema", ["orders"]),
        ("schema of another contract", ["orders", "stock"]),
        ("shared schema", ["orders"]),
        ("name of a shared schema", ["orders", "stock"]),
        ("dialect", ["orders", "stock"]),
        ("content", ["orders", "stock"]),
        ("generated file", ["stock"]),
        ("generated file removed", ["orders"]),
    ],
)
def test_only_servers_that_an_edit_concerns_are_rendered_again(
    edit: str, servers: list[str], command: Command, rendered: list[str]
) -> None:
    generate_files(command)
    rendered.clear()
    EDITS[edit](1)
    generate_files(command)
    assert rendered == servers


@pytest.mark.usefixtures("two_servers")
def test_an_unchanged_generate_compiles_nothing_and_says_so(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    generate_files(command)
    monkeypatch.setattr(generate, "compile_project", None)
    assert command("generate", *ACME) == (0, "2 servers with 2 tools in acme; nothing changed\n")


@pytest.mark.usefixtures("two_servers")
def test_another_compiler_renders_every_server_again(
    command: Command, rendered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    generate_files(command)
    rendered.clear()
    monkeypatch.setattr(generate, "digest_compiler", lambda: "another one")
    generate_files(command)
    assert rendered == ["orders", "stock"]


@pytest.mark.usefixtures("two_servers")
def test_a_fault_that_an_edit_of_another_contract_causes_is_found(command: Command) -> None:
    generate_files(command)
    edit_json(STOCK, lambda value: value.pop("$defs"))
    status, printed = command("generate", *ACME)
    assert status == 3
    assert "contracts/shop/orders.json" in printed


@pytest.mark.usefixtures("two_servers")
def test_files_that_exchange_their_contents_are_generated_again(command: Command, rendered: list[str]) -> None:
    other = NOTE.with_name("other.md")
    resource = json.loads(ORDERS.read_text(encoding="utf-8"))["resources"][0]

    def show(path: Path, *files: str) -> None:
        shown = [
            {**resource, "name": f"file_{at}", "uri": f"shop://{at}", "static": {"file": file}}
            for at, file in enumerate(files)
        ]
        edit_json(path, lambda contract: contract.update(resources=shown))

    other.write_text("Other\n")
    show(STOCK, other.name)
    generate_files(command)
    rendered.clear()
    show(ORDERS, other.name, NOTE.name)
    other.write_text("Note\n")
    NOTE.write_text("Other\n")
    generate_files(command)
    assert rendered == ["orders", "stock"]


@pytest.mark.usefixtures("two_servers")
def test_a_person_who_waits_sees_which_server_is_generated(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[int, int, str]] = []
    monkeypatch.setattr(progress.Line, "show", lambda _, *part: shown.append(part))
    generate_files(command)
    generate_files(command)
    assert shown == [(0, 2, "shop/orders"), (1, 2, "shop/stock")], "a run without changes compiles nothing"
