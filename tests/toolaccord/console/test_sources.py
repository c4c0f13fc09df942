"""The files of the console, without a browser."""

import gzip
import re
from pathlib import Path

MAX_COMPRESSED_BYTES = 200_000
LIBRARY = Path(__file__).parents[3] / "toolaccord"
CONSOLE, VIEWS, TELEMETRY = LIBRARY / "console", LIBRARY / "views", LIBRARY / "telemetry"
MODULES = {path.relative_to(CONSOLE).as_posix(): path.read_text(encoding="utf-8") for path in CONSOLE.rglob("*.js")}
MARKUP = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function")
STORES = re.compile(r"localStorage|sessionStorage|indexedDB|\bcaches\.|document\.cookie")


def test_console_and_views_take_at_most_200_kilobytes_compressed() -> None:
    suffixes = {".css", ".html", ".js"}
    files = [each for folder in (CONSOLE, VIEWS) for each in folder.rglob("*") if each.suffix in suffixes]
    assert sum(len(gzip.compress(each.read_bytes())) for each in files) <= MAX_COMPRESSED_BYTES


def test_the_console_has_no_inline_script_and_makes_no_markup_of_texts() -> None:
    page = (CONSOLE / "console.html").read_text(encoding="utf-8")
    assert not re.search(r"\son\w+=|<script>|<style|style=", page)
    for path, text in MODULES.items():
        assert not MARKUP.search(text), path


def test_the_console_stores_nothing() -> None:
    for path, text in MODULES.items():
        assert not STORES.search(text), path


def test_the_console_reads_only_metrics_that_servers_have() -> None:
    known = set(re.findall(r'"(mcp_\w+)"', "".join(each.read_text() for each in TELEMETRY.glob("*.py"))))
    read = {name for text in MODULES.values() for name in re.findall(r'"(mcp_\w+)"', text)}
    assert read
    assert {name for name in read if name not in known and name.removesuffix("_total") not in known} == set()


def test_the_page_asks_for_all_modules_at_once() -> None:
    imported = {path for text in MODULES.values() for path in re.findall(r'from "(?:\.\./)+(views/\w+\.js)"', text)}
    for path in [*imported]:
        text = (LIBRARY / path).read_text(encoding="utf-8")
        imported |= {f"views/{name}" for name in re.findall(r'from "\./(\w+\.js)"', text)}
    named = re.findall(r'(?:href|src)="([^"]*\.js)"', (CONSOLE / "console.html").read_text(encoding="utf-8"))
    assert sorted(named) == sorted({f"console/{path}" for path in MODULES} | imported)
