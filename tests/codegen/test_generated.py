"""Packages that golden cases generate: types, lint, import, and behaviour in calls."""

import ast
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

from tests.codegen.test_cases import CASES, copy_input
from tests.servers.harness import without_key_stores
from tests.services.type_checker import check_types
from toolaccord.declarations.tool import Server
from toolaccord.semantics.published_schemas import publish_schema
from toolaccord.testing import Era, capture_logs, connect, pipeline
from toolaccord_codegen.compiler import Contracts, compile_folder
from toolaccord_codegen.emit.models import collect_server_schemas
from toolaccord_codegen.emit.output_tree import write_tree
from toolaccord_codegen.emit.render import annotate_result, render_tree
from toolaccord_codegen.emit.templating import annotate_resource
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.loading.references import SchemaLibrary

ROOT = Path(__file__).parents[2]
NAMES = sorted(folder.parent.name for folder in CASES.glob("*/expected"))


def write_handlers(library: SchemaLibrary, contract: Contract, package: str) -> str:
    """Write handlers of a server with the right types, which raise NotImplementedError."""
    call = f"{contract.class_name}Call"
    schemas = collect_server_schemas(library, contract, package)
    module = f"{package}.{contract.system}.{contract.module}"
    lines = [
        '"""Handlers."""',
        "from collections.abc import Mapping, Sequence",
        "from typing import Any",
        f"from {module} import models",
        f"from {module}.server import {call}",
        "from toolaccord import Page, Row, content",
        "from toolaccord import Provisional",
    ]
    for tool in contract.tools:
        returns = annotate_result(schemas, tool)
        lines.append(
            f"async def {tool.function}(request: models.{tool.class_name}Request, call: {call}, /) -> {returns}:"
        )
        lines.append("    raise NotImplementedError")
        for lookup in tool.lookups:
            lines.append(f"async def {lookup}(value: Any, call: {call}, /) -> Any:")
            lines.append("    raise NotImplementedError")
    for resource in contract.read_resources:
        request, returns = f"models.{resource.class_name}Request", annotate_resource(resource)
        lines.append(f"async def {resource.function}(request: {request}, call: {call}, /) -> {returns}:")
        lines.append("    raise NotImplementedError")
    for prompt in contract.prompts:
        request = f"models.{prompt.class_name}Request"
        lines.append(f"async def {prompt.function}(request: {request}, call: {call}, /) -> Sequence[content.Message]:")
        lines.append("    raise NotImplementedError")
    completions = [each for resource in contract.resources for each in resource.completions]
    completions += [each for prompt in contract.prompts for each in prompt.completions]
    for completion in completions:
        is_listed = completion.ttl_s is not None
        prefix, values = ("", "Mapping[str, Sequence[str]]") if is_listed else ("prefix: str, ", "Sequence[str]")
        lines.append(f"async def {completion.function}({prefix}call: {call}, /) -> {values}:")
        lines.append("    raise NotImplementedError")
    return "\n".join(lines) + "\n"


AGENT_HANDLER = '''"""Handler."""
from typing import Any
async def answer(request: Any, call: Any, /) -> Any:
    raise NotImplementedError
'''


@pytest.fixture(scope="module")
def compilations(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Contracts]:
    """The compiled contracts of each case that generates files."""
    found = {}
    for name in NAMES:
        folder = tmp_path_factory.mktemp(name)
        copy_input(CASES / name, folder)
        found[name] = compile_folder(folder / "contracts")
    return found


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory, compilations: dict[str, Contracts]) -> Path:
    """A folder with a generated package and its handlers for each case."""
    top = tmp_path_factory.mktemp("trees")
    for name, contracts in compilations.items():
        package, handlers = f"case_{name}", f"case_{name}_handlers"
        layout = Layout(package=package, handlers=handlers, sandbox=None, contracts="contracts", command="again")
        write_tree(top / package, render_tree(contracts, layout))
        modules = {
            (contract.system, contract.module): write_handlers(contracts.library, contract, package)
            for contract in contracts.contracts
        }
        modules |= {(agent.system, agent.module): AGENT_HANDLER for agent in contracts.agents}
        for (system, module), text in modules.items():
            folder = top / handlers / system
            folder.mkdir(parents=True, exist_ok=True)
            for each in (folder, folder.parent):
                (each / "__init__.py").write_text('"""Handlers."""\n')
            (folder / f"{module}.py").write_text(text)
    return top


def run(*arguments: str, trees: Path) -> str:
    """Run a Python program on the packages; return its output if it fails, else an empty string."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{trees}", "MYPYPATH": str(trees)}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_the_generated_packages_are_strictly_typed(trees: Path) -> None:
    assert check_types(trees, ".") == ""


def test_the_generated_packages_pass_every_lint_rule_of_this_repository(trees: Path) -> None:
    packages = [f"case_{name}{end}" for name in NAMES for end in ("", "_handlers")]
    known = f"lint.isort.known-first-party = {json.dumps([*packages, 'toolaccord'])}"
    # Names and descriptions of the contract appear in the code as they are.
    waived = {"models": ["D1", "D301", "N8", "PLC2401"], "shared": ["D1"], "errors": ["A002"]}
    waived["server"] = waived["agent"] = ["S106"]  # the name of a setting, not a secret
    waived["__main__"] = ["PLC0415"]  # the server is imported while garbage collection is off
    waivers = ",".join(f"**/{module}.py:{rule}" for module, rules in waived.items() for rule in rules)
    folders = [str(trees / f"case_{name}") for name in NAMES]
    output = run(
        "-m", "ruff", "check", "--no-cache", "--config", known, "--per-file-ignores", waivers, *folders, trees=trees
    )
    assert output == ""


@pytest.mark.parametrize("name", NAMES)
def test_docstrings_start_with_a_summary_of_90_characters(name: str, trees: Path) -> None:
    paths = [path for path in (trees / f"case_{name}").rglob("*.py") if "_pb2" not in path.name]
    assert paths
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                assert len((ast.get_docstring(node) or "").partition("\n")[0]) <= 90


@pytest.fixture(scope="module")
def importable(trees: Path) -> Iterator[None]:
    """Make the packages importable."""
    sys.path.insert(0, str(trees))
    yield
    sys.path.remove(str(trees))


def import_generated(name: str, module: str) -> ModuleType:
    """Import a module of a case's package."""
    return importlib.import_module(f"case_{name}.{module}")


def build_server(name: str, module: str = "shop.stock", handlers: object = None) -> Server[Any]:
    """Build the server of a case."""
    bound = handlers or importlib.import_module(f"case_{name}_handlers.{module}")
    server: Server[Any] = import_generated(name, f"{module}.server").server(bound)
    return server


@pytest.mark.usefixtures("importable")
@pytest.mark.parametrize("name", NAMES)
def test_a_generated_server_declares_exactly_its_contract(name: str, compilations: dict[str, Contracts]) -> None:
    for contract in compilations[name].contracts:
        server = build_server(name, f"{contract.system}.{contract.module}")
        assert (server.name, server.title, server.description) == (contract.name, contract.title, contract.description)
        assert [tool.name for tool in server.tools] == [tool.name for tool in contract.tools]
        for tool, declared in zip(server.tools, contract.tools, strict=True):
            assert (tool.parameters, tool.returns) == (declared.parameters, declared.returns)
            assert (tool.title, tool.description) == (declared.title, declared.description)
        assert [setting.description for setting in server.settings] == [each.description for each in contract.settings]
        assert [setting.default for setting in server.settings] == [each.default for each in contract.settings]


@pytest.mark.usefixtures("importable")
@pytest.mark.parametrize("name", NAMES)
async def test_each_example_is_accepted_and_reaches_the_handler(name: str, compilations: dict[str, Contracts]) -> None:
    for contract in compilations[name].contracts:
        server = without_key_stores(build_server(name, f"{contract.system}.{contract.module}"))
        answers = pipeline(server, settings={"till_url": "http://localhost"})
        occasions = contract.dialect.occasions
        examples = [
            (tool, example) for tool in contract.document.value["tools"] for example in tool.get("examples", [])[:1]
        ]
        for tool, example in examples:
            with capture_logs(logging.ERROR) as records:
                answer = await answers.call(tool["name"], example["arguments"])
            assert answer.code == (occasions.handler or occasions.internal)
            # The handlers raise NotImplementedError; a violation of the contract would be answered before them.
            assert [record.exc_info[0] for record in records if record.exc_info] == [NotImplementedError]


@pytest.mark.usefixtures("importable")
def test_a_default_has_the_type_of_its_field() -> None:
    models = import_generated("defaults", "shop.stock.models")
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
    """Handlers of the hostile contract, which return their arguments."""

    async def run(self, request: Any, _call: Any, /) -> Any:
        """Return the arguments."""
        models = import_generated("hostile", "shop.stock.models")
        return models.RunResult(echo=models.Echo(a_b=request.evil_default), tags=[request.evil])


@pytest.mark.usefixtures("importable")
@pytest.mark.parametrize("era", ["handshake", "stateless"])
async def test_a_hostile_contract_is_served_word_for_word_and_nothing_in_it_runs(
    era: Era, compilations: dict[str, Contracts]
) -> None:
    importlib.import_module("case_hostile.shop.stock.__main__")
    parameters = compilations["hostile"].contracts[0].tools[0].parameters
    evil = parameters["properties"]["evil"]["enum"]
    async with connect(build_server("hostile", handlers=Echo()), era=era) as client:
        assert (await client.list_tools()).tools[0].input_schema == publish_schema(parameters)
        for word in evil:
            result = await client.call_tool("run", {"evil": word})
            assert not result.is_error
            echo = {"a b": parameters["properties"]["evil_default"]["default"]}
            assert result.structured_content == {"echo": echo, "tags": [word]}
        rejected = await client.call_tool("run", {"a b": 5, "evil": evil[0]})
        assert rejected.is_error
    assert not hasattr(builtins, "MARKER")


@pytest.mark.usefixtures("importable")
def test_members_with_names_of_any_kind_keep_their_values(compilations: dict[str, Contracts]) -> None:
    parameters = compilations["hostile"].contracts[0].tools[0].parameters
    plain = {name for name, schema in parameters["properties"].items() if schema.keys() == {"type", "description"}}
    values = {name: name for name in plain if parameters["properties"][name]["type"] == "string"}
    assert len(values) > 40
    request = import_generated("hostile", "shop.stock.models").RunRequest.model_validate(values)
    assert request.model_dump(mode="json", by_alias=True, exclude_unset=True) == values
