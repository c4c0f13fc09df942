"""Prove the statements of docs/hosts.md on configurations."""

import json
import re
import tomllib

import pytest
from jsonschema import Draft202012Validator

from tests.contracts.reading import ROOT
from tests.hosts.schemas import HOSTS, REMOTE

PAGE = (ROOT / "docs/hosts.md").read_text(encoding="utf-8")
ENTRIES = dict(re.findall(r"```\w+ host=(\S+)\n(.*?)```", PAGE, re.DOTALL))


def test_every_host_that_supports_urls_has_an_entry_for_one() -> None:
    assert set(ENTRIES) == set(REMOTE)
    assert set(HOSTS) - set(REMOTE) == {"claude-desktop.json"}


@pytest.mark.parametrize("name", REMOTE)
def test_an_entry_for_a_url_has_the_documented_form_and_no_token(name: str) -> None:
    content = tomllib.loads(ENTRIES[name]) if name.endswith(".toml") else json.loads(ENTRIES[name])
    assert [str(fault) for fault in Draft202012Validator(REMOTE[name]).iter_errors(content)] == []
    assert re.search(r"[{:\"]STRATEGY_MCP_TOKEN[}\"]", ENTRIES[name])


def test_the_page_copies_a_file_that_is_there_for_each_host() -> None:
    section = PAGE.split("## Copy a configuration\n")[1].split("\n## ")[0]
    copied = re.findall(r"cp (generated/\S+)", section)
    assert {path.rpartition("/")[2] for path in copied} == set(HOSTS)
    assert [path for path in copied if not (ROOT / path).exists()] == []
