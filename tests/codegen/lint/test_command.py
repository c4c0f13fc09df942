"""`python -m codegen lint`."""

import json
from datetime import date
from importlib import import_module
from pathlib import Path

import jsonschema
import pytest

from codegen.cli.options import FORMATS
from codegen.lint.catalog import RULES
from codegen.lint.linter import linted
from codegen.lint.tool_list import listed_tools
from codegen.loading.schema_nodes import ContractValue, Place
from codegen.snapshots import read_snapshot, require_valid
from tests.codegen.conftest import Command
from toolpact.transports.mcp.tool_list import tools

ROOT = Path(__file__).parents[3]
SARIF = ROOT / "tests" / "codegen" / "breaking" / "sarif.schema.json"
TODAY = date(2027, 1, 1)


def accept(contract: Path, *fingerprints: str) -> None:
    """Accept findings about pages without a least value."""
    entry = {"rule": "PAGE_WITHOUT_MINIMUM", "reason": "Nobody pages", "date": "2027-01-01"}
    path = contract.with_name("stock.accepted.json")
    path.write_text(json.dumps({"accepted": [entry | {"fingerprint": each} for each in fingerprints]}, indent=1))


def fingerprints() -> list[str]:
    """Those of what is found in the folder that is current."""
    return [finding.fingerprint for finding in linted(require_valid(read_snapshot(Path("contracts"))), TODAY).findings]


def test_our_own_contracts_have_nothing_that_is_not_accepted() -> None:
    lint = linted(require_valid(read_snapshot(ROOT / "contracts")), TODAY)
    assert (lint.open, lint.problems) == ([], ())


@pytest.mark.usefixtures("faulty")
def test_a_finding_comes_with_its_place_the_cure_a_caret_and_the_reason(command: Command) -> None:
    code, said = command("lint")
    assert code == 1
    assert said.splitlines()[:5] == [
        'contracts/shop/stock.json:33:11: PAGE_WITHOUT_MINIMUM: argument /limit has no least value; add "minimum": 1',
        ' 33 |           "limit": {"type": "integer", "maximum": 50, "default": 10, "description": "Articles a page"},',
        "    |           ^^^^^^^",
        "   = a negative page reaches the database, which answers it with an error or with everything",
        f"   = to accept: {fingerprints()[0]}",
    ]
    assert said.splitlines()[-1] == "contracts: 2 findings; --fix can mend 2"


@pytest.mark.usefixtures("faulty")
@pytest.mark.parametrize("arguments", [["--format", "xml"], ["--today", "soon"], ["--contracts"], ["--unknown"]])
def test_a_wrong_call_ends_with_2(arguments: list[str], command: Command) -> None:
    with pytest.raises(SystemExit) as end:
        command("lint", *arguments)
    assert end.value.code == 2


def test_what_is_no_contract_is_said_as_the_compiler_says_it(faulty: Path, command: Command) -> None:
    faulty.write_text(faulty.read_text().replace('"maximum": 50', '"maximun": 50'))
    code, said = command("lint")
    assert code == 1
    assert 'UNKNOWN_KEY: the key "maximun" is unknown; did you mean "maximum"?\n 33 | ' in said


def test_help_teaches_how_to_go_on(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command("lint", "--help")
    said = capsys.readouterr().out
    assert all(part in said for part in ("--fix", "--today", ".accepted.json", "exit status", "examples:"))


@pytest.mark.usefixtures("faulty")
def test_every_format_names_the_rule_the_place_and_the_fingerprint(command: Command) -> None:
    for form in FORMATS:
        said = command("lint", "--format", form)[1]
        assert all(part in said for part in ("PAGE_WITHOUT_MINIMUM", "contracts/shop/stock.json", fingerprints()[0]))


@pytest.mark.usefixtures("faulty")
def test_json_and_sarif_have_what_other_programs_read(command: Command) -> None:
    finding = json.loads(command("lint", "--format", "json")[1])["findings"][0]
    assert finding == {
        "rule": "PAGE_WITHOUT_MINIMUM",
        "file": "shop/stock.json",
        "position": {"path": "contracts/shop/stock.json", "line": 33, "column": 11},
        "message": 'argument /limit has no least value; add "minimum": 1',
        "why": RULES["PAGE_WITHOUT_MINIMUM"].why,
        "fixable": True,
        "fingerprint": fingerprints()[0],
        "accepted": None,
    }
    sarif = json.loads(command("lint", "--format", "sarif")[1])
    jsonschema.validate(sarif, json.loads(SARIF.read_text()), cls=jsonschema.Draft202012Validator)
    assert sarif["runs"][0]["tool"]["driver"]["name"] == "toolpact lint"


def test_what_is_accepted_fails_no_more_and_is_counted(faulty: Path, command: Command) -> None:
    accept(faulty, *fingerprints())
    assert command("lint") == (0, "contracts: nothing to mend, 2 findings accepted\n")
    accepted = [each["accepted"] for each in json.loads(command("lint", "--format", "json")[1])["findings"]]
    assert accepted == ["Nobody pages", "Nobody pages"]


def test_an_entry_that_accepts_nothing_is_an_error_at_its_place(faulty: Path, command: Command) -> None:
    accept(faulty, *fingerprints(), "0123456789ab")
    code, said = command("lint")
    assert code == 1
    assert said.startswith(
        "contracts/shop/stock.accepted.json:15:3: ACCEPTED_NOTHING: PAGE_WITHOUT_MINIMUM 0123456789ab"
    )
    assert said.endswith("contracts: no findings, 2 findings accepted; 1 stale acceptance to remove\n")


def test_a_finding_in_a_shared_file_is_accepted_beside_that(faulty: Path, command: Command) -> None:
    shared = faulty.parents[1] / "shared.json"
    shared.write_text('{"$defs": {"Name": {"type": "string"}}}')
    faulty.write_text(
        faulty.read_text()
        .replace('"maxLength": 40, ', "")
        .replace('"type": "string",', '"$ref": "../shared.json#/$defs/Name",', 1)
    )
    finding = next(
        each
        for each in json.loads(command("lint", "--format", "json")[1])["findings"]
        if each["rule"] == "STRING_UNBOUNDED"
    )
    assert finding["file"] == "shared.json"
    entry = {key: finding[key] for key in ("rule", "fingerprint")} | {"reason": "Short", "date": "2027-01-01"}
    shared.with_name("shared.accepted.json").write_text(json.dumps({"accepted": [entry]}))
    assert "STRING_UNBOUNDED" not in command("lint")[1]


def test_a_fingerprint_outlives_lines_words_and_neighbours(faulty: Path) -> None:
    before = fingerprints()
    text = faulty.read_text().replace('"Articles a page"', '"Articles"')
    tool = json.loads(text)["tools"][0] | {"name": "first"}
    faulty.write_text(text.replace('"tools": [', f'"tools": [\n\n{json.dumps(tool)},'))
    assert set(before) < set(fingerprints())


def test_a_fingerprint_is_another_when_the_finding_is(faulty: Path) -> None:
    before = fingerprints()
    faulty.write_text(faulty.read_text().replace('"maximum": 50, ', ""))
    rules = {
        finding.complaint.rule for finding in linted(require_valid(read_snapshot(Path("contracts"))), TODAY).findings
    }
    assert rules == {"PAGE_WITHOUT_MINIMUM", "NUMBER_UNBOUNDED"}
    assert set(before) < set(fingerprints())


def test_what_a_contract_says_cannot_speak_to_the_terminal(faulty: Path, command: Command) -> None:
    faulty.write_text(faulty.read_text().replace('"limit"', '"li\\u001b[2Jmit\\u202e"'))
    said = command("lint")[1]
    assert all(char.isprintable() or char == "\n" for char in said)


def test_the_list_whose_size_is_judged_is_the_one_that_hosts_get() -> None:
    state = read_snapshot(ROOT / "contracts")
    dialects = {name: value for name, (_, value) in state.dialects.items()}
    for name, document in state.contracts.items():
        ours = listed_tools(ContractValue(state.library, Place(document, ""), document.value), dialects)
        assert list(ours.values()) == served(name)


def served(name: str) -> list[dict[str, object]]:
    """The tools that the generated server of a contract lists."""
    room = name.removesuffix(".json").replace("/", ".")
    handlers = import_module(f"handlers.{room}")
    return tools(import_module(f"generated.{room}.server").server(handlers), TODAY)
