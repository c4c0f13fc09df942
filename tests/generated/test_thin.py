"""Generated code declares; the library has the behaviour."""

import ast
import re
from pathlib import Path

import pytest

from tests.contracts.shipped import GENERATED, generated_paths

SERVERS = generated_paths("server.py")
AGENTS = generated_paths("agent.py")
CLIENTS = generated_paths("client.py")
STUBS = [path for path in generated_paths("*_pb2*") if path.suffix in {".py", ".pyi"}]
BEHAVIOUR = (
    ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.TryStar, ast.With, ast.AsyncWith, ast.Await,
    ast.Match, ast.comprehension, ast.Lambda, ast.Yield, ast.YieldFrom, ast.Raise, ast.Assert, ast.BoolOp, ast.Compare,
)  # fmt: skip
STAMP = re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d")


def shown(path: Path) -> str:
    """Return a path as the id of a test."""
    return str(path.relative_to(GENERATED))


def test_there_are_servers_and_agents() -> None:
    assert len(SERVERS) >= 2
    assert AGENTS


@pytest.mark.parametrize("path", [*SERVERS, *AGENTS], ids=shown)
def test_a_module_that_declares_a_server_or_an_agent_has_no_behaviour(path: Path) -> None:
    module = ast.parse(path.read_text(encoding="utf-8"))
    assert [type(node).__name__ for node in ast.walk(module) if isinstance(node, BEHAVIOUR)] == []


@pytest.mark.parametrize("path", CLIENTS, ids=shown)
def test_a_method_of_a_client_only_passes_its_request_on(path: Path) -> None:
    module = ast.parse(path.read_text(encoding="utf-8"))
    client = next(node for node in module.body if isinstance(node, ast.ClassDef) and node.name.endswith("Client"))
    methods = [node for node in client.body if isinstance(node, ast.AsyncFunctionDef)]
    assert methods
    for method in methods:
        docstring, statement = method.body
        assert isinstance(docstring, ast.Expr)
        assert re.fullmatch(
            r"return \(await self\.(call|complete|get_prompt|read)\([A-Z0-9_]+(, (request|prefix))?, \*\*options\)\)\.result"
            r"|return await self\._start_task\([A-Z0-9_]+, request, \*\*options\)",
            ast.unparse(statement),
        )
    elsewhere = [node for node in ast.walk(module) if isinstance(node, BEHAVIOUR) and not isinstance(node, ast.Await)]
    assert elsewhere == []


@pytest.mark.parametrize("path", [path for path in generated_paths("*.py") if path not in STUBS], ids=shown)
def test_each_module_names_its_contract_and_its_command_but_no_time(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert re.search(r"Generated from (contracts/\S+\.json|handlers/\S+\.sql)", docstring)
    assert "do not edit. Regenerate with `nox -s generate`." in " ".join(docstring.split())
    assert not STAMP.search(docstring)


@pytest.mark.parametrize("path", STUBS, ids=shown)
def test_each_stub_names_its_contract_in_its_first_line(path: Path) -> None:
    note = r"# Generated from contracts/\S+\.proto; do not edit\. Regenerate with `nox -s generate`\."
    text = path.read_text(encoding="utf-8")
    assert re.fullmatch(note, text.partition("\n")[0])
    assert not STAMP.search(text)


@pytest.mark.parametrize("path", generated_paths("__main__.py"), ids=shown)
def test_an_entry_point_only_binds_handlers_to_the_server(path: Path) -> None:
    module = ast.parse(path.read_text(encoding="utf-8"))
    main, *creating = (node for node in module.body if isinstance(node, ast.FunctionDef))
    docstring, imports, statement = main.body
    assert isinstance(docstring, ast.Expr)
    assert isinstance(imports, ast.With)
    bound = [statement, *imports.body, *(node for each in creating for node in each.body[1:])]
    assert {type(node) for node in bound} <= {ast.Assign, ast.ImportFrom, ast.Return}
