"""Prove that VS Code's JSON language service completes contracts by contract.schema.json."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.codegen.snippets import Snippet, fill, inserted_text, list_snippets
from tests.contracts.reading import CONTRACTS, contract_files
from tests.services.fetched import fetched

pytestmark = pytest.mark.hosts

PATIENCE_S = 60
FILES = contract_files()
"""The contracts; the service ignores the fragment in the `$schema` of other files."""
DRAFT = CONTRACTS / "library/draft.json"
"""The address of every draft; there is no such file."""
TYPES = {'"object"', '"array"', '"string"', '"integer"', '"number"', '"boolean"', '"null"'}
SCHEMA_KEYS = {"type", "additionalProperties", "x-unit", "x-renamed-from", "x-extensible-enum", "x-unknown"}
OFFERS: dict[str, set[str]] = {
    '"contract": 1, @': {"server", "dialect", "tools", "agent"},
    '"dialect": @': {'"plain"'},
    '"tools": [@]': {"Tool"},
    '"tools": [{"name": "a", @}]': {"title", "effects", "parameters", "returns", "errors", "deadline", "versions"},
    '"tools": [{"parameters": {@}}]': SCHEMA_KEYS,
    '"tools": [{"parameters": {"type": @}}]': TYPES,
    '"tools": [{"parameters": {"additionalProperties": @}}]': {"false", "true", "{}"},
    '"tools": [{"returns": {"properties": {"a": {@}}}}]': SCHEMA_KEYS,
    '"tools": [{"returns": {"properties": {"a": {"type": @}}}}]': TYPES,
    '"tools": [{"returns": {"properties": {"a": {"type": ["null", @]}}}}]': TYPES - {'"null"'},
    '"tools": [{"returns": {"additionalProperties": {@}}}]': SCHEMA_KEYS,
    '"$defs": {"Loan": {"type": @}}': TYPES,
    '"tools": [{"errors": [@]}]': {"Error", "Error of an argument", "Error outside the handler"},
    '"tools": [{"errors": [{"code": "A", @}]}]': {"description", "http", "retryable", "details", "when"},
    '"tools": [{"errors": [{"when": {"occasion": @}}]}]': {'"source"', '"deadline"', '"conflict"', '"rate_limit"'},
    '"tools": [{"versions": [@]}]': {"Version"},
    '"tools": [{"versions": [{"version": "1.0.0", @}]}]': {"sunset_on", "parameters", "returns", "to_next"},
    '"tools": [{"versions": [{"parameters": {"type": @}}]}]': TYPES,
    '"tools": [{"versions": [{"to_next": {"parameters": [@]}}]}]': {"Move", "Add", "Drop"},
    '"tools": [{"task": @}]': {"Task"},
    '"resources": [@]': {"Resource", "Static resource"},
    '"prompts": [@]': {"Prompt"},
    '"prompts": [{"parameters": {"properties": {"a": {"complete": @}}}}]': {"true"},
    '"asks": {"a": @}': {"Form"},
    '"asks": {"a": {"kind": @}}': {'"elicitation"', '"sampling"', '"roots"'},
    '"asks": {"a": {"kind": "elicitation", @}}': {"description", "message", "parameters", "schema"},
    '"asks": {"a": {"kind": "elicitation", "schema": {@}}}': SCHEMA_KEYS,
    '"agent": @': {"Agent"},
    '"agent": {"name": "a", @}': {"title", "version", "description", "instructions", "model", "skills"},
    '"agent": {}, @': {"uses", "limits", "input", "output"},
    '"agent": {}, "input": {"type": @}': TYPES,
    '"agent": {}, "uses": {"a": @}': {"Use of a server"},
    '"agent": {}, "uses": {"a": {@}}': {"contract", "version", "tools"},
}
"""Offers that a draft must get, by the draft, with @ in place of the cursor."""
MISSPELT = '"contract": 1, "dialekt": "plain"'


def draft(members: str) -> dict[str, Any]:
    """Return a contract that somebody has begun; the cursor is at the only @, else at 0."""
    text = f'{{"$schema": "../contract.schema.json", {members}}}'
    return {"uri": DRAFT.as_uri(), "text": text.replace("@", ""), "offset": max(text.find("@"), 0)}


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """The service's answers about drafts and contracts, by the draft or by the path."""
    packages = fetched("vscode")
    asked = {members: draft(members) for members in (*OFFERS, MISSPELT)}
    asked |= {
        str(path): {"uri": path.as_uri(), "text": path.read_text(encoding="utf-8"), "offset": 0} for path in FILES
    }
    done = subprocess.run(
        [packages / "node/bin/node", Path(__file__).with_name("completions.mjs"), packages],
        input=json.dumps(list(asked.values())), capture_output=True, encoding="utf-8", timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return dict(zip(asked, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("members", OFFERS)
def test_vscode_offers_what_a_draft_can_have_at_the_cursor(members: str, answers: dict[str, Any]) -> None:
    assert answers[members]["texts"].keys() >= OFFERS[members]


@pytest.mark.parametrize("snippet", list_snippets(), ids=lambda each: each.label)
def test_vscode_inserts_the_text_that_the_compiler_accepts(snippet: Snippet, answers: dict[str, Any]) -> None:
    (members,) = (each for each, offers in OFFERS.items() if snippet.label in offers)
    assert fill(answers[members]["texts"][snippet.label]) == fill(inserted_text(snippet.body))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(CONTRACTS).as_posix())
def test_vscode_reports_no_problem_in_a_valid_contract(path: Path, answers: dict[str, Any]) -> None:
    assert answers[str(path)]["problems"] == []


def test_vscode_reports_a_misspelt_key(answers: dict[str, Any]) -> None:
    assert any("dialekt" in each for each in answers[MISSPELT]["problems"])
