"""Tests of openapi.json: it describes every request and response over HTTP."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, get_args

import jsonschema_rs
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from tests.contracts.shipped import compiled_contracts
from toolaccord.schema.null_members import compile_null_filter
from toolaccord.tasks.task import Status
from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.emit.openapi.document import build_openapi_files
from toolaccord_codegen.emit.openapi.error_responses import TRANSPORT_ERRORS
from toolaccord_codegen.emit.openapi.schemas import admit_nulls
from toolaccord_codegen.emit.openapi.tasks import STATUSES
from toolaccord_codegen.emit.schema_parts import SHORTEST
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.loading.references import subschemas

ROOT = Path(__file__).parents[3]
CASES = Path(__file__).parents[1] / "cases"
TASKS = compile_folder(CASES / "tasks/contracts").contracts[0]
"""A contract whose calls become tasks."""
CONTRACTS = [contract.on("http") for contract in (*compiled_contracts().contracts, TASKS)]
"""The contracts as HTTP serves them."""
EXCLUDED = {"hostile", "transports_without_mcp"}
"""A case with a default that the validator follows like a reference, and one without HTTP."""
OTHERS = sorted(folder.parent.name for folder in CASES.glob("*/expected") if folder.parent.name not in EXCLUDED)
NAMED = pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.name)


def build_document(contract: Contract) -> dict[str, Any]:
    """Build the OpenAPI document of a server."""
    (text,) = build_openapi_files([contract]).values()
    document: dict[str, Any] = json.loads(text)
    return document


def list_objects(value: Any) -> Iterator[dict[str, Any]]:
    """List every object in a document."""
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from list_objects(part)


def resolve(document: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """Resolve a reference, also one to a reference; return any other value unchanged."""
    if "$ref" not in value:
        return value
    found: Any = document
    for step in value["$ref"].split("/")[1:]:
        found = found[step]
    return resolve(document, found)


def expand(document: dict[str, Any], value: Any) -> Any:
    """Return a value with what its references lead to in their place."""
    if isinstance(value, dict):
        return {key: expand(document, part) for key, part in resolve(document, value).items()}
    return [expand(document, part) for part in value] if isinstance(value, list) else value


def find_body(document: dict[str, Any], tool: str, status: str) -> dict[str, Any]:
    """Find the body of a tool's response with a status."""
    response = resolve(document, document["paths"][f"/mcp/tools/{tool}"]["post"]["responses"][status])
    found: dict[str, Any] = response["content"]["application/json"]
    return found


def list_versions(document: dict[str, Any], schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the schema of each version of a tool, the newest first."""
    schema = resolve(document, schema)
    return [resolve(document, each) for each in schema.get("anyOf", [schema])]


def build_validator(document: dict[str, Any], schema: dict[str, Any]) -> jsonschema_rs.Validator:
    """Build a validator for a schema of the document."""
    return jsonschema_rs.Draft202012Validator({**schema, "components": document["components"]}, validate_formats=True)


DOCUMENTS = {contract.name: cache(partial(build_document, contract)) for contract in CONTRACTS}
"""Functions that build the documents of the contracts, each once."""


@NAMED
def test_the_document_is_openapi_3_1(contract: Contract) -> None:
    document = DOCUMENTS[contract.name]()
    assert document["openapi"] == "3.1.0"
    assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []


@pytest.mark.parametrize("case", OTHERS)
def test_the_documents_of_the_golden_cases_are_openapi_3_1(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CASES / case)
    contracts = compile_folder(Path("contracts")).contracts
    assert contracts
    for contract in [contract for contract in contracts if "http" in contract.transports]:
        assert list(OpenAPIV31SpecValidator(build_document(contract)).iter_errors()) == []


@NAMED
def test_every_tool_is_an_operation_and_the_server_has_five_more_and_those_of_tasks(contract: Contract) -> None:
    paths = DOCUMENTS[contract.name]()["paths"]
    tools = {f"/mcp/tools/{tool.name}" for tool in contract.tools}
    others = {"/mcp/tools/list", "/mcp/tools/call", "/health", "/ready", "/metrics"}
    of_tasks = {"/mcp/tasks/{id}"} if any(tool.task for tool in contract.tools) else set()
    assert set(paths) == tools | others | of_tasks
    for tool in contract.tools:
        operation = paths[f"/mcp/tools/{tool.name}"]["post"]
        assert (operation["operationId"], operation["description"]) == (tool.name, tool.description)


@NAMED
def test_the_description_names_every_resource_and_prompt(contract: Contract) -> None:
    description = DOCUMENTS[contract.name]()["info"]["description"]
    rows = [line.split(" | ") for line in description.splitlines() if line.startswith("| `")]
    named = [*(each.address for each in contract.client_resources), *(each.name for each in contract.prompts)]
    assert [row[0] for row in rows if "contract://" not in row[0]] == [f"| `{name}`" for name in named]
    assert all(len(row) == 3 for row in rows)


@NAMED
def test_the_body_of_an_operation_is_the_contracts_schema_with_nulls_read_as_2020_12(contract: Contract) -> None:
    document = DOCUMENTS[contract.name]()
    for tool in contract.tools:
        body = document["paths"][f"/mcp/tools/{tool.name}"]["post"]["requestBody"]["content"]["application/json"]
        schema, *older = list_versions(document, body["schema"])
        parameters = {key: part for key, part in tool.parameters.items() if key != "$schema"}
        assert expand(document, schema) == admit_nulls(parameters)
        assert len(older) == len(tool.versions)
    assert not any("$schema" in part for part in list_objects(document))


@NAMED
def test_a_long_schema_occurs_once_in_a_document(contract: Contract) -> None:
    document = DOCUMENTS[contract.name]()
    found = Counter(
        text
        for schema in document["components"]["schemas"].values()
        for _, part in subschemas(schema, "")
        if len(text := json.dumps(part)) >= SHORTEST
    )
    assert [text for text, number in found.items() if number > 1] == []


@NAMED
def test_an_error_response_occurs_once_in_a_document(contract: Contract) -> None:
    document = DOCUMENTS[contract.name]()
    inline = [
        (status, json.dumps(response))
        for path in document["paths"].values()
        for operation in path.values()
        for status, response in operation["responses"].items()
        if int(status) >= 400 and "$ref" not in response
    ]
    assert len(inline) == len(set(inline))


@NAMED
def test_every_component_is_referred_to(contract: Contract) -> None:
    document = DOCUMENTS[contract.name]()
    references = {each["$ref"] for each in list_objects(document) if "$ref" in each}
    for kind in ("schemas", "responses", "examples"):
        names = {f"#/components/{kind}/{name}" for name in document["components"][kind]}
        assert names - references <= {f"#/components/responses/Error{status}" for status in TRANSPORT_ERRORS}


@NAMED
def test_every_example_fits_the_schema_beside_it(contract: Contract) -> None:
    document = DOCUMENTS[contract.name]()
    bodies = [part for part in list_objects(document) if "schema" in part and "examples" in part]
    assert len(bodies) > len(contract.tools)
    for part in bodies:
        validator = build_validator(document, part["schema"])
        for example in part["examples"].values():
            validator.validate(resolve(document, example)["value"])


@NAMED
def test_a_response_with_a_missing_or_an_extra_member_is_invalid(contract: Contract) -> None:
    document = DOCUMENTS[contract.name]()
    for tool in contract.tools:
        body = find_body(document, tool.name, "200")
        validator, response = build_validator(document, body["schema"]), body["examples"]["example_1"]["value"]
        for schema in list_versions(document, body["schema"]):
            assert not [
                name
                for name in schema["required"]
                if name in response  # an example is a result of the newest version
                and validator.is_valid({key: response[key] for key in response if key != name})
            ]
        is_open = tool.returns.get("additionalProperties", True) is True
        assert validator.is_valid({**response, "more": 1}) == is_open


@NAMED
def test_an_error_schema_admits_only_its_own_code_and_details(contract: Contract) -> None:
    document = DOCUMENTS[contract.name]()
    for tool in contract.tools:
        for error in tool.errors:
            body = find_body(document, tool.name, str(error.http))
            text = json.dumps(resolve(document, body["examples"][error.code])["value"])
            validator = build_validator(document, body["schema"])
            assert validator.is_valid(json.loads(text))
            assert not validator.is_valid(json.loads(text.replace(f'"{error.code}"', '"ANOTHER_CODE"')))
            assert not validator.is_valid(
                json.loads(text.replace('"details": {', '"details": {"strange": 1, ').replace(", }", "}"))
            )


@NAMED
def test_each_response_lists_the_possible_codes_of_its_status(contract: Contract) -> None:
    document = DOCUMENTS[contract.name]()
    occasions = contract.dialect.occasions
    for tool in contract.tools:
        found = {
            status: set(find_body(document, tool.name, status).get("examples", {}))
            for status in document["paths"][f"/mcp/tools/{tool.name}"]["post"]["responses"]
        }
        assert {error.code for error in tool.errors} <= set().union(*found.values())
        assert all(error.code in found[str(error.http)] for error in tool.errors)
        assert occasions.access in found["401"]
        assert occasions.arguments in found["400"]
        assert {"200", "403", "408", "413", "415", "421", "500", "503", "504"} <= set(found)


@NAMED
def test_only_tools_that_take_an_idempotency_key_have_its_header(contract: Contract) -> None:
    document = DOCUMENTS[contract.name]()
    for tool in contract.tools:
        parameters = document["paths"][f"/mcp/tools/{tool.name}"]["post"]["parameters"]
        names = {resolve(document, each)["name"] for each in parameters}
        assert names - {"Idempotency-Key", "Prefer"} == {"X-Correlation-ID", "traceparent", "tracestate", "version"}
        assert ("Idempotency-Key" in names) == tool.takes_key


@NAMED
def test_only_tools_with_tasks_are_answered_later_and_take_the_header_for_this(contract: Contract) -> None:
    document = DOCUMENTS[contract.name]()
    for tool in contract.tools:
        operation = document["paths"][f"/mcp/tools/{tool.name}"]["post"]
        names = {resolve(document, each)["name"] for each in operation["parameters"]}
        assert ("Prefer" in names) == ("202" in operation["responses"]) == bool(tool.task)


def test_a_call_that_becomes_a_task_names_it_and_the_task_holds_the_body_of_its_answer() -> None:
    document = build_document(TASKS)
    created = resolve(document, document["paths"]["/mcp/tools/count"]["post"]["responses"]["202"])
    location = resolve(document, created["headers"]["Location"])["schema"]
    build_validator(document, location).validate("/mcp/tasks/oE2Wc8")
    task = {
        "taskId": "oE2Wc8",
        "status": "completed",
        "createdAt": "2026-12-01T10:00:00.000Z",
        "lastUpdatedAt": "2026-12-01T10:00:04.250Z",
        "ttlMs": 3600000,
    }
    failure = resolve(document, document["components"]["examples"]["TIMEOUT"])["value"]
    looked = document["paths"]["/mcp/tasks/{id}"]["get"]["responses"]["200"]["content"]["application/json"]
    for schema in (created["content"]["application/json"]["schema"], looked["schema"]):
        validator = build_validator(document, schema)
        for result in ({"count": 1}, {"cleared": True}, failure):
            validator.validate(task | {"result": result})
        assert not validator.is_valid(task | {"result": {"strange": 1}})
        assert not validator.is_valid(task | {"status": "done"})


def test_the_states_of_a_task_are_those_of_the_library() -> None:
    assert get_args(Status) == STATUSES


def test_a_task_that_is_answered_or_cancelled_is_in_the_response() -> None:
    document = build_document(TASKS)
    operations = document["paths"]["/mcp/tasks/{id}"]
    assert [(name, status) for name, each in operations.items() for status in each["responses"] if status < "400"] == [
        ("get", "200"),
        ("post", "202"),
        ("delete", "202"),
    ]
    for operation, status in (("post", "202"), ("delete", "202"), ("get", "200")):
        content = operations[operation]["responses"][status]["content"]["application/json"]
        assert content == {"schema": {"$ref": "#/components/schemas/Task"}}
    body = operations["post"]["requestBody"]["content"]["application/json"]["schema"]
    validator = build_validator(document, body)
    validator.validate({"inputResponses": {"sure": {"action": "accept", "content": {"yes": True}}}})
    assert not validator.is_valid({"inputResponses": [], "more": 1})


@NAMED
def test_the_document_contains_no_settings(contract: Contract) -> None:
    text = build_openapi_files([contract])[f"{contract.system}/{contract.module}/openapi.json"]
    token = {key.setting for key in contract.access.values()}  # callers must know which value is the token
    assert [each.env for each in contract.settings if each.env in text and each.name not in token] == []


@NAMED
def test_a_token_is_required_where_the_contract_has_one_and_each_tool_response_has_a_correlation_id(
    contract: Contract,
) -> None:
    document = DOCUMENTS[contract.name]()
    assert document["security"] == ([{"bearer": []}] if "http" in contract.access else [{}, {"bearer": []}])
    assert document["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    operations = [(name, each) for name, path in document["paths"].items() for each in path.values()]
    assert {name: each["security"] for name, each in operations if "security" in each} == {
        "/health": [{}, {"bearer": []}],
        "/ready": [{}, {"bearer": []}],
    }
    tool_operations = [path["post"] for path in document["paths"].values() if "post" in path]
    for operation in tool_operations:
        for response in operation["responses"].values():
            assert "X-Correlation-ID" in resolve(document, response)["headers"]


@NAMED
def test_null_is_documented_for_exactly_the_arguments_that_servers_take_as_absent(contract: Contract) -> None:
    document = DOCUMENTS[contract.name]()
    for tool in contract.tools:
        body = document["components"]["schemas"][f"{tool.class_name}Request"]
        validator, known = build_validator(document, body), jsonschema_rs.validator_for(dict(tool.parameters))
        drop_nulls = compile_null_filter(tool.parameters) or (lambda arguments: arguments)
        for name in tool.parameters["properties"]:
            for example in tool.examples:
                arguments = {**example.arguments, name: None}
                assert validator.is_valid(arguments) == known.is_valid(drop_nulls(arguments))


def test_an_event_in_s_expressions_is_not_announced_as_json() -> None:
    (server,) = compile_folder(CASES / "event_s_expression/contracts").contracts
    body = build_document(server)["webhooks"]["counted"]["post"]["requestBody"]
    assert list(body["content"]) == ["application/x-s-expression"]
