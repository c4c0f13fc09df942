"""Test `breaking --servers`: two MCP servers, or saved lists of what they have."""

import json
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.codegen.conftest import Command
from toolaccord_codegen.reporting.formats import FORMATTERS

Listing: TypeAlias = dict[str, Any]
LISTING_SERVER = f"{sys.executable} {Path(__file__).parent / 'listing_server.py'}"
BOUNDS = {"minimum": 1 - 2**53, "maximum": 2**53 - 1}
LISTING: Listing = {
    "serverInfo": {"name": "Library", "version": "1.0.0"},
    "tools": [
        {
            "name": "search",
            "description": "Find books.",
            "inputSchema": {
                "type": "object",
                "properties": {"query": {"type": "string", "maxLength": 100}, "page": {"type": "integer"}},
                "required": ["query"],
                "additionalProperties": False,
            },
        }
    ],
}


@pytest.fixture
def compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command) -> Callable[..., tuple[int, Any]]:
    """Compare the list with an edited one, in any format; JSON is parsed."""
    monkeypatch.chdir(tmp_path)

    def run(edit: Callable[[Listing], None], *arguments: str, form: str = "json") -> tuple[int, Any]:
        new = deepcopy(LISTING)
        edit(new)
        for name, listing in (("old.json", LISTING), ("new.json", new)):
            Path(name).write_text(json.dumps(listing))
        code, output = command("breaking", "--servers", "old.json", "new.json", "--format", form, *arguments)
        return code, json.loads(output) if form == "json" else output

    return run


def shorten(listing: Listing) -> None:
    """Allow shorter queries only."""
    listing["tools"][0]["inputSchema"]["properties"]["query"]["maxLength"] = 50


def test_a_break_between_two_lists_exits_with_1_and_has_a_witness(compare: Callable[..., tuple[int, Any]]) -> None:
    code, report = compare(shorten)
    [finding] = report["findings"]
    assert (code, finding["rule"], finding["tool"]) == (1, "LENGTH_TIGHTENED", "search")
    assert len(finding["witness"]["value"]["query"]) > 50
    assert report["versions"] == []


@pytest.mark.parametrize("form", FORMATTERS)
def test_every_format_reports_a_break_between_two_lists(form: str, compare: Callable[..., tuple[int, Any]]) -> None:
    code, output = compare(shorten, form=form)
    assert code == 1
    assert "LENGTH_TIGHTENED" in json.dumps(output)
    assert "toolaccord accept" not in json.dumps(output)


def rename_and_release(listing: Listing) -> None:
    """Change the version and bounds of every number, and give a result a schema."""
    listing["serverInfo"]["version"] = "2.0.0"
    listing["tools"][0]["inputSchema"]["properties"]["page"] |= BOUNDS
    listing["tools"][0]["outputSchema"] = {"type": "object", "properties": {"found": {"type": "integer"}}}


def test_what_only_contracts_have_is_no_finding(compare: Callable[..., tuple[int, Any]]) -> None:
    code, report = compare(rename_and_release)
    assert (code, report["findings"]) == (0, [])


def test_a_result_that_loses_its_schema_breaks_callers(
    compare: Callable[..., tuple[int, Any]], command: Command
) -> None:
    compare(rename_and_release)
    code, output = command("breaking", "--servers", "new.json", "old.json", "--format", "json")
    assert (code, [each["rule"] for each in json.loads(output)["findings"]]) == (1, ["ANSWER_FORM_CHANGED"])


def test_a_tool_that_ceases_to_be_read_only_breaks_consent(
    compare: Callable[..., tuple[int, Any]], command: Command
) -> None:
    def promise(listing: Listing) -> None:
        listing["tools"][0]["annotations"] = {"readOnlyHint": True}

    assert compare(promise)[0] == 0
    code, output = command("breaking", "--servers", "new.json", "old.json", "--format", "json")
    assert code == 1
    assert "SIDE_EFFECT_ADDED" in {each["rule"] for each in json.loads(output)["findings"]}


def close_world(listing: Listing) -> None:
    """Say that the tool reads nothing but its own data, so that its draft needs no source."""
    listing["tools"][0]["annotations"] = {"readOnlyHint": True, "openWorldHint": False}


def test_the_source_of_a_draft_and_its_settings_are_no_finding(compare: Callable[..., tuple[int, Any]]) -> None:
    code, report = compare(close_world)
    assert (code, {each["rule"] for each in report["findings"]}) == (0, {"SIDE_EFFECT_REMOVED", "OPEN_WORLD_LEFT"})


def test_a_file_accepts_findings(compare: Callable[..., tuple[int, Any]], tmp_path: Path) -> None:
    [finding] = compare(shorten)[1]["findings"]
    entry = {
        "rule": finding["rule"],
        "fingerprint": finding["fingerprint"],
        "reason": "Nobody asks",
        "date": "2026-11-27",
    }
    (tmp_path / "accepted.json").write_text(json.dumps({"accepted": [entry]}))
    code, report = compare(shorten, "--accepted", "accepted.json")
    assert (code, [each["accepted"] for each in report["findings"]]) == (0, ["Nobody asks"])


def test_running_servers_are_listed_and_compared(command: Command) -> None:
    code, output = command("breaking", "--servers", LISTING_SERVER, LISTING_SERVER)
    assert code == 0
    assert output.startswith(f"nothing changed against {LISTING_SERVER}; 3 parts that contracts cannot have")


def test_a_program_is_started_by_a_command(command: Command, tmp_path: Path) -> None:
    program = tmp_path / "server"
    program.write_text(f"#!/bin/sh\nexec {LISTING_SERVER}\n")
    program.chmod(0o755)
    code, output = command("breaking", "--servers", str(program), LISTING_SERVER)
    assert code == 2
    assert (
        f"{program} is a program and no saved list; to list what it serves, write a command: 'env {program}'" in output
    )
    assert command("breaking", "--servers", f"env {program}", LISTING_SERVER)[0] == 0


def test_a_command_may_be_longer_than_a_file_name(command: Command) -> None:
    code, output = command("breaking", "--servers", f"{LISTING_SERVER} {'x' * 300}", f"{LISTING_SERVER} {'x' * 5000}")
    assert (code, output[:15]) == (0, "nothing changed")


@pytest.mark.parametrize(
    "arguments",
    [[], ["--against", "main", "--servers", "a.json", "b.json"], ["--servers", "nothing-of-this-name", "x"]],
)
def test_wrong_usage_exits_with_2(arguments: list[str], command: Command) -> None:
    assert command("breaking", *arguments)[0] == 2
