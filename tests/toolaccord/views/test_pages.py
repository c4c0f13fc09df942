"""Pages of views in a host: the states of a call, the theme, the locale and the size."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser

from tests.toolaccord.views.samples import PANELS, configuration, sample
from tests.toolaccord.views.shown import show_view

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_page_says_what_became_of_the_call(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["figures"])) as view:
        assert await view.texts("[role=status]") == ["Loading …"]
        await view.show({"isError": True, "content": [{"type": "text", "text": "Unknown symbol ABC"}]})
        assert await view.texts("[role=alert]") == ["Unknown symbol ABC"]
        await view.show(sample())
        assert not await view.find(".status").is_visible()
        await view.send("sendToolCancelled", {"reason": "the user stopped it"})
        await view.find("body[data-state=cancelled]").wait_for()
        assert await view.texts("[role=status]") == ["The call was cancelled: the user stopped it"]
