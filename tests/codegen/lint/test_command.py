"""Test `python -m toolaccord_codegen lint`."""

import json
from datetime import date
from importlib import import_module
from pathlib import Path

import jsonschema
import pytest

from tests.codegen.conftest import Command
from tests.contracts.shipped import copy_contracts
from toolaccord.transports.mcp.tool_list import list_tools
from toolaccord_codegen.lint.catalog import RULES
from toolaccord_codegen.lint.linter import lint_snapshot
from toolaccord_codegen.lint.tool_list import published_tools
from toolaccord_codegen.loading.schema_nodes import ContractValue, Place
from toolaccord_codegen.reporting.formats import FORMATTERS
from toolaccord_codegen.snapshots import read_snapshot, require_valid

ROOT = Path(__file__).parents[3]
SARIF = ROOT / "tests" / "codegen" / "breaking" / "sarif.schema.json"
TODAY = date(2027, 1, 1)


def accept(contract: Path, *fingerprints: str) -> None:
    """Accept findings about pages without a minimum."""
    entry = {"rule": "PAGE_WITHOUT_MINIMUM", "reason": "Nobody pages", "date": "2027-01-01"}
    path = contract.with_name("stock.accepted.json")
    path.write_text(json.dumps({"accepted": [entry | {"fingerprint": each} for each in fingerprints]}, indent=1))


def fingerprints() -> list[str]:
    """Return the fingerprints of the findings in the current folder."""
    return [
        finding.fingerprint
        for finding in lint_snapshot(require_valid(read_snapshot(Path("contracts"))), TODAY).findings
    ]


def test_our_own_contracts_have_no_open_finding(tmp_path: Path) -> None:
    lint = lint_snapshot(require_valid(read_snapshot(copy_contracts(tmp_path))), TODAY)
    assert lint.open == []


@pytest.mark.usefixtures("fixable_contract")
def test_a_finding_shows_its_place_its_cure_a_mark_and_its_reason(command: Command) -> None:
    code, output = command("lint")
    assert code == 1
    assert output.splitlines()[:5] == [
        'contracts/shop/stock.json:33:11: PAGE_WITHOUT_MINIMUM: argument /limit has no minimum; add "minimum": 1',
        ' 33 |           "limit": {"type": "integer", "maximum": 50, "default": 10, "description": "At most 50, default 10"},',
        "    |           ^^^^^^^",
        "   = a negative page reaches the database, which fails or returns everything",
        f"   = to accept: toolaccord accept PAGE_WITHOUT_MINIMUM {fingerprints()[0]} --reason TEXT",
    ]
    assert output.splitlines()[-1] == "contracts: 2 findings; --fix can fix 2"


@pytest.mark.usefixtures("fixable_contract")
@pytest.mark.parametrize("arguments", [["--format", "xml"], ["--today", "soon"], ["--contracts"], ["--unknown"]])
def test_wrong_usage_exits_with_2(arguments: list[str], command: Command) -> None:
    with pytest.raises(SystemExit) as end:
        command("lint", *arguments)
    assert end.value.code == 2


def test_an_invalid_contract_is_reported_as_the_compiler_reports_it(fixable_contract: Path, command: Command) -> None:
    fixable_contract.write_text(fixable_contract.read_text().replace('"maximum": 50', '"maximun": 50'))
    code, output = command("lint")
    assert code == 3
    assert 'UNKNOWN_KEYWORD: the keyword "maximun" is unknown; did you mean "maximum"?\n 33 | ' in output


def test_help_explains_options_exit_status_and_examples(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command("lint", "--help")
    output = capsys.readouterr().out
    assert all(part in output for part in ("--fix", "--today", ".accepted.json", "docs/lint.md", "example:"))


@pytest.mark.usefixtures("fixable_contract")
def test_every_format_names_the_rule_the_place_and_the_fingerprint(command: Command) -> None:
    for form in FORMATTERS:
        output = command("lint", "--format", form)[1]
        assert all(part in output for part in ("PAGE_WITHOUT_MINIMUM", "contracts/shop/stock.json", fingerprints()[0]))


@pytest.mark.usefixtures("fixable_contract")
def test_json_and_sarif_are_complete_for_programs(command: Command) -> None:
    finding = json.loads(command("lint", "--format", "json")[1])["findings"][0]
    assert finding == {
        "rule": "PAGE_WITHOUT_MINIMUM",
        "file": "shop/stock.json",
        "position": {"path": "contracts/shop/stock.json", "line": 33, "column": 11},
        "message": 'argument /limit has no minimum; add "minimum": 1',
        "why": RULES["PAGE_WITHOUT_MINIMUM"].why,
        "fixable": True,
        "fingerprint": fingerprints()[0],
        "accepted": None,
    }
    sarif = json.loads(command("lint", "--format", "sarif")[1])
    jsonschema.validate(sarif, json.loads(SARIF.read_text()), cls=jsonschema.Draft202012Validator)
    assert sarif["runs"][0]["tool"]["driver"]["name"] == "toolaccord lint"


def test_accepted_findings_do_not_fail_and_are_counted(fixable_contract: Path, command: Command) -> None:
    accept(fixable_contract, *fingerprints())
    assert command("lint") == (0, "contracts: nothing to fix, 2 findings accepted\n")
    accepted = [each["accepted"] for each in json.loads(command("lint", "--format", "json")[1])["findings"]]
    assert accepted == ["Nobody pages", "Nobody pages"]


def test_a_stale_entry_is_an_error_at_its_place(fixable_contract: Path, command: Command) -> None:
    accept(fixable_contract, *fingerprints(), "0123456789ab")
    code, output = command("lint")
    assert code == 1
    assert output.startswith(
        "contracts/shop/stock.accepted.json:15:3: ACCEPTED_NOTHING: PAGE_WITHOUT_MINIMUM 0123456789ab"
    )
    assert output.endswith("contracts: no findings, 2 findings accepted; 1 stale acceptance to remove\n")


def test_a_finding_in_a_shared_file_is_accepted_beside_that_file(fixable_contract: Path, command: Command) -> None:
    shared = fixable_contract.parents[1] / "shared.json"
    shared.write_text('{"$defs": {"Name": {"type": "string"}}}')
    fixable_contract.write_text(
        fixable_contract.read_text()
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


def test_a_fingerprint_survives_moved_lines_and_new_wording(fixable_contract: Path) -> None:
    before = fingerprints()
    text = fixable_contract.read_text().replace('"At most 50, default 10"', '"Up to 50, default 10"')
    tool = json.loads(text)["tools"][0] | {"name": "first"}
    fixable_contract.write_text(text.replace('"tools": [', f'"tools": [\n\n{json.dumps(tool)},'))
    assert set(before) < set(fingerprints())


def test_another_finding_has_another_fingerprint(fixable_contract: Path) -> None:
    before = fingerprints()
    fixable_contract.write_text(fixable_contract.read_text().replace('"maximum": 50, ', ""))
    rules = {
        finding.issue.rule for finding in lint_snapshot(require_valid(read_snapshot(Path("contracts"))), TODAY).findings
    }
    assert rules == {"PAGE_WITHOUT_MINIMUM", "NUMBER_UNBOUNDED"}
    assert set(before) < set(fingerprints())


def test_text_of_a_contract_cannot_control_the_terminal(fixable_contract: Path, command: Command) -> None:
    fixable_contract.write_text(fixable_contract.read_text().replace('"limit"', '"li\\u001b[2Jmit\\u202e"'))
    output = command("lint")[1]
    assert all(char.isprintable() or char == "\n" for char in output)


def test_the_measured_list_is_the_one_that_hosts_receive(tmp_path: Path) -> None:
    snapshot = read_snapshot(copy_contracts(tmp_path))
    dialects = {name: value for name, (_, value) in snapshot.dialects.items()}
    servers = {name: document for name, document in snapshot.contracts.items() if not document.is_agent}
    for name, document in servers.items():
        ours = published_tools(ContractValue(snapshot.library, Place(document, ""), document.value), dialects)
        assert list(ours.values()) == generated_tools(name)


def generated_tools(name: str) -> list[dict[str, object]]:
    """Return the tools that the generated server lists, without their versions in `_meta`."""
    module = name.removesuffix(".json").replace("/", ".")
    handlers = import_module(f"handlers.{module}")
    server = import_module(f"generated.{module}.server").server(handlers)
    tools = list_tools(server.on("stdio"), TODAY)
    return [{name: part for name, part in tool.items() if name != "_meta"} for tool in tools]
