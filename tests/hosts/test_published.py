"""The generated files against the schemas that hosts and the registry publish themselves."""

import json
import os
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jsonschema.validators import validator_for

from tests.contracts.shipped import GENERATED, generated_paths
from tests.hosts.project import QUIET
from tests.hosts.reading import read, shown
from tests.hosts.test_pages import ENTRIES
from tests.services.fetched import fetched

pytestmark = pytest.mark.hosts


def faults(schema: dict[str, Any], content: dict[str, Any]) -> list[str]:
    """Return the violations of a published schema in a file."""
    validator = validator_for(schema)(schema)
    return [f"{fault.json_path}: {fault.message}" for fault in validator.iter_errors(content)]


@pytest.fixture(scope="module")
def opencode_schema(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The schema of OpenCode's configuration, which OpenCode itself serves."""
    with served(tmp_path_factory.mktemp("opencode")) as url, urllib.request.urlopen(f"{url}/doc", timeout=60) as answer:
        components = json.loads(answer.read())["components"]
    return {"$ref": "#/components/schemas/Config", "components": components}


@contextmanager
def served(home: Path) -> Iterator[str]:
    """OpenCode's server on loopback, by its URL."""
    command = [str(fetched("opencode")), "serve", "--hostname", "127.0.0.1", "--port", "0"]
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], **QUIET}
    with subprocess.Popen(command, cwd=home, env=environment, stdout=subprocess.PIPE, encoding="utf-8") as process:
        try:
            assert process.stdout
            yield next(line.split()[-1] for line in process.stdout if "listening on" in line)
        finally:
            process.terminate()


@pytest.mark.parametrize("path", generated_paths("opencode.json"), ids=shown)
def test_opencode_finds_no_fault(opencode_schema: dict[str, Any], path: Path) -> None:
    assert faults(opencode_schema, read(path)) == []


def test_opencode_finds_no_fault_in_an_entry_for_a_url(opencode_schema: dict[str, Any]) -> None:
    assert faults(opencode_schema, json.loads(ENTRIES["opencode.json"])) == []


def test_opencode_would_find_a_fault(opencode_schema: dict[str, Any]) -> None:
    content = read(GENERATED / "moex/hosts/opencode.json")
    content["mcp"]["moex-iss-mcp"]["env"] = {}
    assert faults(opencode_schema, content) != []


@pytest.mark.parametrize(
    "schema, name", [("gemini", "gemini.settings.json"), ("codex", "codex.config.toml"), ("registry", "server.json")]
)
def test_the_published_schema_finds_no_fault(schema: str, name: str) -> None:
    published = json.loads((fetched("schemas") / f"{schema}.json").read_text(encoding="utf-8"))
    assert {shown(path): faults(published, read(path)) for path in generated_paths(name)} == {
        shown(path): [] for path in generated_paths(name)
    }
