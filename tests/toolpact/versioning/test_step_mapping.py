import asyncio
from copy import deepcopy

from toolpact.declarations.version_steps import Add, Drop, Move, Step
from toolpact.json_values import JsonObject
from toolpact.versioning.step_mapping import Mapping, inverted

SIDES = (("buy", "long"), ("sell", "short"))
LIMITS: tuple[Step, ...] = (
    Move("/strategy", "/portfolio_id"),
    Move("/side", "/direction", SIDES),
    Drop("/note", "none"),
    Add("/unit", "lots"),
)
BASKET: tuple[Step, ...] = (
    Move("/items", "/legs"),
    Move("/items/*/qty", "/legs/*/quantity"),
    Add("/legs/*/unit", "lots"),
)


def up(steps: tuple[Step, ...], value: JsonObject) -> JsonObject:
    before = deepcopy(value)
    result = Mapping(steps).carried(value)
    assert value == before
    return result


def down(steps: tuple[Step, ...], value: JsonObject) -> JsonObject:
    return up(inverted(steps), value)


def test_what_is_named_moves_and_what_is_not_is_carried() -> None:
    newer = up(LIMITS, {"strategy": "s", "side": "buy", "note": "n", "horizon": "swing"})
    assert newer == {"portfolio_id": "s", "direction": "long", "unit": "lots", "horizon": "swing"}
    assert down(LIMITS, newer) == {"strategy": "s", "side": "buy", "note": "none", "horizon": "swing"}


def test_a_member_that_is_missing_stays_missing() -> None:
    assert up(LIMITS, {}) == {"unit": "lots"}
    assert down((Move("/a", "/b"), Drop("/c")), {}) == {}


def test_two_members_change_places() -> None:
    assert up((Move("/a", "/b"), Move("/b", "/a")), {"a": 1, "b": 2}) == {"a": 2, "b": 1}
    assert up((Move("/a", "/b"), Move("/b", "/c")), {"a": 1}) == {"b": 1}


def test_values_change_in_place() -> None:
    steps = (Move("/sides/*", "/sides/*", SIDES),)
    assert up(steps, {"sides": ["sell", None, "other"]}) == {"sides": ["short", None, "other"]}
    assert down(steps, {"sides": ["short"]}) == {"sides": ["sell"]}


def test_an_array_moves_while_its_items_change() -> None:
    older = {"items": [{"qty": 1, "id": "x"}, {"id": "y"}]}
    newer = {"legs": [{"quantity": 1, "id": "x", "unit": "lots"}, {"id": "y", "unit": "lots"}]}
    assert up(BASKET, older) == newer
    assert down(BASKET, newer) == older
    assert up(BASKET, {}) == {}


def test_objects_are_made_for_what_moves_into_them_and_dropped_by_name() -> None:
    steps = (Move("/strategy", "/portfolio/id"), Add("/portfolio", {}))
    assert up(steps, {"strategy": "s"}) == {"portfolio": {"id": "s"}}
    assert down(steps, {"portfolio": {"id": "s"}}) == {"strategy": "s"}


def test_an_object_that_is_not_there_gets_no_added_member() -> None:
    steps = (Add("/filter/mode", "all"), Drop("/page/style", "offset"))
    assert up(steps, {}) == {}
    assert up(steps, {"filter": {}}) == {"filter": {"mode": "all"}}
    assert down(steps, {"filter": {"mode": "one"}, "page": {}}) == {"filter": {}, "page": {"style": "offset"}}


def test_a_constant_is_never_shared_between_values() -> None:
    mapping = Mapping((Add("/tags", []),))
    mapping.carried({})["tags"].append("x")
    assert mapping.carried({}) == {"tags": []}


def test_what_no_rule_can_say_is_looked_up() -> None:
    async def portfolio_of(value: str, call: dict[str, str]) -> str:
        return call[value]

    mapping = Mapping((Move("/orders/*/strategy", "/orders/*/portfolio_id", lookup=portfolio_of),))
    value = {"orders": [{"strategy": "s"}, {}]}
    assert mapping.asks
    assert asyncio.run(mapping.looked_up(value, {"s": "p"})) == {"orders": [{"portfolio_id": "p"}, {}]}


def test_a_place_is_named_in_the_other_version() -> None:
    newer, older = Mapping(BASKET), Mapping(inverted(BASKET))
    assert newer.place("/items/3/qty") == "/legs/3/quantity"
    assert newer.place("/items/3") == "/legs/3"
    assert newer.place("") == ""
    assert older.place("/legs/0/quantity") == "/items/0/qty"
    assert older.place("/legs/0/unit") is None
    assert newer.place("/legs/0") is None
    assert newer.place("/items/0/unit") is None
    assert Mapping(LIMITS).place("/note/0") is None
    assert Mapping((Move("/a~1b", "/c~0d"),)).place("/a~1b/x") == "/c~0d/x"
