"""The command `site` shows changes, reports lost links, and replaces nothing of others."""

import json
import shutil
from pathlib import Path

import pytest

from tests.codegen.conftest import Command
from toolaccord.testing import progress


def edit(shop: Path, **tool: object) -> None:
    """Change keys of the shop's tool."""
    path = shop / "contracts/shop/stock.json"
    contract = json.loads(path.read_text(encoding="utf-8"))
    contract["tools"][0] |= tool
    path.write_text(json.dumps(contract), encoding="utf-8")


def test_changes_between_releases_are_shown_with_a_value_that_proves_them(shop: Path, command: Command) -> None:
    for release, length in (("one", 40), ("two", 30)):
        shutil.copytree(shop / "contracts", shop / release)
        article = {"type": "string", "maxLength": length - 10, "description": "Its name"}
        edit(
            shop,
            parameters={"type": "object", "properties": {"article": article}, "additionalProperties": False},
            version=f"{50 - length}.0.0",
        )
    code, output = command("site", "--against", "one", "--against", "two")
    assert (code, output.splitlines()[-1].startswith("5 pages in site: ")) == (0, True)
    page = (shop / "site/servers/shop/stock/count.html").read_text(encoding="utf-8")
    newest, oldest = page.index("From two to now"), page.index("From one to two")
    assert newest < oldest
    assert "the maximum number of characters changed from 40 to 30" in page[oldest:]
    assert "accepted before, rejected now" in page[oldest:]
    assert "the maximum number of characters changed from 30 to 20" in page[newest:oldest]
    assert "../servers" not in (shop / "site/changes.html").read_text(encoding="utf-8")


def test_a_link_that_leads_nowhere_is_reported(shop: Path, command: Command) -> None:
    (shop / "docs/inner").mkdir(parents=True)
    (shop / "docs/a.md").write_text("# A\n\n[b](inner/b.md#b) [lost](c.md) [far](inner/b.md#c)\n", encoding="utf-8")
    (shop / "docs/inner/b.md").write_text("# B\n\n[a](../a.md)\n", encoding="utf-8")
    code, output = command("site")
    assert code == 1
    assert output.splitlines()[:2] == ["docs/a.md: c.md leads nowhere", "docs/a.md: inner/b.md#c leads nowhere"]


def test_a_second_run_writes_changes_and_removes_pages_that_are_gone(shop: Path, command: Command) -> None:
    (shop / "docs").mkdir()
    page = shop / "docs/page.md"
    page.write_text("# Page\n\n![dot](dot.png)\n", encoding="utf-8")
    (shop / "docs/dot.png").write_bytes(b"\x89PNG\r\n\x1a\n\xff\x00")
    command("site")
    assert (shop / "site/docs/dot.png").read_bytes() == b"\x89PNG\r\n\x1a\n\xff\x00"
    assert command("site")[1].endswith(": 0 files written, 0 removed\n")
    (shop / "docs/dot.png").write_bytes(b"\\x89PNG\r\n\x1a\n\\xff\x00")
    assert ": 2 files written" in command("site")[1]
    assert (shop / "site/docs/dot.png").read_bytes() == b"\\x89PNG\r\n\x1a\n\\xff\x00"
    page.unlink()
    command("site")
    assert not (shop / "site/docs").exists()
    assert (shop / "site/index.html").exists()


@pytest.mark.parametrize(
    "start, rest",
    [
        ("<!DOCTYPE html>", "\n<html><p>Own</p></html>\n"),
        ("<!-- Licence > MIT -->\n<!-- a\nb --><!doctype html>", "<p>Own</p>"),
        ("", "<p>Own</p><!DOCTYPE html>"),
        ("", "<!-- a --><script>1</script><!-- b --><!DOCTYPE html>"),
        ("", "<!--><script>1</script>--><!DOCTYPE html>"),
        ("", "<!-- a --!><script>1</script>--><!DOCTYPE html>"),
        ("", "\u00a0<!DOCTYPE html>"),
        ("", "<!-- -->" * 200),
    ],
)
def test_a_view_of_the_project_gets_the_policy_of_hosts_after_its_doctype_and_before_all_else(
    shop: Path, command: Command, start: str, rest: str
) -> None:
    (shop / "contracts/shop/own.html").write_text(start + rest, encoding="utf-8")
    edit(shop, view={"kind": "html", "file": "own.html"})
    assert command("site")[0] == 0
    page = (shop / "site/views/shop/stock/count.html").read_text(encoding="utf-8")
    policy, end = page.removeprefix(start).split(">", 1)
    assert page.startswith(start)
    assert policy.startswith('<meta http-equiv="Content-Security-Policy" content="default-src \'none\';')
    assert end == rest


@pytest.mark.parametrize("names", [[], ["page.md"], ["index.md"]])
def test_progress_counts_each_page_once(
    shop: Path, command: Command, monkeypatch: pytest.MonkeyPatch, names: list[str]
) -> None:
    (shop / "docs").mkdir()
    for name in names:
        (shop / "docs" / name).write_text("# Page\n", encoding="utf-8")
    shown: list[tuple[int, int]] = []
    monkeypatch.setattr(progress.Line, "show", lambda _line, done, total, _name: shown.append((done, total)))
    command("site")
    assert shown == [(number, len(shown)) for number in range(len(shown))]


@pytest.mark.parametrize("name", ["index.html", "assets/site.js"])
def test_a_file_of_somebody_else_is_never_replaced(shop: Path, command: Command, name: str) -> None:
    own = shop / "site" / name
    own.parent.mkdir(parents=True)
    own.write_text("mine", encoding="utf-8")
    code, output = command("site")
    assert (code, own.read_text(encoding="utf-8")) == (2, "mine")
    assert f"not generated: site/{name}" in output
