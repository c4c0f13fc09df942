"""The contract of market-data-mcp against the specification, as in test_seeds.py."""

from tests.contracts.market import MARKET_DATA
from tests.contracts.reading import contracts
from tests.contracts.test_seeds import differences, judge, promised, specification, specified

ROOM = "tradestream.market_data"


def test_the_contract_differs_from_the_specification_only_where_a_reason_is_given() -> None:
    assert judge(dict(differences(specified("market_data"), promised(ROOM))), MARKET_DATA) == []


def test_no_difference_has_two_reasons() -> None:
    places = [place for rows in MARKET_DATA.values() for place in rows]
    assert len(places) == len(set(places))


def test_tools_and_error_codes_have_the_order_of_the_specification() -> None:
    specified, ours = specification("market_data")["tools"], contracts()[ROOM]["tools"]
    assert [tool["name"] for tool in ours] == [tool["name"] for tool in specified]
    for theirs, mine in zip(specified, ours, strict=True):
        assert [error["code"] for error in mine["errors"]] == [error["code"] for error in theirs["errors"]]


def test_a_price_is_stale_after_five_minutes_unless_the_environment_says_otherwise() -> None:
    setting = contracts()[ROOM]["settings"]["price_max_age_s"]
    assert (setting["env"], setting["default"]) == ("PRICE_MAX_AGE", 300)
