"""Documents of views, before a browser reads them."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections import Counter
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.shipped import generated_paths
from tests.toolaccord.views.samples import PANELS, STACK, configuration
from toolaccord.views import CONTENT_SECURITY_POLICY, build_document

FOLDER = Path(str(resources.files("toolaccord.views")))
DIGESTS = {
    "uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
}
GOAL_BYTES = 120_000
TOP_LEVEL = re.compile(r"^(?:export )?(?:async )?(?:const|let|function|class) (\w+)", re.MULTILINE)


class Scripts(HTMLParser):
    """The texts of a document's scripts, and all attributes."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.attributes: list[str] = []
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [name for name, _ in attrs]
        if tag == "script":
            self.texts.append("")

    def handle_data(self, data: str) -> None:
        if self.texts and self.cdata_elem == "script":
            self.texts[-1] += data


def weight(document: str) -> int:
    """Return the size of a document in bytes, after gzip."""
    return len(gzip.compress(document.encode(), 9, mtime=0))


def test_a_document_holds_everything_and_loads_nothing() -> None:
    document = build_document(configuration(*STACK))
    scripts = Scripts(document)
    assert not {"src", "href"} & set(scripts.attributes)
    assert not [name for name in scripts.attributes if name.startswith("on")]
    assert not re.search(r"url\(|@import", document)
    assert CONTENT_SECURITY_POLICY in document
    assert "default-src 'none'" in CONTENT_SECURITY_POLICY
    code = "".join(scripts.texts)
    assert not re.search(r"\beval\(|new Function|innerHTML|^(import|export) ", code, re.MULTILINE)


def test_the_frame_of_a_document_has_the_same_policy() -> None:
    frame = (FOLDER / "frame.html").read_text(encoding="utf-8")
    assert re.findall(r'Content-Security-Policy" content="([^"]*)"', frame) == [CONTENT_SECURITY_POLICY]


def test_texts_of_a_contract_cannot_end_the_script_that_holds_them() -> None:
    hostile = "</script><script>alert(1)</script><!-- \u2028 &amp;"
    document = build_document(configuration({**PANELS["figures"], "title": hostile}, title=hostile))
    view, *_ = Scripts(document).texts
    assert json.loads(view)["title"] == hostile
    assert json.loads(view)["panels"][0]["title"] == hostile
    assert document.count("alert(1)") == 3
    assert "<script>alert" not in document


@pytest.mark.parametrize("name", PANELS)
def test_a_document_has_the_modules_that_its_panels_need_and_no_other(name: str) -> None:
    document = build_document(configuration(PANELS[name]))
    kind = PANELS[name]["kind"]
    for other in ("bars", "candles", "figures", "form", "lines", "table"):
        assert (f"class {other.capitalize()}Panel " in document) == (other == kind)
    assert ("leeoniya/uPlot" in document) == (kind in {"candles", "lines"})


def test_names_are_unique_among_the_modules_that_a_document_joins() -> None:
    modules = [path for path in FOLDER.rglob("*.js") if path.parent.name != "vendor" and path.name != "bridge.js"]
    names = Counter(name for path in modules for name in TOP_LEVEL.findall(path.read_text(encoding="utf-8")))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("name", DIGESTS)
def test_vendored_files_are_those_of_the_package(name: str) -> None:
    content = (FOLDER / "vendor" / name).read_bytes()
    assert hashlib.sha256(content).hexdigest() == DIGESTS[name]


def test_the_licence_of_what_is_vendored_goes_with_it() -> None:
    assert "Leon Sorokin" in (FOLDER / "vendor/LICENSE").read_text(encoding="utf-8")
    assert "Leon Sorokin" in build_document(configuration(PANELS["lines"]))


def test_the_page_about_views_says_how_large_the_documents_are() -> None:
    page = Path("docs/views.md").read_text(encoding="utf-8")
    said = {name: int(size) for name, size in re.findall(r"^\| `(\w+)` \| (\d+) kB \|", page, re.MULTILINE)}
    kinds = {name: (PANELS[name],) for name in ("bars", "candles", "figures", "form", "lines", "table")}
    measured = {name: weight(build_document(configuration(*panels))) for name, panels in kinds.items()}
    measured["stack"] = weight(build_document(configuration(PANELS["candles"], *STACK)))
    assert max(measured.values()) <= GOAL_BYTES
    assert said == pytest.approx({name: size / 1000 for name, size in measured.items()}, abs=1)


def test_each_view_of_the_servers_here_makes_a_document() -> None:
    for path in generated_paths("views/*.json"):
        view: dict[str, Any] = json.loads(path.read_bytes())
        assert weight(build_document(path.read_bytes())) <= GOAL_BYTES, view["tool"]
