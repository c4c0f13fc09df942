"""List what the contracts of servers with state add to the specification, with reasons.

A place is the server's or tool's name and a JSON pointer; the value is what our contract has there.
"""

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from tests.contracts.differences import A_SENTENCE
from tests.sandbox.test_tradestream import INDICATORS, RULES

Table: TypeAlias = dict[str, Any]

_PAIR = "^[A-Z0-9]{1,20}/[A-Z0-9]{1,20}$"
_IDENTIFIER = "^[A-Za-z_][A-Za-z0-9_]*$"
_NO_NUL = "^[^\\u0000]*$"
_LARGEST = 1_000_000_000_000
_OBJECTS = {"type": "object", "additionalProperties": True}
_DATABASE = {"occasion": "source"}
_ACCOUNT = {"account_id": {"type": "string"}}

DESCRIBED = "The purpose is written as a description, which begins with what is described."
FORMATS = (
    "INVALID_SYMBOL speaks of a symbol's format, INVALID_NAME of a name's: the format is a pattern. Times have one too."
)
PAGES = "A page has a row at least, is no longer than its limit may be, and begins within the first million rows."
CLOSED = "Arguments nobody knows are refused by name; a result is whole and holds nothing else, so that a caller need not guess."
BOUNDS = "Codes speak of sizes, confidences and lengths that are wrong: the contract says which are right. Counts are not negative."
STORABLE = "Text of any length, and the one character that PostgreSQL cannot keep, come from outside: both are bounded."
CHOICES = "A value that is one of a few says which."
OPEN = "What each strategy and tool call names for itself is open, and says so."
SHAPES = (
    "Codes speak of indicators that are not recognized and conditions that are malformed: their shapes are in the schema, "
    "TradeStream's own short form among them."
)
MEANINGS = "A number without a unit and a value without a meaning mislead the model that reads them."
BOUND = "A code that arises outside the handler is bound to its place."
STATUSES = "The specification gives HTTP equivalents to its standard codes alone; those of a tool follow their meaning."
DETAILS = "The specification's example of an error has details that name what was not found; so do ours."
FINDINGS = "The handler finds what no schema can say, and lists it in the form in which refused arguments are listed."
MORE = "A server that speaks of one account, read by a user with few rights, can miss either in each of its tools."


def meanings(*places: str) -> Table:
    """A description at each of *places*."""
    return {f"{place}/description": A_SENTENCE for place in places}


def under(place: str, names: str) -> list[str]:
    """The properties *names* of the object at *place*."""
    return [f"{place}/properties/{name}" for name in names.split()]


def closed(place: str, required: str = "") -> Table:
    """Return the closed object at *place*, with its *required* members."""
    return {f"{place}/additionalProperties": False} | ({f"{place}/required": required.split()} if required else {})


def page(tool: str, longest: int) -> Table:
    """The bounds of a paginated tool."""
    asked, given = f"{tool}/parameters/properties", f"{tool}/returns/properties"
    return {
        f"{asked}/limit/minimum": 1,
        f"{asked}/offset/minimum": 0,
        f"{asked}/offset/maximum": 1_000_000,
        f"{given}/items/maxItems": longest,
        f"{given}/pagination/properties/offset/minimum": 0,
        f"{given}/pagination/properties/limit/minimum": 1,
        f"{given}/pagination/properties/total/minimum": 0,
    }


def page_meanings(tool: str) -> Table:
    """The descriptions of a paginated tool."""
    asked, given = f"{tool}/parameters", f"{tool}/returns/properties"
    numbers = under(f"{given}/pagination", "offset limit total has_more")
    whole = [f"{given}/items", f"{given}/items/items", f"{given}/pagination"]
    return meanings(*under(asked, "limit offset"), *whole, *numbers)


def page_closed(tool: str, item: str) -> Table:
    """Return the differences of a paginated tool: its objects are closed, items have *item*."""
    given = f"{tool}/returns"
    return (
        closed(f"{tool}/parameters")
        | closed(given, "items pagination")
        | closed(f"{given}/properties/pagination", "offset limit total has_more")
        | closed(f"{given}/properties/items/items", item)
    )


def statuses(tool: str, **codes: int) -> Table:
    """The HTTP status of each code."""
    return {f"{tool}/errors/{code}/http": http for code, http in codes.items()}


def places(tool: str, **codes: str) -> Table:
    """Return the pointers at which each code arises, and the occasion of DATABASE_ERROR."""
    at = {f"{tool}/errors/{code}/when": {"at": names.split()} for code, names in codes.items()}
    return at | {f"{tool}/errors/DATABASE_ERROR/when": _DATABASE}


def fraction(place: str) -> Table:
    """From 0 to 1."""
    return {f"{place}/minimum": 0, f"{place}/maximum": 1}


def merged(tables: Iterable[Table]) -> Table:
    """All of them."""
    return {place: value for table in tables for place, value in table.items()}


_POSITION = "get_positions/returns/properties/items/items"
_BALANCE = "get_balance/returns"
_TRADE, _VERDICT = "validate_trade/parameters", "validate_trade/returns"
_NO_ACCOUNT = {"description": A_SENTENCE, "http": 404, "details": _ACCOUNT}
_HELD = "symbol side size entry_price current_price unrealized_pnl opened_at"

PORTFOLIO: Final[dict[str, Table]] = {
    DESCRIBED: {"portfolio-mcp/description": A_SENTENCE},
    "A person may allow a trade hours later: the call is a task then, which needs a store.": {
        "portfolio-mcp/pools/redis": {"connection_timeout_s": 1.5, "timeout_s": 1.5},
    },
    FORMATS: {
        "get_positions/parameters/properties/symbol/pattern": _PAIR,
        f"{_TRADE}/properties/symbol/pattern": _PAIR,
        f"{_POSITION}/properties/opened_at/format": "date-time",
    },
    PAGES: page("get_positions", 200),
    CLOSED: merged(
        [
            page_closed("get_positions", _HELD),
            closed("get_balance/parameters"),
            closed(_BALANCE, "total_balance available_balance margin_used unrealized_pnl"),
            closed(_TRADE),
            closed(_VERDICT, "valid reason"),
        ]
    ),
    BOUNDS: {
        f"{_POSITION}/properties/size/exclusiveMinimum": 0,
        f"{_POSITION}/properties/entry_price/exclusiveMinimum": 0,
        f"{_POSITION}/properties/current_price/exclusiveMinimum": 0,
        f"{_BALANCE}/properties/margin_used/minimum": 0,
        f"{_TRADE}/properties/size/exclusiveMinimum": 0,
        f"{_TRADE}/properties/size/maximum": _LARGEST,
        f"{_TRADE}/properties/price/exclusiveMinimum": 0,
        f"{_TRADE}/properties/price/maximum": _LARGEST,
        f"{_VERDICT}/properties/max_size/minimum": 0,
        f"{_VERDICT}/properties/max_size/maximum": 10**12,
    }
    | fraction(f"{_VERDICT}/properties/risk_score"),
    MEANINGS: page_meanings("get_positions")
    | meanings(
        *under(_POSITION, _HELD),
        *under(_BALANCE, "total_balance available_balance margin_used unrealized_pnl"),
        *under(_TRADE, "symbol side size price"),
        *under(_VERDICT, "valid reason max_size risk_score"),
    )
    | meanings("get_positions/parameters/properties/symbol"),
    BOUND: merged(
        [
            places("get_positions", INVALID_SYMBOL="/symbol"),
            places("get_balance"),
            places("validate_trade", INVALID_SYMBOL="/symbol", INVALID_SIDE="/side", INVALID_SIZE="/size"),
        ]
    ),
    STATUSES: statuses("get_positions", INVALID_SYMBOL=400)
    | statuses("get_balance", ACCOUNT_NOT_FOUND=404)
    | statuses("validate_trade", INVALID_SYMBOL=400, INVALID_SIDE=400, INVALID_SIZE=400, INSUFFICIENT_BALANCE=422),
    DETAILS: {
        "get_balance/errors/ACCOUNT_NOT_FOUND/details": _ACCOUNT,
        "validate_trade/errors/INSUFFICIENT_BALANCE/details": {
            name: {"type": "number", "description": A_SENTENCE}
            for name in ("notional", "available_balance", "max_size")
        },
    },
    MORE: {
        "get_positions/errors/ACCOUNT_NOT_FOUND": _NO_ACCOUNT,
        "validate_trade/errors/UNAUTHORIZED": {"description": A_SENTENCE},
        "validate_trade/errors/ACCOUNT_NOT_FOUND": _NO_ACCOUNT,
    },
}

_DECISION = "get_recent_decisions/returns/properties/items/items"
_SAVING, _SAVED = "save_decision/parameters", "save_decision/returns"
_ACTIONS = ["BUY", "SELL", "HOLD"]

DECISIONS: Final[dict[str, Table]] = {
    DESCRIBED: {"decisions-mcp/description": A_SENTENCE},
    FORMATS: {
        "get_recent_decisions/parameters/properties/symbol/pattern": _PAIR,
        f"{_SAVING}/properties/symbol/pattern": _PAIR,
        f"{_DECISION}/properties/created_at/format": "date-time",
    },
    PAGES: page("get_recent_decisions", 100),
    CLOSED: merged(
        [
            page_closed("get_recent_decisions", "decision_id symbol action confidence reasoning created_at"),
            closed(_SAVING),
            closed(_SAVED, "decision_id saved"),
        ]
    ),
    BOUNDS: {
        f"{_DECISION}/properties/opportunity_score/minimum": 0,
        f"{_DECISION}/properties/opportunity_score/maximum": 100,
        f"{_SAVING}/properties/opportunity_score/minimum": 0,
        f"{_SAVING}/properties/opportunity_score/maximum": 100,
        f"{_SAVING}/properties/reasoning/minLength": 1,
        f"{_SAVING}/properties/reasoning/maxLength": 10_000,
    }
    | fraction(f"{_DECISION}/properties/confidence")
    | fraction(f"{_SAVING}/properties/confidence"),
    STORABLE: {f"{_SAVING}/properties/reasoning/pattern": _NO_NUL},
    CHOICES: {f"{_DECISION}/properties/action/enum": _ACTIONS},
    OPEN: {f"{_SAVING}/properties/tool_calls/items": {"description": A_SENTENCE}},
    MEANINGS: page_meanings("get_recent_decisions")
    | meanings(
        *under("get_recent_decisions/parameters", "symbol action force_refresh"),
        *under(_DECISION, "decision_id symbol action confidence opportunity_score reasoning created_at"),
        *under(_SAVING, "symbol action confidence opportunity_score reasoning tool_calls"),
        *under(_SAVED, "decision_id saved"),
    ),
    BOUND: merged(
        [
            places("get_recent_decisions", INVALID_SYMBOL="/symbol", INVALID_ACTION="/action"),
            places(
                "save_decision", INVALID_SYMBOL="/symbol", INVALID_ACTION="/action", INVALID_CONFIDENCE="/confidence"
            ),
            {"save_decision/errors/REASONING_TOO_LONG/when": {"at": ["/reasoning"], "keyword": "maxLength"}},
        ]
    ),
    STATUSES: statuses("get_recent_decisions", INVALID_SYMBOL=400, INVALID_ACTION=400)
    | statuses("save_decision", INVALID_SYMBOL=400, INVALID_ACTION=400, INVALID_CONFIDENCE=400, REASONING_TOO_LONG=400),
}

_SPEC = "get_top_specs/returns/properties/items/items"
_IMPLEMENTATION = "get_implementations/returns/properties/items/items"
_SUBMITTING, _CREATED = "submit_new_spec/parameters", "submit_new_spec/returns"
_NAME = {"type": "string", "pattern": _IDENTIFIER, "maxLength": 64, "description": A_SENTENCE}
_REFERENCE = {"type": "string", "maxLength": 64, "description": A_SENTENCE}
_NUMBER = {"anyOf": [{"type": "integer"}, {"type": "number"}], "description": A_SENTENCE}
_PARAMS = {
    "type": "object",
    "additionalProperties": {"anyOf": [{"type": "integer"}, {"type": "number"}, {"type": "string"}]},
    "description": A_SENTENCE,
}


_SETTING = {
    "anyOf": [
        *({"type": kind, "minimum": -_LARGEST, "maximum": _LARGEST} for kind in ("integer", "number")),
        {"type": "string", "maxLength": 128},
    ]
}
"""A member of a short form, whose name is the caller's."""


def _kind(names: Iterable[str]) -> Table:
    return {"type": "string", "enum": list(names), "description": A_SENTENCE}


def _shape(**properties: Table) -> Table:
    """An object with *properties*, or with the members of the short form."""
    whole = {"properties": properties, "additionalProperties": _SETTING}
    return {"type": "object", "description": A_SENTENCE} | whole


_TYPE = _kind([*INDICATORS.split(), *INDICATORS.lower().split()])
_INDICATOR = _shape(id=_NAME, type=_TYPE, name=_TYPE, input=_REFERENCE, params=_PARAMS)
_CONDITION = _shape(type=_kind(RULES.split()), indicator=_REFERENCE, params=_PARAMS)
_PARAMETER = {
    "type": "object",
    "description": A_SENTENCE,
    "properties": {
        "name": _NAME, "type": _kind(["INTEGER", "DOUBLE"]), "min": _NUMBER, "max": _NUMBER, "defaultValue": _NUMBER
    },
    "required": ["name", "min", "max"],
    "additionalProperties": False,
}  # fmt: skip
_SUBMITTED = "name description indicators entry_conditions exit_conditions parameters reasoning"

STRATEGY_DB: Final[dict[str, Table]] = {
    DESCRIBED: {"strategy-db-mcp/description": A_SENTENCE},
    FORMATS: {f"{_SUBMITTING}/properties/name/pattern": "^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$"},
    PAGES: page("get_top_specs", 100) | page("get_implementations", 100),
    CLOSED: merged(
        [
            page_closed("get_top_specs", "spec_id name indicators implementations_count"),
            page_closed("get_implementations", "impl_id parameters symbol status"),
            closed(_SUBMITTING),
            closed(_CREATED, "spec_id created validation_errors"),
        ]
    ),
    BOUNDS: {
        f"{_SPEC}/properties/implementations_count/minimum": 0,
        f"{_SPEC}/properties/indicators/maxItems": 1000,
        f"{_SUBMITTING}/properties/indicators/minItems": 1,
        f"{_SUBMITTING}/properties/indicators/maxItems": 50,
        f"{_SUBMITTING}/properties/entry_conditions/minItems": 1,
        f"{_SUBMITTING}/properties/entry_conditions/maxItems": 50,
        f"{_SUBMITTING}/properties/exit_conditions/minItems": 1,
        f"{_SUBMITTING}/properties/exit_conditions/maxItems": 50,
        f"{_SUBMITTING}/properties/parameters/maxItems": 50,
        f"{_CREATED}/properties/validation_errors/maxItems": 1000,
    }
    | fraction(f"{_IMPLEMENTATION}/properties/forward_accuracy"),
    STORABLE: {
        f"{_SUBMITTING}/properties/name/maxLength": 100,
        f"{_SUBMITTING}/properties/description/maxLength": 2000,
        f"{_SUBMITTING}/properties/description/pattern": _NO_NUL,
        f"{_SUBMITTING}/properties/reasoning/maxLength": 10_000,
        f"{_SUBMITTING}/properties/reasoning/pattern": _NO_NUL,
    },
    CHOICES: {f"{_IMPLEMENTATION}/properties/status/enum": ["CANDIDATE", "VALIDATED", "DEPLOYED", "RETIRED"]},
    OPEN: {
        f"{_SPEC}/properties/indicators/items": _OBJECTS,
        f"{_IMPLEMENTATION}/properties/parameters/additionalProperties": True,
    },
    SHAPES: {
        f"{_SUBMITTING}/properties/indicators/items": _INDICATOR,
        f"{_SUBMITTING}/properties/entry_conditions/items": _CONDITION,
        f"{_SUBMITTING}/properties/exit_conditions/items": _CONDITION,
        f"{_SUBMITTING}/properties/parameters/items": _PARAMETER,
        f"{_CREATED}/properties/validation_errors/items": {"type": "string"},
    },
    MEANINGS: page_meanings("get_top_specs")
    | page_meanings("get_implementations")
    | meanings(
        *under("get_top_specs/parameters", "source force_refresh"),
        *under(_SPEC, "spec_id name indicators avg_sharpe implementations_count"),
        *under("get_implementations/parameters", "spec_id status force_refresh"),
        *under(_IMPLEMENTATION, "impl_id parameters symbol forward_sharpe forward_accuracy status"),
        *under(_SUBMITTING, _SUBMITTED),
        *under(_CREATED, "spec_id created validation_errors"),
    ),
    BOUND: merged(
        [
            places("get_top_specs", INVALID_SOURCE="/source"),
            places("get_implementations", INVALID_STATUS="/status"),
            places(
                "submit_new_spec",
                INVALID_NAME="/name",
                INVALID_CONDITIONS="/entry_conditions /exit_conditions",
                SCHEMA_VALIDATION_ERROR="/description /indicators /parameters /reasoning",
            ),
            {"submit_new_spec/errors/INVALID_INDICATORS/when": {"at": ["/indicators"], "keyword": "enum"}},
        ]
    ),
    STATUSES: statuses("get_top_specs", INVALID_SOURCE=400)
    | statuses("get_implementations", SPEC_NOT_FOUND=404, INVALID_STATUS=400)
    | statuses(
        "submit_new_spec",
        INVALID_NAME=400,
        DUPLICATE_NAME=409,
        INVALID_INDICATORS=422,
        INVALID_CONDITIONS=422,
        SCHEMA_VALIDATION_ERROR=422,
    ),
    DETAILS: {"get_implementations/errors/SPEC_NOT_FOUND/details": {"spec_id": {"type": "string"}}},
    FINDINGS: {
        f"submit_new_spec/errors/{code}/details": {"violations": {"type": "array", "description": A_SENTENCE}}
        for code in ("DUPLICATE_NAME", "INVALID_INDICATORS", "INVALID_CONDITIONS", "SCHEMA_VALIDATION_ERROR")
    },
}
