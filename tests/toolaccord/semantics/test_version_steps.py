from copy import deepcopy

from toolaccord.json_values import JsonObject
from toolaccord.semantics.version_steps import Step, StepMapping, add, drop, invert, move

SIDES = (("buy", "long"), ("sell", "short"))
LIMITS: tuple[Step, ...] = (
    move("/strategy", "/portfolio_id"),
    move("/side", "/direction", SIDES),
    drop("/note", "none"),
    add("/unit", "lots"),
)
BASKET: tuple[Step, ...] = (
    move("/items", "/legs"),
    move("/items/*/qty", "/legs/*/quantity"),
    add("/legs/*/unit", "lots"),
)


def up(steps: tuple[Step, ...], value: JsonObject) -> JsonObject:
    before = deepcopy(value)
    mapping = StepMapping(steps)
    result: JsonObject = mapping.insert(*mapping.extract(value))
    assert value == before
    return result


def down(steps: tuple[Step, ...], value: JsonObject) -> JsonObject:
    return up(invert(steps), value)


def test_named_members_move_and_all_others_are_carried_over() -> None:
    newer = up(LIMITS, {"strategy": "s", "side": "buy", "note": "n", "horizon": "swing"})
    assert newer == {"portfolio_id": "s", "direction": "long", "unit": "lots", "horizon": "swing"}
    assert down(LIMITS, newer) == {"strategy": "s", "side": "buy", "note": "none", "horizon": "swing"}


def test_a_member_that_is_missing_stays_missing() -> None:
    assert up(LIMITS, {}) == {"unit": "lots"}
    assert down((move("/a", "/b"), drop("/c")), {}) == {}


def test_two_members_can_swap_places() -> None:
    assert up((move("/a", "/b"), move("/b", "/a")), {"a": 1, "b": 2}) == {"a": 2, "b": 1}
    assert up((move("/a", "/b"), move("/b", "/c")), {"a": 1}) == {"b": 1}


def test_values_change_in_place() -> None:
    steps = (move("/sides/*", "/sides/*", SIDES),)
    assert up(steps, {"sides": ["sell", None, "other"]}) == {"sides": ["short", None, "other"]}
    assert down(steps, {"sides": ["short"]}) == {"sides": ["sell"]}


def test_an_array_moves_while_its_items_change() -> None:
    older = {"items": [{"qty": 1, "id": "x"}, {"id": "y"}]}
    newer = {"legs": [{"quantity": 1, "id": "x", "unit": "lots"}, {"id": "y", "unit": "lots"}]}
    assert up(BASKET, older) == newer
    assert down(BASKET, newer) == older
    assert up(BASKET, {}) == {}


def test_objects_are_created_for_members_that_move_into_them_and_dropped_by_name() -> None:
    steps = (move("/strategy", "/portfolio/id"), add("/portfolio", {}))
    assert up(steps, {"strategy": "s"}) == {"portfolio": {"id": "s"}}
    assert down(steps, {"portfolio": {"id": "s"}}) == {"strategy": "s"}


def test_an_absent_object_gets_no_added_member() -> None:
    steps = (add("/filter/mode", "all"), drop("/page/style", "offset"))
    assert up(steps, {}) == {}
    assert up(steps, {"filter": {}}) == {"filter": {"mode": "all"}}
    assert down(steps, {"filter": {"mode": "one"}, "page": {}}) == {"filter": {}, "page": {"style": "offset"}}


def test_a_constant_is_never_shared_between_values() -> None:
    mapping = StepMapping((add("/tags", []),))
    mapping.insert({}, {})["tags"].append("x")
    assert mapping.insert({}, {}) == {"tags": []}


def test_a_pointer_is_translated_to_the_other_version() -> None:
    newer, older = StepMapping(BASKET), StepMapping(invert(BASKET))
    assert newer.map_pointer("/items/3/qty") == "/legs/3/quantity"
    assert newer.map_pointer("/items/3") == "/legs/3"
    assert newer.map_pointer("") == ""
    assert older.map_pointer("/legs/0/quantity") == "/items/0/qty"
    assert older.map_pointer("/legs/0/unit") is None
    assert newer.map_pointer("/legs/0") is None
    assert newer.map_pointer("/items/0/unit") is None
    assert StepMapping(LIMITS).map_pointer("/note/0") is None
    assert StepMapping((move("/a~1b", "/c~0d"),)).map_pointer("/a~1b/x") == "/c~0d/x"
