"""Views of the servers here, with the examples of their contracts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser

from tests.contracts.reading import CONTRACTS, contract_files, load
from tests.contracts.shipped import GENERATED
from tests.toolaccord.views.shown import show_view


def views(contract: Path) -> list[dict[str, Any]]:
    """Return the configurations of a server's views."""
    folder = GENERATED / contract.relative_to(CONTRACTS).with_suffix("") / "views"
    return [load(path) for path in sorted(folder.glob("*.json"))]


def examples(contract: Path) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return configurations of a server's views, each with the result of an example.

    Examples of other versions of the server do not count.
    """
    tools = {tool["name"]: tool.get("examples", []) for tool in load(contract).get("tools", [])}
    found = []
    for view in views(contract):
        own = (each for each in tools[view["tool"]] if "returns" in each and "version" not in each)
        found += [(view, enveloped(example["returns"], view["result"])) for example in [next(own, None)] if example]
    return found


def enveloped(value: Any, pointer: str) -> dict[str, Any]:
    """Return a tool's result that has a value at a pointer."""
    for step in reversed(pointer.split("/")[1:]):
        value = {step: value}
    return {"content": [], "structuredContent": value}


WITH_VIEWS = {path.stem: path for path in contract_files() if examples(path)}


def test_each_view_of_a_shipped_server_has_an_example_that_it_shows() -> None:
    shown = {view["tool"] for path in WITH_VIEWS.values() for view, _ in examples(path)}
    assert shown == {view["tool"] for path in contract_files() for view in views(path)}
    assert "risk.position_limits_check" in shown, "the file of a tool has the name of its function"


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("server", WITH_VIEWS)
async def test_each_view_shows_the_example_of_its_tool_on_a_telephone(browser: Browser, server: str) -> None:
    for configuration, result in examples(WITH_VIEWS[server]):
        async with show_view(browser, json.dumps(configuration), width=360) as view:
            await view.show(result)
            name = configuration["tool"]
            assert await view.texts(".empty:visible") == [], name
            assert await view.frame.evaluate("document.documentElement.scrollWidth") == 360, name
            shown = await view.texts("dd, tbody td, .bars .value, .legend b + span")
            assert not shown or [text for text in shown if text != "–"], name
