from datetime import date
from typing import Any

from toolaccord.declarations.operation import OlderVersion
from toolaccord.json_values import JsonObject
from toolaccord.semantics.version_steps import Step, move
from toolaccord.versioning.upgrade_path import UpgradePath


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
    (move("/strategy", "/portfolio_id"),),
    (move("/max_qty", "/max_quantity"),),
)
FIRST = version("1.0.0", {"name": {}}, (move("/name", "/strategy"),), (move("/allow", "/allowed"),))


async def test_arguments_go_up_through_every_version_with_the_defaults_of_each() -> None:
    path = UpgradePath((SECOND, FIRST))
    assert path.version is FIRST
    assert await path.upgrade({"name": "s"}, None) == {"portfolio_id": "s", "horizon": "swing"}


async def test_a_result_comes_down_through_every_version() -> None:
    result = {"allowed": True, "max_quantity": 3}
    assert await UpgradePath((SECOND, FIRST)).downgrade(result, None) == {"allow": True, "max_qty": 3}
    assert await UpgradePath((SECOND,)).downgrade(result, None) == {"allowed": True, "max_qty": 3}


def test_pointers_are_translated_between_both_ends() -> None:
    path = UpgradePath((SECOND, FIRST))
    assert path.newer_pointer("/name") == "/portfolio_id"
    assert path.older_pointer("/portfolio_id/0") == "/name/0"
    assert path.older_pointer("/name") is None
    assert path.newer_pointer("/portfolio_id") is None


async def test_lookups_take_the_call_record_in_both_directions() -> None:
    async def multiplied(value: Any, record: int) -> Any:
        return value * record

    steps = (move("/qty", "/lots", lookup=multiplied),), (move("/max", "/max", lookup=multiplied),)
    path = UpgradePath((SECOND, version("1.0.0", {}, *steps)))
    upgraded = await path.upgrade({"qty": 3, "strategy": "s"}, 2)
    assert upgraded == {"lots": 6, "portfolio_id": "s", "horizon": "swing"}
    assert await path.downgrade({"max": 3}, 2) == {"max": 6}


async def test_a_lookup_translates_each_value_it_finds() -> None:
    async def portfolio_of(value: str, record: dict[str, str]) -> str:
        return record[value]

    orders = move("/orders/*/strategy", "/orders/*/portfolio_id", lookup=portfolio_of)
    path = UpgradePath((version("1.0.0", {}, (orders,)),))
    upgraded = await path.upgrade({"orders": [{"strategy": "s"}, {}]}, {"s": "p"})
    assert upgraded == {"orders": [{"portfolio_id": "p"}, {}]}
