"""Prove that generated servers speak MCP on stdio, in both eras, on their real sources."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

import sandbox
from sandbox import ACCOUNT, backtester, nats
from sandbox.iss import serve
from sandbox.platform import database as limits
from sandbox.platform.database import SCHEMA
from sandbox.tradestream.load import load
from tests.contracts.reading import CONTRACTS, ROOT, contracts, mcp_tools, one_server_per_dialect
from tests.contracts.reading import load as load_json
from tests.handlers.tradestream.service import rows
from tests.servers.answers.test_contract_coverage import possible_codes
from tests.servers.backends import STRATEGY_WITH_SIGNAL, SYMBOL, connect_database, run_in_thread
from tests.servers.clients import UNKNOWN_TOOLS, Conversation, JsonObject, hold_conversation, script_calls, start_server
from tests.servers.contracts import Oracle
from tests.servers.harness import error_code
from tests.services.candles import serve_candles
from toolaccord.semantics.published_schemas import publish_schema
from toolaccord.testing import Era, redis

MODULES_AND_ERAS = [
    *((module, "stateless") for module in contracts()),
    *((module, "handshake") for module in one_server_per_dialect()),
]
"""Every server in one era, and one per dialect in the other.

`test_differential.py` compares servers with the SDK in both.
"""


@pytest.fixture(scope="module")
def environment(postgres_url: str) -> Iterator[dict[str, str]]:
    """Settings of all servers, with today's sample data and the sandbox's stand-ins."""
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    run_in_thread(load(postgres_url, 1, now))
    run_in_thread(SCHEMA.migrate(postgres_url))
    run_in_thread(limits.load(postgres_url, now))
    stored = rows(SYMBOL, now - timedelta(days=5), 5 * 1440 + 10)
    with (
        serve() as exchange,
        serve_candles(stored) as candles,
        backtester.serve() as target,
        redis.serve() as state,
        nats.serve() as stream,
        sandbox.environment([name for name in sandbox.NAMES if name.startswith("SWIMMY_")]) as gateway,
    ):
        databases = {"DATABASE_URL": postgres_url, "INFLUXDB_URL": candles}
        others = {"BACKTESTER_TARGET": target, "MOEX_ISS_BASE_URL": exchange, "PORTFOLIO_ACCOUNT_ID": ACCOUNT}
        others |= {"ISS_REQUESTS_PER_SECOND": "1000"}  # the stand-in needs no rate limit
        platform = {"REDIS_URL": state, "NATS_URL": stream, "RISK_DATABASE_URL": postgres_url}
        yield databases | others | platform | dict(gateway)


@pytest.fixture(scope="module", params=MODULES_AND_ERAS, ids="-".join)
def module_and_era(request: pytest.FixtureRequest) -> tuple[str, Era]:
    found: tuple[str, Era] = request.param
    return found


@pytest.fixture(scope="module")
def module(module_and_era: tuple[str, Era]) -> str:
    return module_and_era[0]


@pytest.fixture(scope="module")
def conversation(module_and_era: tuple[str, Era], environment: dict[str, str]) -> Conversation:
    """The scripted conversation with one server in one era."""

    async def hold() -> Conversation:
        async with connect_database(environment["DATABASE_URL"]) as connection:
            strategy_id = str(await connection.fetchval(STRATEGY_WITH_SIGNAL, SYMBOL))
        return await hold_conversation(*module_and_era, environment, script_calls(module_and_era[0], strategy_id))

    found: Conversation = run_in_thread(hold())
    return found


# --- the list of tools ---------------------------------------------------------------------------------------------


def load_dialect(module: str) -> JsonObject:
    found: JsonObject = load_json(CONTRACTS / "dialects.json")[contracts()[module]["dialect"]]
    return found


def test_tools_are_listed_in_the_order_of_the_contract_each_time(conversation: Conversation, module: str) -> None:
    assert json.dumps(conversation.listings[0]) == json.dumps(conversation.listings[1])
    assert [each["name"] for each in conversation.listings[0]["tools"]] == [each["name"] for each in mcp_tools(module)]


def test_a_tool_is_published_as_its_contract_has_it(conversation: Conversation, module: str) -> None:
    for published, promised in zip(conversation.listings[0]["tools"], mcp_tools(module), strict=True):
        assert published["inputSchema"] == publish_schema(promised["parameters"])
        assert (published["title"], published["description"]) == (promised["title"], promised["description"])
        assert published["annotations"] == expected_annotations(contracts()[module], promised)


def expected_annotations(contract: JsonObject, tool: JsonObject) -> JsonObject:
    """Return the annotations of a tool's effects."""
    published = [contract["events"][event]["source"] for event in tool["effects"].get("publishes", [])]
    effects = tool["effects"]
    reads, adds = effects.get("reads", []), effects.get("adds", [])
    writes = [*effects.get("writes", []), *adds, *published]
    kinds = {contract["sources"][name]["kind"] for name in (*reads, *writes)}
    return {
        "title": tool["title"],
        "readOnlyHint": not writes,
        "destructiveHint": not set(writes) <= set(adds),
        "idempotentHint": not writes,
        "openWorldHint": "http" in kinds,
    }


def test_the_output_schema_is_the_dialects_envelope_around_the_contracts_result(
    conversation: Conversation, module: str
) -> None:
    for published, promised in zip(conversation.listings[0]["tools"], mcp_tools(module), strict=True):
        schema = published["outputSchema"]
        assert schema["type"] == "object"  # or a host of the handshake era loses the whole list
        dialect = load_dialect(module)
        if not dialect["errors_in_output_schema"]:
            assert schema == publish_schema(promised["returns"])
        else:
            is_bare = dialect["success"] == {"$": "result"}
            is_changed = any(older["returns"] != promised["returns"] for older in promised.get("versions", ()))
            success, *_, failure = schema["anyOf" if is_bare or is_changed else "oneOf"]
            assert (success if is_bare else success["properties"]["data"]) == publish_schema(promised["returns"])
            assert set(read_code_schema(failure)["enum"]) == possible_codes(promised, dialect)


def test_published_schemas_contain_no_references(conversation: Conversation) -> None:
    assert "$ref" not in json.dumps(conversation.listings[0])
    assert "$defs" not in json.dumps(conversation.listings[0])


def test_the_output_schema_admits_every_error_unless_errors_carry_text_alone(
    conversation: Conversation, module: str
) -> None:
    admitted = load_dialect(module)["errors_in_output_schema"]
    for published, promised in zip(conversation.listings[0]["tools"], mcp_tools(module), strict=True):
        oracle = Oracle(published["outputSchema"])
        for each in possible_codes(promised, load_dialect(module)):
            error = {"code": each, "jsonrpc_code": -32603, "message": "No.", "details": {}}
            assert oracle.is_valid(create_failure(load_dialect(module), error)) == admitted


def create_failure(dialect: JsonObject, error: JsonObject) -> JsonObject:
    """Return an error in a dialect, without metadata of a call."""
    failure: JsonObject = dialect["failure"]
    members: JsonObject = {"_metadata": {"latency_ms": 0}, "metadata": {}, "data": None}
    members["error"] = fill_template(failure["error"], error)
    return {name: members[name] for name in failure}


def fill_template(template: JsonObject, error: JsonObject) -> object:
    """Return a dialect's template of an error with the values of *error*."""
    if "$" in template:
        return error[template["$"]]
    return {name: fill_template(each, error) for name, each in template.items()}


def read_code_schema(failure: JsonObject) -> JsonObject:
    """Return the schema of the code's name; JSON-RPC has it in the error's data."""
    members: JsonObject = failure["properties"]["error"]["properties"]
    found: JsonObject = members.get("data", {}).get("properties", members)["code"]
    return found


def test_the_output_schema_rejects_both_neither_and_unknown_errors(conversation: Conversation, module: str) -> None:
    dialect = load_dialect(module)
    error = {"code": "NO_SUCH_CODE", "jsonrpc_code": -32603, "message": "No.", "details": {}}
    data = {"data": next(result for *_, expected, result in conversation.calls if expected is None)}
    for published, promised in zip(conversation.listings[0]["tools"], mcp_tools(module), strict=True):
        oracle = Oracle(published["outputSchema"])
        if Oracle(promised["returns"]).is_valid(create_failure(dialect, error)):
            continue  # the result may be any object
        assert not oracle.is_valid(create_failure(dialect, error))
        assert not oracle.is_valid(create_failure(dialect, error) | data)
        assert not oracle.is_valid({"_metadata": {"latency_ms": 0}})


# --- calls ---------------------------------------------------------------------------------------------------------


def test_every_call_has_the_expected_result_or_error(conversation: Conversation) -> None:
    planned = [(name, arguments, expected) for name, arguments, expected, _ in conversation.calls]
    received = [(name, arguments, error_code(parse_text(result))) for name, arguments, _, result in conversation.calls]
    assert received == planned
    assert [result["isError"] for *_, result in conversation.calls] == [
        expected is not None for *_, expected, _ in conversation.calls
    ]


def parse_text(result: JsonObject) -> JsonObject:
    """Return the JSON of a result's single text part."""
    (part,) = result["content"]
    assert part.keys() == {"type", "text"}
    found: JsonObject = json.loads(part["text"])
    return found


def test_the_text_is_the_json_of_the_structured_content(conversation: Conversation, module: str) -> None:
    for *_, expected, result in conversation.calls:
        if expected is None or load_dialect(module)["errors_in_output_schema"]:
            assert json.dumps(parse_text(result)) == json.dumps(result["structuredContent"])
        else:
            assert "structuredContent" not in result


def test_every_structured_content_is_valid_under_the_published_schema(conversation: Conversation) -> None:
    oracles = {each["name"]: Oracle(each["outputSchema"]) for each in conversation.listings[0]["tools"]}
    for name, arguments, _, result in conversation.calls:
        if "structuredContent" in result:
            assert oracles[name].is_valid(result["structuredContent"]), (name, arguments)


def test_an_unknown_tool_is_a_protocol_error(conversation: Conversation, module: str) -> None:
    dialect, data = load_dialect(module), {}
    if dialect.get("failure_in_protocol_errors"):
        code = dialect["occasions"]["unknown_tool"]
        error = {
            "code": code,
            "jsonrpc_code": dialect["codes"][code].get("jsonrpc"),
            "message": "This server has no such tool.",
            "details": {},
        }
        data = {"data": create_failure(dialect, error)}
    assert [answer["error"] for answer in conversation.unknown] == [
        {"code": -32602, "message": f"Unknown tool: {name}"} | data for name in UNKNOWN_TOOLS
    ]


def test_arguments_that_are_no_object_are_a_protocol_error(conversation: Conversation) -> None:
    assert conversation.malformed["error"]["code"] == -32602


def test_a_response_has_the_members_of_its_era(conversation: Conversation, module_and_era: tuple[str, Era]) -> None:
    results = [*conversation.listings, *(result for *_, result in conversation.calls)]
    stateless = module_and_era[1] == "stateless"
    assert {result.get("resultType") for result in results} == ({"complete"} if stateless else {None})
    assert {"ttlMs" in listing for listing in conversation.listings} == {stateless}


# --- the process ---------------------------------------------------------------------------------------------------


def test_a_server_without_its_settings_names_and_describes_them() -> None:
    bare = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "SIGNAL_MAX_AGE"}}
    ended = subprocess.run(
        [sys.executable, "-m", "generated.tradestream.strategy"],
        stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False, cwd=ROOT, timeout=60,
        env=bare | {"SIGNAL_MAX_AGE": "a day"},
    )  # fmt: skip
    assert (ended.returncode, ended.stdout) == (2, "")
    for setting in contracts()["tradestream.strategy"]["settings"].values():
        assert setting["env"] in ended.stderr
        assert setting["description"] in ended.stderr
    assert "Traceback" not in ended.stderr


async def test_two_hundred_concurrent_calls_each_receive_their_own_answer(environment: dict[str, str]) -> None:
    async with start_server("generated.tradestream.strategy", environment=environment) as client:
        limits = [1 + each % 40 for each in range(200)]
        calls = [{"name": "get_top_strategies", "arguments": {"symbol": SYMBOL, "limit": limit}} for limit in limits]
        answers = await client.request_all([("tools/call", each) for each in calls])
    pages = [answer["result"]["structuredContent"]["data"]["pagination"] for answer in answers]
    assert [page["limit"] for page in pages] == limits
