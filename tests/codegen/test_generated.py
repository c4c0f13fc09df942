"""What golden cases generate is not only the text expected: it is typed, it is clean, it imports, and it behaves."""

import builtins
import importlib
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from codegen.compiler import Contracts, compile_folder
from codegen.emit.models import server_schemas
from codegen.emit.output_tree import write
from codegen.emit.render import rendered, result
from codegen.ir.contract import Contract
from codegen.ir.layout import Layout
from codegen.loading.references import SchemaLibrary
from tests.codegen.test_cases import CASES, laid_out
from toolpact.declarations.tool import Server
from toolpact.testing import Era, capture_logs, connect, pipeline

ROOT = Path(__file__).parents[2]
NAMES = sorted(folder.parent.name for folder in CASES.glob("*/expected"))


def handlers_text(library: SchemaLibrary, contract: Contract, package: str) -> str:
    """Handlers of a server that say nothing, but are typed as its tools ask for."""
    call = f"{contract.class_name}Call"
    schemas = server_schemas(library, contract, package)
    home = f"{package}.{contract.system}.{contract.module}"
    lines = [
        '"""Handlers."""',
        "from typing import Any",
        f"from {home} import models",
        f"from {home}.server import {call}",
        "from toolpact import Page, Row",
        "from toolpact import Provisional",
    ]
    for tool in contract.tools:
        returns = result(schemas, tool)
        lines.append(
            f"async def {tool.function}(request: models.{tool.class_name}Request, call: {call}, /) -> {returns}:"
        )
        lines.append("    raise NotImplementedError")
        for lookup in tool.lookups:
            lines.append(f"async def {lookup}(value: Any, call: {call}, /) -> Any:")
            lines.append("    raise NotImplementedError")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def compilations(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Contracts]:
    """The contracts of each case that generates something."""
    found = {}
    for name in NAMES:
        place = tmp_path_factory.mktemp(name)
        laid_out(CASES / name, place)
        found[name] = compile_folder(place / "contracts")
    return found


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory, compilations: dict[str, Contracts]) -> Path:
    """A folder with a package for each case that generates one, and its handlers beside it."""
    top = tmp_path_factory.mktemp("trees")
    for name, contracts in compilations.items():
        package, handlers = f"case_{name}", f"case_{name}_handlers"
        layout = Layout(package=package, handlers=handlers, sandbox=None, contracts="contracts", command="again")
        write(top / package, rendered(contracts, layout))
        for contract in contracts.contracts:
            room = top / handlers / contract.system
            room.mkdir(parents=True, exist_ok=True)
            for folder in (room, room.parent):
                (folder / "__init__.py").write_text('"""Handlers."""\n')
            (room / f"{contract.module}.py").write_text(handlers_text(contracts.library, contract, package))
    return top


def run(*arguments: str, trees: Path) -> str:
    """What a Python program says about the packages; empty when it is content."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{trees}", "MYPYPATH": str(trees)}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_the_generated_packages_are_strictly_typed(trees: Path) -> None:
    assert run("-m", "mypy", "--no-error-summary", str(trees), trees=trees) == ""


def test_the_generated_packages_pass_every_rule_of_the_house(trees: Path) -> None:
    packages = [f"case_{name}{end}" for name in NAMES for end in ("", "_handlers")]
    known = f"lint.isort.known-first-party = {json.dumps([*packages, 'toolpact'])}"
    # What a contract names is named so in the code; what it describes badly is described badly.
    waived = {"models": ["D1", "D301", "N8", "PLC2401"], "shared": ["D1"], "errors": ["A002"]}
    waived["server"] = ["S106"]  # the name of the setting that holds a token is none
    waived["__main__"] = ["PLC0415"]  # a server is loaded while Python looks for no garbage
    waivers = ",".join(f"**/{module}.py:{rule}" for module, rules in waived.items() for rule in rules)
    folders = [str(trees / f"case_{name}") for name in NAMES]
    said = run(
        "-m", "ruff", "check", "--no-cache", "--config", known, "--per-file-ignores", waivers, *folders, trees=trees
    )
    assert said == ""


@pytest.fixture(scope="module")
def importable(trees: Path) -> Iterator[None]:
    """The packages, where Python finds them."""
    sys.path.insert(0, str(trees))
    yield
    sys.path.remove(str(trees))


def generated(name: str, module: str) -> ModuleType:
    """A module of a case's package."""
    return importlib.import_module(f"case_{name}.{module}")


def served(name: str, room: str = "shop.stock", handlers: object = None) -> Server[Any]:
    """The server that a case generates."""
    bound = handlers or importlib.import_module(f"case_{name}_handlers.{room}")
    made: Server[Any] = generated(name, f"{room}.server").server(bound)
    return made


@pytest.mark.usefixtures("importable")
@pytest.mark.parametrize("name", NAMES)
def test_a_generated_server_says_exactly_what_its_contract_says(name: str, compilations: dict[str, Contracts]) -> None:
    for contract in compilations[name].contracts:
        server = served(name, f"{contract.system}.{contract.module}")
        assert (server.name, server.title, server.description) == (contract.name, contract.title, contract.description)
        assert [tool.name for tool in server.tools] == [tool.name for tool in contract.tools]
        for made, promised in zip(server.tools, contract.tools, strict=True):
            assert (made.parameters, made.returns) == (promised.parameters, promised.returns)
            assert (made.title, made.description) == (promised.title, promised.description)
        assert [setting.description for setting in server.settings] == [each.description for each in contract.settings]
        assert [setting.default for setting in server.settings] == [each.default for each in contract.settings]


@pytest.mark.usefixtures("importable")
@pytest.mark.parametrize("name", NAMES)
async def test_each_example_is_accepted_and_reaches_the_handler(name: str, compilations: dict[str, Contracts]) -> None:
    for contract in compilations[name].contracts:
        answers = pipeline(
            served(name, f"{contract.system}.{contract.module}"), settings={"till_url": "http://localhost"}
        )
        for tool in contract.document.value["tools"]:
            with capture_logs(logging.ERROR) as records:
                answer = await answers.call(tool["name"], tool["examples"][0]["arguments"])
            assert answer.code == contract.dialect.occasions["internal"]
            # The handlers say NotImplementedError; whatever breaks the contract would be answered before them.
            assert [record.exc_info[0] for record in records if record.exc_info] == [NotImplementedError]


@pytest.mark.usefixtures("importable")
def test_a_default_of_any_type_is_in_the_model_what_its_type_says() -> None:
    models = generated("defaults", "shop.stock.models")
    request = models.PlanRequest()
    assert request.day.isoformat() == "2026-01-01"
    assert request.at.tzinfo is not None
    assert request.id.hex.startswith("0b7e")
    assert request.from_ == request.day
    assert (request.size.cm, request.shared.cm, request.whole, request.nothing) == (1, 2, 5, None)
    assert (
        models.PlanRequest.model_validate({"from": "2026-02-03"}).model_dump(by_alias=True, mode="json")["from"]
        == "2026-02-03"
    )


class Echo:
    """Handlers of the hostile contract."""

    async def run(self, request: Any, _call: Any, /) -> Any:
        """Give back what was said."""
        models = generated("hostile", "shop.stock.models")
        return models.RunResult(echo=models.Echo(a_b=request.evil_default), tags=[request.evil])


@pytest.mark.usefixtures("importable")
@pytest.mark.parametrize("era", ["handshake", "stateless"])
async def test_a_hostile_contract_is_served_word_for_word_and_nothing_in_it_runs(
    era: Era, compilations: dict[str, Contracts]
) -> None:
    importlib.import_module("case_hostile.shop.stock.__main__")
    parameters = compilations["hostile"].contracts[0].tools[0].parameters
    evil = parameters["properties"]["evil"]["enum"]
    async with connect(served("hostile", handlers=Echo()), era=era) as client:
        assert (await client.list_tools()).tools[0].input_schema == parameters
        for word in evil:
            result = await client.call_tool("run", {"evil": word})
            assert not result.is_error
            echo = {"a b": parameters["properties"]["evil_default"]["default"]}
            assert result.structured_content == {"echo": echo, "tags": [word]}
        refused = await client.call_tool("run", {"a b": 5, "evil": evil[0]})
        assert refused.is_error
    assert not hasattr(builtins, "MARKER")


@pytest.mark.usefixtures("importable")
def test_members_with_names_of_any_kind_keep_their_values(compilations: dict[str, Contracts]) -> None:
    parameters = compilations["hostile"].contracts[0].tools[0].parameters
    said = {name: name for name, schema in parameters["properties"].items() if schema.keys() == {"type", "description"}}
    said = {name: value for name, value in said.items() if parameters["properties"][name]["type"] == "string"}
    assert len(said) > 40
    request = generated("hostile", "shop.stock.models").RunRequest.model_validate(said)
    assert request.model_dump(mode="json", by_alias=True, exclude_unset=True) == said
