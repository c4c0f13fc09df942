"""The files of the console, without a browser."""

import gzip
import re
from importlib import resources
from pathlib import Path

MAX_COMPRESSED_BYTES = 200_000
FOLDERS = ("console", "views")
TELEMETRY = Path(__file__).parents[3] / "toolaccord" / "telemetry"
MARKUP = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function")
STORES = re.compile(r"localStorage|sessionStorage|indexedDB|\bcaches\.|document\.cookie")


def test_console_and_views_take_at_most_200_kilobytes_compressed() -> None:
    files = [each for folder in FOLDERS for each in resources.files(f"toolaccord.{folder}").iterdir() if each.is_file()]
    assert sum(len(gzip.compress(each.read_bytes())) for each in files) <= MAX_COMPRESSED_BYTES


def test_the_console_has_no_inline_script_and_makes_no_markup_of_texts() -> None:
    console = resources.files("toolaccord.console")
    page = (console / "console.html").read_text()
    assert not re.search(r"\son\w+=|<script>|<style|style=", page)
    for each in console.iterdir():
        if each.name.endswith(".js"):
            assert not MARKUP.search(each.read_text()), each.name


def test_the_console_stores_nothing() -> None:
    for each in resources.files("toolaccord.console").iterdir():
        if each.name.endswith(".js"):
            assert not STORES.search(each.read_text()), each.name


def test_the_console_reads_only_metrics_that_servers_have() -> None:
    known = set(re.findall(r'"(mcp_\w+)"', "".join(each.read_text() for each in TELEMETRY.glob("*.py"))))
    read = {
        name
        for each in resources.files("toolaccord.console").iterdir()
        if each.name.endswith(".js")
        for name in re.findall(r'"(mcp_\w+)"', each.read_text())
    }
    assert read
    assert {name for name in read if name not in known and name.removesuffix("_total") not in known} == set()


def test_the_page_asks_for_all_modules_at_once() -> None:
    console = resources.files("toolaccord.console")
    modules = {each.name: each.read_text() for each in console.iterdir() if each.name.endswith(".js")}
    imported = {path for text in modules.values() for path in re.findall(r'from "\.\./(views/\w+\.js)"', text)}
    for path in [*imported]:
        text = (resources.files("toolaccord") / path).read_text()
        imported |= {f"views/{name}" for name in re.findall(r'from "\./(\w+\.js)"', text)}
    named = re.findall(r'(?:href|src)="([^"]*\.js)"', (console / "console.html").read_text())
    assert sorted(named) == sorted({f"console/{name}" for name in modules} | imported)
