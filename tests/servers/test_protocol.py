"""The generated servers as a host meets them: processes on stdio, in both eras of the protocol, on their real sources."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from sandbox import backtester
from sandbox.candles.store import create
from sandbox.iss import serve
from sandbox.tradestream.account import ACCOUNT
from sandbox.tradestream.load import load
from tests.contracts.reading import CONTRACTS, ROOT, contracts
from tests.contracts.reading import load as load_json
from tests.handlers.tradestream.service import rows
from tests.servers.answers import code
from tests.servers.market import A_STRATEGY, SYMBOL, apart, connection
from tests.servers.oracle import Oracle
from tests.servers.test_contract_coverage import codes
from tests.servers.told import UNKNOWN, Object, Told, converse, script
from tests.servers.wire import talk
from toolpact.testing import Era

ROOMS_AND_ERAS = [(room, era) for room in contracts() for era in ("handshake", "stateless")]


@pytest.fixture(scope="module")
def environment(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The settings of all servers: a sample market of now with a few days of candles, and the sandbox's stand-ins."""
    now, path = (
        datetime.now(UTC).replace(second=0, microsecond=0),
        tmp_path_factory.mktemp("candles") / "candles.sqlite",
    )
    apart(load(postgres_url, 1, now))
    create(path, rows(SYMBOL, now - timedelta(days=5), 5 * 1440 + 10))
    candles = f"sqlite://{path}"
    with serve() as exchange, backtester.serve() as target:
        databases = {"DATABASE_URL": postgres_url, "INFLUXDB_URL": candles}
        others = {"BACKTESTER_TARGET": target, "MOEX_ISS_BASE_URL": exchange, "PORTFOLIO_ACCOUNT_ID": ACCOUNT}
        yield databases | others


@pytest.fixture(scope="module", params=ROOMS_AND_ERAS, ids="-".join)
def room_and_era(request: pytest.FixtureRequest) -> tuple[str, Era]:
    found: tuple[str, Era] = request.param
    return found


@pytest.fixture(scope="module")
def room(room_and_era: tuple[str, Era]) -> str:
    return room_and_era[0]


@pytest.fixture(scope="module")
def told(room_and_era: tuple[str, Era], environment: dict[str, str]) -> Told:
    """What a server of the room says in the era."""

    async def ask() -> Told:
        async with connection(environment["DATABASE_URL"]) as asking:
            strategy_id = str(await asking.fetchval(A_STRATEGY, SYMBOL))
        return await converse(*room_and_era, environment, script(room_and_era[0], strategy_id))

    found: Told = apart(ask())
    return found


# --- what is published ---------------------------------------------------------------------------------------------


def dialect(room: str) -> Object:
    found: Object = load_json(CONTRACTS / "dialects.json")[contracts()[room]["dialect"]]
    return found


def test_tools_are_listed_in_the_order_of_the_contract_each_time(told: Told, room: str) -> None:
    assert json.dumps(told.listings[0]) == json.dumps(told.listings[1])
    assert [each["name"] for each in told.listings[0]["tools"]] == [each["name"] for each in contracts()[room]["tools"]]


def test_a_tool_is_published_as_its_contract_has_it(told: Told, room: str) -> None:
    for published, promised in zip(told.listings[0]["tools"], contracts()[room]["tools"], strict=True):
        assert published["inputSchema"] == promised["parameters"]
        assert (published["title"], published["description"]) == (promised["title"], promised["description"])
        assert published["annotations"] == annotations(contracts()[room], promised)


def annotations(contract: Object, tool: Object) -> Object:
    """What a host is told of a tool's effects."""
    reads, writes = tool["effects"].get("reads", []), tool["effects"].get("writes", [])
    kinds = {contract["sources"][name]["kind"] for name in (*reads, *writes)}
    return {
        "title": tool["title"],
        "readOnlyHint": not writes,
        "destructiveHint": bool(writes),
        "idempotentHint": not writes,
        "openWorldHint": "http" in kinds,
    }


def test_the_output_schema_is_the_dialects_envelope_around_the_contracts_result(told: Told, room: str) -> None:
    for published, promised in zip(told.listings[0]["tools"], contracts()[room]["tools"], strict=True):
        schema = published["outputSchema"]
        assert schema["type"] == "object"  # or a host of the handshake era loses the whole list
        if dialect(room)["success"] == {"$": "result"}:
            assert schema == promised["returns"]
        else:
            success, failure = schema["oneOf"]
            assert success["properties"]["data"] == promised["returns"]
            assert set(failure["properties"]["error"]["properties"]["code"]["enum"]) == codes(promised, dialect(room))


def test_nothing_published_refers_to_anything_else(told: Told) -> None:
    assert "$ref" not in json.dumps(told.listings[0])
    assert "$defs" not in json.dumps(told.listings[0])


def test_the_output_schema_admits_every_error_unless_errors_carry_text_alone(told: Told, room: str) -> None:
    admitted = dialect(room)["errors_in_output_schema"]
    for published, promised in zip(told.listings[0]["tools"], contracts()[room]["tools"], strict=True):
        oracle = Oracle(published["outputSchema"])
        for each in codes(promised, dialect(room)):
            error = {"code": each, "error_type": each, "message": "No.", "details": {}}
            assert oracle.admits(failure(dialect(room), error)) == admitted


def failure(spoken: Object, error: Object) -> Object:
    """An error in a dialect, with nothing known about the call."""
    template = spoken["failure"]["error"]
    rest: Object = (
        {"_metadata": {"latency_ms": 0}} if "_metadata" in spoken["failure"] else {"metadata": {}, "data": None}
    )
    return {"error": {name: error[name] for name in template}} | rest


def test_the_output_schema_admits_nothing_that_is_both_or_neither_or_unknown(told: Told, room: str) -> None:
    spoken = dialect(room)
    error = {"code": "NO_SUCH_CODE", "error_type": "NO_SUCH_CODE", "message": "No.", "details": {}}
    data = {"data": next(result for *_, due, result in told.calls if due is None)}
    for published in told.listings[0]["tools"]:
        oracle = Oracle(published["outputSchema"])
        assert not oracle.admits(failure(spoken, error))
        assert not oracle.admits(failure(spoken, error) | data)
        assert not oracle.admits({"_metadata": {"latency_ms": 0}})


# --- what is answered ----------------------------------------------------------------------------------------------


def test_every_call_is_answered_with_what_is_due(told: Told) -> None:
    due = [(name, arguments, expected) for name, arguments, expected, _ in told.calls]
    said = [(name, arguments, code(text(result))) for name, arguments, _, result in told.calls]
    assert said == due
    assert [result["isError"] for *_, result in told.calls] == [expected is not None for *_, expected, _ in told.calls]


def text(result: Object) -> Object:
    """The JSON that a result carries as its one text."""
    (part,) = result["content"]
    assert part.keys() == {"type", "text"}
    found: Object = json.loads(part["text"])
    return found


def test_the_text_is_the_json_of_the_structure(told: Told, room: str) -> None:
    for *_, expected, result in told.calls:
        if expected is None or dialect(room)["errors_in_output_schema"]:
            assert json.dumps(text(result)) == json.dumps(result["structuredContent"])
        else:
            assert "structuredContent" not in result


def test_every_structure_fits_the_published_schema(told: Told) -> None:
    oracles = {each["name"]: Oracle(each["outputSchema"]) for each in told.listings[0]["tools"]}
    for name, arguments, _, result in told.calls:
        if "structuredContent" in result:
            assert oracles[name].complaints(result["structuredContent"]) == [], (name, arguments)


def test_an_unknown_tool_is_a_protocol_error(told: Told) -> None:
    assert [answer["error"] for answer in told.unknown] == [
        {"code": -32602, "message": f"Unknown tool: {name}"} for name in UNKNOWN
    ]


def test_arguments_that_are_no_object_are_a_protocol_error(told: Told) -> None:
    assert told.misshapen["error"]["code"] == -32602


def test_an_answer_names_the_era_it_belongs_to(told: Told, room_and_era: tuple[str, Era]) -> None:
    results = [*told.listings, *(result for *_, result in told.calls)]
    stateless = room_and_era[1] == "stateless"
    assert {result.get("resultType") for result in results} == ({"complete"} if stateless else {None})
    assert {"ttlMs" in listing for listing in told.listings} == {stateless}


# --- the process ---------------------------------------------------------------------------------------------------


def test_a_server_without_its_settings_says_which_and_what_for() -> None:
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


async def test_answers_come_as_they_are_ready_and_each_to_its_own_question(environment: dict[str, str]) -> None:
    async with talk("generated.tradestream.strategy", environment=environment) as wire:
        limits = [1 + each % 40 for each in range(200)]
        calls = [{"name": "get_top_strategies", "arguments": {"symbol": SYMBOL, "limit": limit}} for limit in limits]
        answers = await wire.ask_all([("tools/call", each) for each in calls])
    pages = [answer["result"]["structuredContent"]["data"]["pagination"] for answer in answers]
    assert [page["limit"] for page in pages] == limits
