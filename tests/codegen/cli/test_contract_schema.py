"""Prove that `generate` keeps the contract.schema.json of a contracts folder current."""

import json
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest

from tests.codegen.conftest import UP_TO_DATE, Command
from toolaccord_codegen.loading.documents import OWN_SCHEMA, SCHEMA_FILE
from toolaccord_codegen.naming import ClassName

COPY = Path("contracts") / SCHEMA_FILE
ACME = ("--package", "acme")


pytestmark = pytest.mark.usefixtures("shop")


@pytest.mark.parametrize(
    "kind", ["postgresql", "http", "influxdb", "grpc", "redis", "nats", "zmq_pub", "zmq_sub", "files"]
)
def test_the_schema_names_the_defaults_that_a_source_has(kind: str) -> None:
    definitions = json.loads(OWN_SCHEMA.read_text(encoding="utf-8"))["$defs"]
    name = f"{ClassName(kind)}Source"
    listed = {key: each["default"] for key, each in definitions[name]["properties"].items() if "default" in each}
    declaration = getattr(import_module(f"toolaccord.sources.{kind.partition('_')[0]}"), name)
    assert listed == {each.name: each.default for each in fields(declaration) if each.name in listed}
    assert listed


def test_generate_writes_the_schema_once(command: Command) -> None:
    status, output = command("generate", *ACME)
    assert status == 0
    assert f"\nwrote   contracts/{SCHEMA_FILE}\n" in output
    assert COPY.read_bytes() == OWN_SCHEMA.read_bytes()
    assert command("check", *ACME) == (0, UP_TO_DATE)
    assert command("generate", *ACME) == (0, "1 server with 1 tool in acme; nothing changed\n")


@pytest.mark.parametrize("content, reason", [("{}", "differs from the one of this toolaccord"), (None, "missing")])
def test_check_names_an_outdated_schema_that_generate_then_replaces(
    content: str | None, reason: str, command: Command
) -> None:
    command("generate", *ACME)
    COPY.unlink()
    if content is not None:
        COPY.write_text(content, encoding="utf-8")
    status, output = command("check", *ACME)
    assert status == 1
    assert output.startswith("Files: failed: 1 file out of date; update with: ")
    assert f"contracts/{SCHEMA_FILE}: {reason}\n" in output
    assert command("generate", *ACME)[1].startswith(f"wrote   contracts/{SCHEMA_FILE}\n")
    assert command("check", *ACME) == (0, UP_TO_DATE)


def test_generate_replaces_a_link_and_not_its_target(shop: Path, command: Command) -> None:
    target = shop / "elsewhere.json"
    target.write_text("{}", encoding="utf-8")
    COPY.symlink_to(target)
    command("generate", *ACME)
    assert target.read_text(encoding="utf-8") == "{}"
    assert COPY.read_bytes() == OWN_SCHEMA.read_bytes()


def test_a_missing_contracts_folder_stays_missing(command: Command) -> None:
    status, _ = command("generate", *ACME, "--contracts", "missing")
    assert status == 3
    assert not Path("missing").exists()
