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

pytestmark = pytest.mark.asyncio(loop_scope="session")


def examples(contract: Path) -> list[tuple[str, dict[str, Any]]]:
    """Return configurations of a server's views, each with the result of an example."""
    folder = GENERATED / contract.relative_to(CONTRACTS).with_suffix("") / "views"
    found = []
    for tool in load(contract).get("tools", []):
        path = folder / f"{tool['name']}.json"
        returned = [example["returns"] for example in tool.get("examples", []) if "returns" in example]
        if path.exists() and returned:
            text = path.read_text(encoding="utf-8")
            found.append((text, enveloped(returned[0], json.loads(text)["result"])))
    return found


def enveloped(value: Any, pointer: str) -> dict[str, Any]:
    """Return a tool's result that has a value at a pointer."""
    for step in reversed(pointer.split("/")[1:]):
        value = {step: value}
    return {"content": [], "structuredContent": value}


WITH_VIEWS = {path.stem: path for path in contract_files() if examples(path)}


@pytest.mark.parametrize("server", WITH_VIEWS)
async def test_each_view_shows_the_example_of_its_tool_on_a_telephone(browser: Browser, server: str) -> None:
    for configuration, result in examples(WITH_VIEWS[server]):
        async with show_view(browser, configuration, width=360) as view:
            await view.show(result)
            name = json.loads(configuration)["tool"]
            assert await view.texts(".empty:visible") == [], name
            assert await view.frame.evaluate("document.documentElement.scrollWidth") == 360, name
            shown = await view.texts("dd, tbody td, .bars .value, .legend b + span")
            assert not shown or [text for text in shown if text != "–"], name
