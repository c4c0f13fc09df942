"""Prove the statements of docs/platform.md."""

import json
import re
from collections.abc import Iterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sandbox
from tests.contracts.reading import CONTRACTS, contracts, load
from tests.toolaccord.listener import Listener, listening

PAGE = (Path(__file__).parents[2] / "docs/platform.md").read_text(encoding="utf-8")
DIALECT = load(CONTRACTS / "dialects.json")["platform"]
PLATFORM = {name: each for name, each in contracts().items() if each["dialect"] == "platform"}
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
PAGE_NOW = datetime(2026, 11, 22, 13, tzinfo=UTC)
"""The time at which the conversation of the page is held, about."""


def read_rows(heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading, without its head."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def test_the_page_lists_every_tool_with_its_deadline_and_its_cache() -> None:
    promised = {
        f"`{tool['name']}`": [
            contract["server"]["name"],
            f"{tool['deadline']['p95_ms']}, {tool['deadline']['timeout_ms']}",
            str(tool["cache"]["ttl_s"]) if "cache" in tool else "",
        ]
        for contract in PLATFORM.values()
        for tool in contract["tools"]
    }
    assert {name: [server, deadline, cache] for name, server, _, deadline, cache in read_rows("Tools")} == promised


def test_the_page_lists_every_code_with_its_status_and_if_it_is_retryable() -> None:
    codes = {code: (str(each["http"]), each["retryable"]) for code, each in DIALECT["codes"].items()}
    for contract in PLATFORM.values():
        for error in (error for tool in contract["tools"] for error in tool["errors"]):
            if error["code"] not in DIALECT["codes"]:
                codes[error["code"]] = (str(error["http"]), error.get("retryable", False))
    rows = {code: (status, retryable == "yes") for code, status, retryable, *_ in read_rows("Errors")}
    assert rows == codes


def read_conversation() -> Iterator[tuple[str, str, Any, int, Any]]:
    """Yield server, path, request, status and response of each exchange."""
    for server, text in re.findall(r"```http (\w+)\n(.*?)```", PAGE, re.DOTALL):
        request, response = text.split("\n\n")
        path, _, arguments = request.removeprefix("POST ").partition("\n")
        status, _, body = response.partition("\n")
        yield server, path, json.loads(move_times(arguments)), int(status), json.loads(body)


def move_times(text: str) -> str:
    """Return *text* with its times as long ago as they are on the page."""
    shift = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - PAGE_NOW
    return TIME.sub(lambda found: (datetime.fromisoformat(found[0]) + shift).strftime("%Y-%m-%dT%H:%M:%SZ"), text)


def outline(value: Any, *, name: str = "") -> Any:
    """Return the shape of a JSON value: members, kinds of values, and texts without numbers."""
    match value:
        case dict():
            return {key: outline(each, name=key) for key, each in value.items()}
        case list():
            return [outline(each) for each in value]
        case bool() | None:
            return value
        case int() | float():
            return "a number"
        case _:
            return re.sub(r"[\d.]+", "0", TIME.sub("a time", value)) if name != "volatility_regime" else "a regime"


async def test_the_conversation_of_the_page_is_answered_as_it_shows() -> None:
    exchanges = list(read_conversation())
    assert {f"platform.{server}" for server, *_ in exchanges} == set(PLATFORM)
    with sandbox.environment(sandbox.NAMES) as environ:
        async with AsyncExitStack() as stack:
            servers: dict[str, Listener] = {}
            for server, path, arguments, status, body in exchanges:
                if server not in servers:
                    opened = listening(module=f"generated.platform.{server}", environ=environ)
                    servers[server] = await stack.enter_async_context(opened)
                    await servers[server].client.get("/ready")  # loads clients and connects: deadlines are short
                answer = await servers[server].client.post(path, json=arguments)
                assert (answer.status_code, outline(answer.json())) == (status, outline(body)), path
