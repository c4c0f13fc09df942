"""The queries of candle stores: Flux by InfluxData's parser, and literals of each language."""

from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from handlers.candles import flux, influxql
from handlers.candles.flux import FluxQueries
from handlers.candles.store import WIDTH_MS
from tests.handlers.candles.stores import closing, opened
from tests.services import influxd
from tests.services.flux_parser import FluxParser

END = 1_795_219_200_000
INJECTIONS = [
    "x' OR '1'='1",
    "x'; DROP DATABASE candles; --",
    "x\\' OR 1=1 --",
    'x" or true or r.currency_pair == "',
    'x") |> drop() //',
    "${1 + 1}",
    "$${1 + 1}",
    "\\${1 + 1}",
    "\\",
    "'",
    '"',
    "\n\r\t",
]


def flux_texts(bucket: str = "tradestream-data", symbol: str = "ETH/USD") -> list[str]:
    texts = FluxQueries(bucket)
    pages = [texts.page(symbol, width, END - 100 * width, END, 10, 90) for width in WIDTH_MS.values()]
    spans = [texts.between(symbol, width, END - 100 * width, END) for width in WIDTH_MS.values()]
    return [*pages, *spans, texts.newest(symbol, END), texts.day(symbol, END), texts.symbols(END)]


def strings(node: Any) -> list[str]:
    """Every string literal of a syntax tree."""
    if isinstance(node, list):
        return [found for part in node for found in strings(part)]
    if not isinstance(node, dict):
        return []
    own = [node["value"]] if node.get("type") == "StringLiteral" else []
    return own + [found for name, part in node.items() if name != "location" for found in strings(part)]


def test_influxdatas_parser_takes_every_flux_text(flux_parser: FluxParser) -> None:
    assert [text for text in flux_texts() if not flux_parser.accepts(text)] == []


@pytest.mark.parametrize(
    "right, wrong",
    [("every: 60m", "every: 60x"), ("|> limit(n:", "|> limit(m:"), ("fn: max", "fn: most"), ("desc: true", 'desc: "yes"')],
)  # fmt: skip
def test_influxdatas_parser_would_notice_a_mistake(flux_parser: FluxParser, right: str, wrong: str) -> None:
    text = flux_texts()[3]
    assert right in text
    assert not flux_parser.accepts(text.replace(right, wrong))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text())
@example("".join(INJECTIONS))
def test_a_flux_literal_is_its_text_and_nothing_else(flux_parser: FluxParser, text: str) -> None:
    tree = flux_parser.tree(f"x = {flux.literal(text)}")
    assert [(part["type"], part["init"]["type"], part["init"]["value"]) for part in tree["body"]] == [
        ("VariableAssignment", "StringLiteral", text)
    ]


@pytest.mark.parametrize("hostile", INJECTIONS)
def test_the_flux_query_keeps_its_shape_for_any_bucket_and_symbol(flux_parser: FluxParser, hostile: str) -> None:
    for plain, text in zip(flux_texts(), flux_texts(hostile, hostile), strict=True):
        assert flux_parser.accepts(text)
        expected = [
            hostile if found in {"tradestream-data", "ETH/USD"} else found for found in strings(flux_parser.tree(plain))
        ]
        assert strings(flux_parser.tree(text)) == expected


async def test_an_influxql_literal_is_its_text_and_nothing_else(influxdb_url: str, influx_database: str) -> None:
    hostile = [text for text in INJECTIONS if not text.endswith("\\") and "\n" not in text]  # a tag cannot be those
    hostile += ["\\'", "é'\\n", "a,b=c d'"]
    lines = [f"candles,currency_pair={_tag(text)} close={number} 1000" for number, text in enumerate(hostile)]
    influxd.write_lines(influxdb_url, influx_database, lines)
    async with closing(opened(influxdb_url, bucket=influx_database)) as source:
        for number, text in enumerate(hostile):
            where = f"currency_pair = {influxql.literal(text)}"
            assert await source.query(f"SELECT close FROM candles WHERE {where}") == [{"time": 1000, "close": number}]
        for text in ("\\", "\n", "x'\n"):
            where = f"currency_pair = {influxql.literal(text)}"
            assert await source.query(f"SELECT close FROM candles WHERE {where}") == []


def _tag(text: str) -> str:
    """*text* as a tag's value in the line protocol."""
    for special in (",", "=", " "):
        text = text.replace(special, f"\\{special}")
    return text
