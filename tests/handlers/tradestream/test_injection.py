"""Hostile values in every text that a query of TradeStream takes."""

import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any
from uuid import uuid4

import pytest

from generated.tradestream.backtest import queries as backtest
from generated.tradestream.decisions import queries as decisions
from generated.tradestream.portfolio import queries as portfolio
from generated.tradestream.strategy import queries as strategy
from generated.tradestream.strategy_db import queries as strategy_db
from toolaccord.sources.postgresql import Postgresql, PostgresqlError

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
VALUES: Mapping[str, Any] = {
    "int": 5,
    "UUID": uuid4(),
    "datetime": NOW,
    "date": NOW.date() - timedelta(days=1),
    "str": "ETH/USD",
    "Sequence[str]": ["RSI"],
    "Any": [],
    "float": 0.5,
}
"""A harmless value by its annotation."""
ATTACKS = (
    *(
        "'",
        "''",
        "\\'",
        '"',
        "`",
        ";",
        "--",
        "/*",
        "*/",
        "$1",
        "$$",
        "$tag$",
        ":symbol",
        ":symbol?",
        "%s",
        "{}",
        "\\",
        "?",
    ),
    *("' OR '1'='1", "' OR 1=1 --", "'; DROP TABLE agent_decisions; --", "'; DELETE FROM strategies; --", "\\'; --"),
    *("1; UPDATE accounts SET total_balance = 0", "') UNION SELECT version() --", "x' AND pg_sleep(9) --", "E'\\047'"),
    *(
        "-- when :metric = sharpe",
        "\nORDER BY 1",
        "\n-- name: evil :exec\nDROP TABLE signals",
        "U&'\\0027'",
        "\u02bc; --",
    ),
    *("\uff07 OR 1=1", "%", "_", "%' --", "NULL", "true", "pg_catalog.pg_class", "COPY accounts TO PROGRAM 'id'"),
    *("\u202e' --", "\ufeff'", "\x1b[31m'", "'\r\n;--", "chr(39)", "0x27", "$1::text", "\\x27", "'||(SELECT 1)||'"),
)
FRAMES = ("{}", "ETH/USD{}", "{}ETH/USD", "'{}'", '"{}"', "({})", "{0}{0}", " {} ")
HOSTILE = [frame.replace("{0}", attack).replace("{}", attack) for attack, frame in product(ATTACKS, FRAMES)]
TABLES = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1"


def _list_texts() -> Iterator[tuple[Callable[..., Awaitable[Any]], str]]:
    """Yield each text parameter of each query that reads."""
    for module in (backtest, decisions, portfolio, strategy, strategy_db):
        for name, function in vars(module).items():
            if inspect.iscoroutinefunction(function) and name not in {"save", "submit"}:
                annotations = inspect.get_annotations(function)
                texts = [
                    each for each, text in annotations.items() if text in {"str", "str | None"} and each != "return"
                ]
                yield from ((function, each) for each in texts)


TEXTS = [*_list_texts()]


def test_every_server_with_texts_is_attacked_with_seven_thousand_values() -> None:
    assert len(TEXTS) * len(HOSTILE) >= 7000


@pytest.mark.parametrize("query, parameter", TEXTS, ids=[f"{each.__name__} {name}" for each, name in TEXTS])
async def test_a_hostile_text_is_a_text_and_changes_nothing(
    postgres: Postgresql, query: Callable[..., Awaitable[Any]], parameter: str
) -> None:
    await _save(postgres, "because")
    before = await _digest(postgres)
    harmless = {
        name: _choose(text)
        for name, text in inspect.get_annotations(query).items()
        if name not in {"postgres", "return"}
    }
    for value in HOSTILE:
        found = await query(postgres, **harmless | {parameter: value})
        assert not getattr(found, "total", 0) or parameter == "beginning"
    assert await _digest(postgres) == before


async def test_a_hostile_text_is_stored_as_it_is(postgres: Postgresql) -> None:
    for value in HOSTILE:
        decision_id = await _save(postgres, value)
        row = await postgres.fetch_one("SELECT reasoning FROM agent_decisions WHERE decision_id = $1", decision_id)
        assert row == {"reasoning": value}


async def test_a_text_that_postgresql_cannot_hold_is_an_error_of_the_statement(postgres: Postgresql) -> None:
    with pytest.raises(PostgresqlError):
        await strategy_db.is_taken(postgres, name="a\0b")


async def _digest(postgres: Postgresql) -> dict[str, Any]:
    """Return a digest of every table."""
    digests = {}
    for (table,) in await postgres.fetch_values(TABLES):
        rows = await postgres.fetch_values(
            f'SELECT md5(string_agg(t::text, chr(10) ORDER BY t::text)) FROM "{table}" t'
        )
        digests[table] = rows[0][0]
    return digests


async def _save(postgres: Postgresql, reasoning: str) -> Any:
    return await decisions.save(
        postgres,
        symbol="ETH/USD",
        action="BUY",
        confidence=0.5,
        opportunity_score=None,
        reasoning=reasoning,
        tool_calls=[],
        created_at=NOW,
    )


def _choose(annotation: str) -> Any:
    """Return a harmless value for an annotation; the first one of a Literal."""
    if annotation.startswith("Literal["):
        return annotation.removeprefix("Literal[").split("]")[0].split(",")[0].strip("'\" ")
    return VALUES[annotation.removesuffix(" | None").replace("_", "")]
