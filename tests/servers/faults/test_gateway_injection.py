"""Prove at the Guardian's socket that no argument of swimmy-mcp changes a message's form.

A call publishes exactly the event of its arguments, or it is rejected with -32602 and publishes nothing. The Guardian's
own reader, which shares no code with the gateway's writer, reads each message.
"""

import copy
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, reduce
from itertools import islice
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from sandbox.guardian.requests import read_request
from sandbox.guardian.routes import Route, find_route
from sandbox.guardian.s_expressions import Datum, List, Symbol, parse, to_mapping
from tests.contracts.reading import tool
from tests.servers.contracts import drop_nulls
from tests.servers.gateway import MODULE, STATUS, SUBMIT, TRADE, TRANSPORTS, Bus, Client, bound_bus, running_gateway

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, TRADE_DISABLED = -32700, -32600, -32601, -32602, -32003
OPTIONAL = {"timeframe", "start_time", "end_time", "data_id", "candles_file"}
"""The members that the Guardian reads from a list of one."""
STRATEGY = {"name": "Cross 1.5", "sma_short": 5, "sma_long": 20, "sl": 0.5, "tp": 1, "volume": 0.02}
CANDLE = {"t": 1763726400, "o": 156.25, "h": 156.4, "l": 156.1, "c": 156.3, "v": 12}
FILE: dict[str, Any] = {"strategy": STRATEGY | {"indicator_type": "sma"}, "candles_file": "data/x.csv"}
CANDLES: dict[str, Any] = {
    "strategy": STRATEGY | {"filter_enabled": True, "filter_tf": "h1", "filter_period": 3, "filter_logic": "PRICE_ABOVE_SMA"},
    "symbol": "USDJPY",
    "timeframe": 60,
    "candles": [CANDLE, CANDLE | {"t": 1763726460}],
    "aux_candles": {"h1": [CANDLE]},
    "start_time": 0,
    "end_time": 4102444800,
    "swap_history": [{"t": 1763726400, "sl": -0.00001234567891234, "ss": 1e-7}],
    "include_trades": True,
    "request_id": "REQ-42_a",
}  # fmt: skip
VALID = [FILE, CANDLES, {"strategy": STRATEGY, "data_id": "USDJPY_M1", "include_trades": False}]

TEXTS = [
    'x") (type . "CLOSE', "x) (type", ") (action . close) (", '"', '\\"', "\\", "a\\", "\\x22;", "\\u0022", "(", ")", "()", ".", " . ",
    "'", "`", ",", ";", "#t", "#f", "nil", "t", "#;", "|", "#|", "|#", "#\\a", "sma)", "SMA", "sma ", "\n", "a\nb", "a\r\nb", "USDJPY\n",
    "\r\nContent-Length: 2\r\n\r\n{}", "\0", "a\0b", "\x01", "\x1b[2J", "\x7f", "\x85", "\u00a0", "\u2028", "\u2029", "\ufeff", "\u202e",
    "\uff02\uff09 \uff08type . \uff02CLOSE\uff02", "\u201c", "USDJP\u0423", "USDJPy", "\u0660", "e\u0301", "\U0001f600", "\ud800",
    '"BACKTEST"', "CPCV_VALIDATE", "ORDER_OPEN", "../../etc/passwd", "/etc/passwd", "a/../b.csv", "..csv", "data//x.csv", "data\\x.csv",
    "%2e%2e/x.csv", "~/x.csv", "x.csv\n", "x.csv\0.csv", "", " ", "x" * 100_000, '((type . "CLOSE"))', "${jndi:x}", "mcp:data/x.csv",
]  # fmt: skip
OTHERS: list[Any] = [
    None, True, False, 0, -1, 1.0, -0.0, 1.5, 0.1 + 0.2, 5e-324, 1e308, 1e16, 123456789.123456789, 2**31, 2**53 + 1, 2**63, -(2**63) - 1, 10**400,
    [], {}, [[]], [None], ["x"], ["x", "y"], [["type", "CLOSE"]], {"type": "CLOSE"}, {"x) (type . CLOSE": 1}, [{"type": "CLOSE"}],
]  # fmt: skip
KEYS = [
    "type", "TYPE", "Type", ":type", "swimmy::type", "type ", "action", "Action", "ACTION", "x) (type", 'x . "y") (type . "CLOSE") (z',
    "request_id) (type", "", " ", "\0", "\u212aey", "__proto__", "api-key", "candles-file", "CANDLES_FILE", "strategy", "entry_long_ast",
]  # fmt: skip
TEXTUAL = [
    '{"strategy":%s,"data_id":"a","data_id":"b) (type"}', '{"strategy":%s,"data_id":"b","type":"CLOSE"}',
    '{"data_id":"a","strategy":%s,"strategy":{"type":"CLOSE"}}', '{"strategy":%s,"data_id":"a","timeframe":1e400}',
    '{"strategy":%s,"data_id":"a","timeframe":6e1}', '{"strategy":%s,"data_id":"a","timeframe":60.0}',
    '{"strategy":%s,"data_id":"a","start_time":00}', '{"strategy":%s,"data_id":"a","end_time":NaN}',
    '{"strategy":%s,"data_id":"\\u0061\\u0022"}', '{"strategy":%s,"data_id":"\\u0061"}', '{"strategy":%s,"d\\u0061ta_id":"a"}',
    '{"strategy":%s,"data_id":"a","timeframe":9007199254740993e-9}', '{"strategy":%s,"data_id":"a","end_time":4102444800.0000001}',
]  # fmt: skip


def expected_event(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the event that the contract promises for valid *arguments*, without the request_id."""
    event = json_numbers(arguments, tool(MODULE, SUBMIT)["parameters"]) | {"action": "BACKTEST"}
    event.pop("wait", None)  # is for the gateway alone
    if "candles_file" in event:
        event["data_id"] = f"mcp:{event['candles_file']}"
    if "indicator_type" in event["strategy"]:
        event["strategy"]["indicator_type"] = Symbol(event["strategy"]["indicator_type"])
    return {name: [value] if name in OPTIONAL else value for name, value in event.items()}


def json_numbers(value: Any, schema: dict[str, Any]) -> Any:
    """Return *value* with an int for each integer of *schema* and a float for each other number."""
    match schema["type"]:
        case "object":
            return {name: json_numbers(member, schema["properties"][name]) for name, member in value.items()}
        case "array":
            return [json_numbers(item, schema["items"]) for item in value]
        case "integer":
            return int(value)
        case "number":
            return float(value)
        case _:
            return value


def is_datum_of(datum: Datum, value: Any) -> bool:
    """Return True if *datum* is *value* by the rules of the bus, with ten digits of a float."""
    match value:
        case dict():
            members = to_mapping(datum)
            return members.keys() == value.keys() and all(is_datum_of(members[name], value[name]) for name in value)
        case list():
            if not isinstance(datum, List) or datum.tail is not None or len(datum.items) != len(value):
                return False
            return all(map(is_datum_of, datum.items, value))
        case float():
            return isinstance(datum, int | float) and float(datum) == float(f"{value:.10g}")
        case _:
            return type(datum) is type(value) and datum == value


@dataclass(frozen=True, slots=True)
class Gateway:
    """A gateway whose events arrive at a bus."""

    client: Client
    bus: Bus

    def submit(self, text: str, *rejections: int) -> bool:
        """Return True if the call published the event of its arguments, False if it was rejected.

        *text* is the arguments as JSON. Rejections are -32602, or one of *rejections*.
        """
        answer = self.client.call(SUBMIT, text)
        if "error" in answer:
            assert answer["error"]["code"] in {INVALID_PARAMS, *rejections}, answer
            return False
        schema = tool(MODULE, SUBMIT)["parameters"]
        arguments = drop_nulls(schema, json.loads(text))
        request_id = arguments.setdefault("request_id", answer["request_id"])
        assert answer == {"status": 202, "request_id": request_id}
        assert Draft202012Validator(schema).is_valid(arguments)
        message = self.bus.receive()
        assert find_route(message.encode()) == Route.BACKTEST
        assert is_datum_of(parse(message), expected_event(arguments)), message
        assert read_request(message).request_id == request_id
        return True

    def check_silence(self) -> None:
        """Check that rejected calls published nothing: the next message is that of the next call."""
        assert self.submit(json.dumps(FILE | {"request_id": "marker"}))


@pytest.fixture(scope="module", params=TRANSPORTS)
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def gateway(transport: str) -> Iterator[Gateway]:
    with (
        bound_bus() as bus,
        running_gateway(transport, {"SWIMMY_MCP_ZMQ_ENDPOINT": bus.endpoint}) as client,
    ):
        while "error" in client.call(SUBMIT, json.dumps(FILE)):  # the bus may subscribe late on a busy machine
            pass
        bus.receive()
        yield Gateway(client, bus)


Path: TypeAlias = tuple[str | int, ...]


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of *value*, and of each member and item in it."""
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in members:
        yield from paths(member, (*path, name))


def at(value: Any, path: Path) -> Any:
    """Return the part of *value* at *path*."""
    return reduce(lambda inner, name: inner[name], path, value)


def replaced(value: Any, path: Path, part: Any) -> Any:
    """Return a copy of *value* with *part* at *path*."""
    copied = copy.deepcopy(value)
    at(copied, path[:-1])[path[-1]] = part
    return copied


def attacks(valid: dict[str, Any]) -> Iterator[Any]:
    """Yield *valid* with each part replaced, and with one member more in each object."""
    for path in paths(valid):
        if path:
            yield from (replaced(valid, path, part) for part in (*TEXTS, *OTHERS))
        if isinstance(at(valid, path), dict):
            yield from (replaced(valid, (*path, key), part) for key in KEYS for part in ("CLOSE", "x) (y", STRATEGY))


@pytest.mark.parametrize("valid", VALID)
def test_valid_arguments_arrive_as_their_event(gateway: Gateway, valid: dict[str, Any]) -> None:
    assert gateway.submit(json.dumps(valid))


@pytest.mark.parametrize("valid", VALID)
def test_each_argument_with_a_known_attack_arrives_as_data_or_is_rejected(
    gateway: Gateway, transport: str, valid: dict[str, Any]
) -> None:
    share = islice(attacks(valid), TRANSPORTS.index(transport), None, len(TRANSPORTS))  # one transport has each attack
    counts = Counter(gateway.submit(json.dumps(arguments)) for arguments in share)
    gateway.check_silence()
    assert counts[True] > 0
    assert counts[False] > 0.9 * counts.total()


@pytest.mark.parametrize("text", TEXTUAL)
def test_json_that_readers_understand_differently_arrives_as_data_or_is_rejected(gateway: Gateway, text: str) -> None:
    if not gateway.submit(text % json.dumps(STRATEGY), INVALID_REQUEST, PARSE_ERROR):
        gateway.check_silence()


@pytest.mark.parametrize("method", ["health.ping", "system.status", "system.metrics", STATUS, TRADE])
def test_no_other_method_publishes_anything(gateway: Gateway, method: str) -> None:
    given = [{"request_id": part} for part in (*TEXTS, *OTHERS)] + [{key: "CLOSE"} for key in KEYS] + VALID
    for arguments in given:
        answer = gateway.client.call(method, json.dumps(arguments))
        codes = {INVALID_PARAMS} if method != TRADE else {TRADE_DISABLED, METHOD_NOT_FOUND, INVALID_PARAMS}
        assert method == STATUS or "error" in answer
        assert "error" not in answer or answer["error"]["code"] in codes
    gateway.check_silence()


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return a strategy for the values of *schema*."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    of_type: dict[str, Callable[[dict[str, Any]], st.SearchStrategy[Any]]] = {
        "object": objects, "array": arrays, "string": texts, "number": numbers,
        "integer": lambda of: st.integers(of["minimum"], of["maximum"]), "boolean": lambda _: st.booleans(),
    }  # fmt: skip
    return of_type[schema["type"]](schema)


def objects(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    members = {name: values(member) for name, member in schema["properties"].items()}
    required = {name: members.pop(name) for name in schema.get("required", ())}
    return st.fixed_dictionaries(required, optional=members)


def arrays(schema: dict[str, Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(values(schema["items"]), min_size=schema.get("minItems", 0), max_size=2)


def texts(schema: dict[str, Any]) -> st.SearchStrategy[str]:
    drawn = st.from_regex(schema["pattern"].removesuffix("$") + r"\Z")  # `$` would admit a final line break
    return drawn.filter(lambda text: len(text) <= schema.get("maxLength", 200))


def numbers(schema: dict[str, Any]) -> st.SearchStrategy[float]:
    is_open = "exclusiveMinimum" in schema
    low = schema["exclusiveMinimum" if is_open else "minimum"]
    return st.floats(low, schema["maximum"], exclude_min=is_open) | st.integers(math.floor(low) + is_open, 9)


@cache
def parameters() -> dict[str, st.SearchStrategy[Any]]:
    """Return a strategy for each parameter of backtest.submit."""
    return {name: values(schema) for name, schema in tool(MODULE, SUBMIT)["parameters"]["properties"].items()}


@st.composite
def valid_arguments(draw: st.DrawFn) -> dict[str, Any]:
    """Draw arguments that fit each other."""
    origin = draw(st.sampled_from(["candles", "candles_file", "data_id"]))
    others = parameters().keys() - {
        "candles",
        "candles_file",
        "data_id",
        *(["aux_candles"] if origin != "candles" else []),
    }
    required = {name: parameters()[name] for name in ("strategy", origin)}
    optional = {name: parameters()[name] for name in sorted(others - {"strategy"})}
    arguments = draw(st.fixed_dictionaries(required, optional=optional))
    if arguments.get("start_time", 0) > arguments.get("end_time", math.inf):
        del arguments["start_time"]
    arguments["strategy"].pop("filter_enabled", None)  # it demands candles of the filter's timeframe
    return arguments


ON_A_BUSY_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

hostile_texts = st.text() | st.text("()\"\\'`,;|#.: \n\0tfx1\u2028\uff02\u202e", max_size=12) | st.sampled_from(TEXTS)
hostile_values = st.recursive(
    hostile_texts | st.sampled_from(OTHERS) | st.integers() | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(hostile_texts | st.sampled_from(KEYS), inner, max_size=3)
    ),
    max_leaves=5,
)


@st.composite
def hostile_arguments(draw: st.DrawFn) -> dict[str, Any]:
    """Draw valid arguments with some parts replaced, and some members more."""
    arguments: dict[str, Any] = draw(valid_arguments())
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(paths(arguments))))
        if isinstance(at(arguments, path), dict):
            path = (*path, draw(st.sampled_from(KEYS) | hostile_texts))
        arguments = replaced(arguments, path, draw(hostile_values))
    return arguments


@ON_A_BUSY_MACHINE
@given(arguments=valid_arguments())
def test_any_valid_arguments_arrive_as_their_event(gateway: Gateway, arguments: dict[str, Any]) -> None:
    assert gateway.submit(json.dumps(arguments))


@ON_A_BUSY_MACHINE
@given(arguments=hostile_arguments())
def test_any_hostile_arguments_arrive_as_data_or_are_rejected(gateway: Gateway, arguments: dict[str, Any]) -> None:
    if not gateway.submit(json.dumps(arguments)):
        gateway.check_silence()
