"""Texts of contracts and of Markdown stay text, whatever they say."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
from justhtml import JustHTML

from tests.codegen.conftest import Command

MARKUP = '</script></title><script>alert(1)</script><img src=x onerror="alert(2)"> "><b>{{ 7 * 7 }}'
BIDI = "abc\u202egnp.exe\u2066 \x1b[2J"
PAGE = """# <b>Title</b> <script>alert(1)</script>

[run](javascript:alert(1)) [data](data:text/html,x) [out](https://example.com/a) ![far](https://example.com/a.png)
<a href="javascript:alert(2)" onclick="alert(3)">link</a> <!-- for authors --> \u202eabc

![near](near.svg) [up](../secret.txt) [page](second.md#its-heading)

```"><script>alert(4)</script>
<script>alert(5)</script>
```

<iframe src="https://example.com"></iframe>
"""


@pytest.fixture
def hostile(shop: Path, command: Command) -> dict[str, JustHTML]:
    """The pages of a site, by path, of a project in which every text is hostile."""
    path = shop / "contracts/shop/stock.json"
    path.write_text(json.dumps(spoil(json.loads(path.read_text()))), encoding="utf-8")
    docs = shop / "docs"
    docs.mkdir()
    (docs / "first.md").write_text(PAGE, encoding="utf-8")
    (docs / "second.md").write_text("## Its heading\n", encoding="utf-8")
    (docs / "near.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", encoding="utf-8")
    (shop / "secret.txt").write_text("secret", encoding="utf-8")
    (shop / "pyproject.toml").write_text(f"[project]\nname = {json.dumps(MARKUP)}\n", encoding="utf-8")
    assert command("site") == (0, ANY)
    pages = {each.relative_to(shop / "site").as_posix(): each for each in (shop / "site").rglob("*.html")}
    read = {
        name: JustHTML(each.read_text(encoding="utf-8"), sanitize=False, collect_errors=True)
        for name, each in pages.items()
    }
    assert [page.errors for page in read.values() if page.errors] == []
    return read


def spoil(contract: Any) -> Any:
    """Return the contract of the shop with hostile texts."""
    (tool,) = contract["tools"]
    contract["server"] |= {"title": MARKUP, "description": BIDI, "instructions": MARKUP}
    article = tool["parameters"]["properties"]["article"]
    del article["maxLength"]
    article |= {"description": MARKUP, "enum": [MARKUP, BIDI, "a"], "default": MARKUP}
    tool |= {
        "title": BIDI,
        "description": f"{MARKUP}\n\n{BIDI}",
        "errors": [{"code": "GONE", "http": 404, "description": MARKUP}],
        "view": {"kind": "figures", "title": MARKUP, "figures": ["/count"]},
    }
    tool["examples"] = [{"arguments": {"article": MARKUP}, "returns": {"count": 1}}]
    return contract


def attributes(page: JustHTML) -> Iterator[tuple[str, str, str]]:
    """Yield the attributes of all elements: element, name and value."""
    for element in page.query("*"):
        for name, value in (element.attrs or {}).items():
            yield element.name, name, value or ""


def test_no_text_becomes_an_element_or_an_address(hostile: dict[str, JustHTML]) -> None:
    for path, page in hostile.items():
        found = [*attributes(page)]
        assert [each for each in found if each[1].startswith("on") or each[2].lower().startswith("javascript:")] == []
        if not path.startswith("views/"):
            scripts = [element.attrs or {} for element in page.query("script")]
            assert all("src" in each or each.get("type") == "application/json" for each in scripts)
            assert all(str(each.get("src", "assets/")).lstrip("./").startswith("assets/") for each in scripts)
            assert [
                element for element in page.query("main b, main iframe, main img") if path.startswith("servers")
            ] == []


def test_hostile_texts_are_shown_as_they_are(hostile: dict[str, JustHTML]) -> None:
    text = hostile["servers/shop/stock/count.html"].to_text()
    assert MARKUP in text
    assert "abc\\u202egnp.exe\\u2066 \\x1b[2J" in text
    page = hostile["docs/first.html"].to_text()
    assert "[run](javascript:alert(1))" in page
    assert '<a href="javascript:alert(2)" onclick="alert(3)">link</a>' in page
    assert "<script>alert(5)</script>" in page
    assert "for authors" not in page


@pytest.mark.usefixtures("hostile")
def test_no_page_has_a_character_that_hides_others(shop: Path) -> None:
    for path in (shop / "site/servers").rglob("*.html"):
        assert {"\u202e", "\u2066", "\x1b"}.isdisjoint(path.read_text(encoding="utf-8"))


def test_a_picture_elsewhere_is_a_link_and_a_file_outside_of_docs_is_none(hostile: dict[str, JustHTML]) -> None:
    page = hostile["docs/first.html"]
    assert [(each.attrs or {})["src"] for each in page.query("main img")] == ["near.svg"]
    links = [(each.attrs or {}).get("href") for each in page.query("main p a")]
    assert links == ["https://example.com/a", "https://example.com/a.png", None, "second.html#its-heading"]
