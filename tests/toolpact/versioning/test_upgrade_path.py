import asyncio
from datetime import date
from typing import Any

from toolpact.declarations.tool import OlderVersion
from toolpact.declarations.version_steps import Move, Step
from toolpact.json_values import JsonObject
from toolpact.versioning.upgrade_path import Passage


def version(name: str, parameters: JsonObject, steps: tuple[Step, ...], results: tuple[Step, ...] = ()) -> OlderVersion:
    return OlderVersion(
        version=name,
        released_on=date(2026, 1, 1),
        deprecated_on=None,
        sunset_on=None,
        parameters={"type": "object", "properties": parameters},
        returns={"type": "object"},
        parameter_steps=steps,
        result_steps=results,
    )


SECOND = version(
    "1.1.0",
    {"strategy": {}, "horizon": {"default": "swing"}},
    (Move("/strategy", "/portfolio_id"),),
    (Move("/max_qty", "/max_quantity"),),
)
FIRST = version("1.0.0", {"name": {}}, (Move("/name", "/strategy"),), (Move("/allow", "/allowed"),))


def test_a_request_goes_up_through_every_version_between_with_the_defaults_of_each() -> None:
    passage = Passage((SECOND, FIRST))
    assert passage.version is FIRST
    assert passage.upgraded({"name": "s"}) == {"portfolio_id": "s", "horizon": "swing"}


def test_a_result_comes_down_through_every_version_between() -> None:
    assert Passage((SECOND, FIRST)).downgraded({"allowed": True, "max_quantity": 3}) == {"allow": True, "max_qty": 3}
    assert Passage((SECOND,)).downgraded({"allowed": True, "max_quantity": 3}) == {"allowed": True, "max_qty": 3}


def test_places_are_named_as_either_end_names_them() -> None:
    passage = Passage((SECOND, FIRST))
    assert passage.newer_pointer("/name") == "/portfolio_id"
    assert passage.older_pointer("/portfolio_id/0") == "/name/0"
    assert passage.older_pointer("/name") is None
    assert passage.newer_pointer("/portfolio_id") is None


def test_a_passage_knows_whether_a_lookup_has_to_be_asked() -> None:
    async def doubled(value: Any, call: int) -> Any:
        return value * call

    asking = version("1.0.0", {}, (Move("/qty", "/lots", lookup=doubled),), (Move("/max", "/max", lookup=doubled),))
    passage = Passage((SECOND, asking))
    assert passage.requests_ask
    assert passage.results_ask
    assert not Passage((SECOND,)).requests_ask
    assert asyncio.run(passage.upgraded_with({"qty": 3, "strategy": "s"}, 2)) == {
        "lots": 6,
        "portfolio_id": "s",
        "horizon": "swing",
    }
    assert asyncio.run(passage.downgraded_with({"max": 3}, 2)) == {"max": 6}
