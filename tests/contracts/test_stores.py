"""Compare the contracts of servers with state in PostgreSQL with the specification."""

import pytest

from tests.contracts.reading import contracts
from tests.contracts.stores import DECISIONS, PORTFOLIO, STRATEGY_DB, Table
from tests.contracts.test_seeds import differences, judge, promised, specification, specified

SERVERS = [("portfolio", PORTFOLIO), ("decisions", DECISIONS), ("strategy_db", STRATEGY_DB)]
NAMES = [name for name, _ in SERVERS]


@pytest.mark.parametrize("name,table", SERVERS, ids=NAMES)
def test_a_contract_differs_from_the_specification_only_where_a_reason_is_given(
    name: str, table: dict[str, Table]
) -> None:
    assert judge(dict(differences(specified(name), promised(f"tradestream.{name}"))), table) == []


@pytest.mark.parametrize("name,table", SERVERS, ids=NAMES)
def test_no_difference_has_two_reasons(name: str, table: dict[str, Table]) -> None:
    places = [place for rows in table.values() for place in rows]
    assert len(places) == len(set(places)), name


@pytest.mark.parametrize("name", NAMES)
def test_tools_have_the_order_of_the_specification_and_its_codes_come_first(name: str) -> None:
    specified, ours = specification(name)["tools"], contracts()[f"tradestream.{name}"]["tools"]
    assert [tool["name"] for tool in ours] == [tool["name"] for tool in specified]
    for theirs, mine in zip(specified, ours, strict=True):
        codes = [error["code"] for error in theirs["errors"]]
        assert [error["code"] for error in mine["errors"]][: len(codes)] == codes


@pytest.mark.parametrize("name", NAMES)
def test_tools_have_an_idempotency_key_exactly_if_they_write_and_never_cache_writes(name: str) -> None:
    for tool in contracts()[f"tradestream.{name}"]["tools"]:
        changes = bool({"adds", "writes"} & tool["effects"].keys())
        assert ("idempotency" in tool) == changes
        assert ("cache" in tool) <= (not changes)
