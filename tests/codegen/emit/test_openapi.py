"""openapi.json says what a server takes and answers over HTTP: everything of it, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from codegen.cli.rules import SUPPRESSIBLE_RULES
from codegen.compiler import compile_folder
from codegen.emit.openapi.document import document, openapi_files
from codegen.ir.contract import Contract

ROOT = Path(__file__).parents[3]
CASES = Path(__file__).parents[1] / "cases"
CONTRACTS = compile_folder(ROOT / "contracts", suppressible=SUPPRESSIBLE_RULES).contracts
STRANGE = {"hostile"}
"""A default of this case looks like a reference; the validator follows it, though it is data."""
OTHERS = sorted(folder.parent.name for folder in CASES.glob("*/expected") if folder.parent.name not in STRANGE)
NAMED = pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.name)


def parts(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a document."""
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from parts(part)


def resolved(whole: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """What a reference refers to; anything else is itself."""
    found: Any = whole
    for step in value["$ref"].split("/")[1:] if "$ref" in value else ():
        found = found[step]
    return found if "$ref" in value else value


def media(whole: dict[str, Any], tool: str, status: str) -> dict[str, Any]:
    """The body that a tool answers at a status."""
    response = resolved(whole, whole["paths"][f"/mcp/tools/{tool}"]["post"]["responses"][status])
    found: dict[str, Any] = response["content"]["application/json"]
    return found


def validator(whole: dict[str, Any], schema: dict[str, Any]) -> jsonschema_rs.Validator:
    """Judges values by a schema of the document."""
    return jsonschema_rs.Draft202012Validator({**schema, "components": whole["components"]}, validate_formats=True)


@NAMED
def test_the_document_is_openapi_3_1(contract: Contract) -> None:
    whole = json.loads(openapi_files([contract])[f"{contract.system}/{contract.module}/openapi.json"])
    assert whole["openapi"] == "3.1.0"
    assert list(OpenAPIV31SpecValidator(whole).iter_errors()) == []


@pytest.mark.parametrize("case", OTHERS)
def test_so_it_is_for_contracts_that_we_never_saw(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CASES / case)
    found = [
        OpenAPIV31SpecValidator(document(each)).iter_errors() for each in compile_folder(Path("contracts")).contracts
    ]
    assert found
    assert [error for errors in found for error in errors] == []


@NAMED
def test_every_tool_is_an_operation_and_the_server_has_five_more(contract: Contract) -> None:
    paths = document(contract)["paths"]
    tools = {f"/mcp/tools/{tool.name}" for tool in contract.tools}
    assert set(paths) == tools | {"/mcp/tools/list", "/mcp/tools/call", "/health", "/ready", "/metrics"}
    for tool in contract.tools:
        operation = paths[f"/mcp/tools/{tool.name}"]["post"]
        assert (operation["operationId"], operation["description"]) == (tool.name, tool.description)


@NAMED
def test_the_body_of_an_operation_is_the_contracts_schema_read_as_2020_12(contract: Contract) -> None:
    whole = document(contract)
    for tool in contract.tools:
        body = whole["paths"][f"/mcp/tools/{tool.name}"]["post"]["requestBody"]["content"]["application/json"]
        schema = resolved(whole, body["schema"])
        assert schema == {key: part for key, part in tool.parameters.items() if key != "$schema"}
    assert not any("$schema" in part for part in parts(whole))


@NAMED
def test_every_example_fits_the_schema_beside_it(contract: Contract) -> None:
    whole = document(contract)
    held = [part for part in parts(whole) if "schema" in part and "examples" in part]
    assert len(held) > len(contract.tools)
    for part in held:
        judge = validator(whole, part["schema"])
        for example in part["examples"].values():
            judge.validate(resolved(whole, example)["value"])


@NAMED
def test_an_answer_with_a_member_too_few_or_too_many_breaks_its_schema(contract: Contract) -> None:
    whole = document(contract)
    for tool in contract.tools:
        body = media(whole, tool.name, "200")
        judge, answer = validator(whole, body["schema"]), body["examples"]["example_1"]["value"]
        required = resolved(whole, body["schema"])["required"]
        assert not [name for name in required if judge.is_valid({key: answer[key] for key in answer if key != name})]
        assert not judge.is_valid({**answer, "more": 1})


@NAMED
def test_an_error_is_its_own_code_with_its_own_details_and_nothing_else(contract: Contract) -> None:
    whole = document(contract)
    for tool in contract.tools:
        for error in tool.errors:
            body = media(whole, tool.name, str(error.http))
            text = json.dumps(resolved(whole, body["examples"][error.code])["value"])
            judge = validator(whole, body["schema"])
            assert judge.is_valid(json.loads(text))
            assert not judge.is_valid(json.loads(text.replace(f'"{error.code}"', '"ANOTHER_CODE"')))
            assert not judge.is_valid(
                json.loads(text.replace('"details": {', '"details": {"strange": 1, ').replace(", }", "}"))
            )


@NAMED
def test_each_response_names_the_codes_that_are_possible_at_its_status(contract: Contract) -> None:
    whole = document(contract)
    occasions = contract.dialect.occasions
    for tool in contract.tools:
        found = {
            status: set(media(whole, tool.name, status).get("examples", {}))
            for status in whole["paths"][f"/mcp/tools/{tool.name}"]["post"]["responses"]
        }
        assert {error.code for error in tool.errors} <= set().union(*found.values())
        assert all(error.code in found[str(error.http)] for error in tool.errors)
        assert occasions["access"] in found["401"]
        assert occasions["arguments"] in found["400"]
        assert {"200", "403", "408", "413", "415", "421", "500", "503", "504"} <= set(found)


@NAMED
def test_only_tools_that_take_an_idempotency_key_have_its_header(contract: Contract) -> None:
    whole = document(contract)
    for tool in contract.tools:
        parameters = whole["paths"][f"/mcp/tools/{tool.name}"]["post"]["parameters"]
        names = {resolved(whole, each)["name"] for each in parameters}
        assert names - {"Idempotency-Key"} == {"X-Correlation-ID", "traceparent", "tracestate", "version"}
        assert ("Idempotency-Key" in names) == (tool.window_s is not None)


@NAMED
def test_nothing_of_the_settings_is_in_the_document(contract: Contract) -> None:
    text = openapi_files([contract])[f"{contract.system}/{contract.module}/openapi.json"]
    assert not [setting.env for setting in contract.settings if setting.env in text]


@NAMED
def test_every_operation_needs_a_token_and_every_answer_of_a_tool_has_a_correlation_id(contract: Contract) -> None:
    whole = document(contract)
    assert whole["security"] == [{"bearer": []}]
    assert whole["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    operations = [operation for path in whole["paths"].values() for operation in path.values()]
    assert not [operation for operation in operations if "security" in operation]
    of_tools = [path["post"] for path in whole["paths"].values() if "post" in path]
    for operation in of_tools:
        for response in operation["responses"].values():
            assert "X-Correlation-ID" in resolved(whole, response)["headers"]
