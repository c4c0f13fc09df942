"""Test that `lint --fix` fixes simple findings and changes nothing else."""

import json
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from tests.codegen.conftest import Command
from tests.codegen.test_mutations import list_paths
from tests.contracts.reading import CONTRACTS, one_server_per_dialect
from toolaccord_codegen.lint.fixes import count_faults, fix_snapshot
from toolaccord_codegen.snapshots import build_snapshot, require_valid

TODAY = date(2027, 1, 1)


SERVERS = [f"{module.replace('.', '/')}.json" for module in one_server_per_dialect()]
REMOVED_KEYWORDS = {"minimum", "maximum", "maxLength", "maxItems", "format", "bypass", "description", "required"}


def read_contracts() -> dict[str, dict[str, Any]]:
    """Return the contracts folder of each of SERVERS, without other servers: files by name."""
    shared = {name: json.loads((CONTRACTS / name).read_text("utf-8")) for name in ("shared.json", "dialects.json")}
    return {name: shared | {name: json.loads((CONTRACTS / name).read_text("utf-8"))} for name in SERVERS}


SHIPPED = read_contracts()
REMOVABLE_KEYWORDS = [
    (server, name, path)
    for server, values in SHIPPED.items()
    for name in ("shared.json", server)
    for path in list_paths(values[name])
    if path[-1] in REMOVED_KEYWORDS
    and path[-2] != "properties"
    and {"properties", "cache"} & {*path}
    and "examples" not in path
]
"""Keywords of our contracts whose removal lint reports, by server, file and path."""


def test_fixes_are_reported_and_a_second_run_changes_nothing(fixable_contract: Path, command: Command) -> None:
    code, output = command("lint", "--fix")
    assert code == 0
    assert output.splitlines()[0] == (
        'contracts/shop/stock.json:33:11: fixed: PAGE_WITHOUT_MINIMUM: argument /limit has no minimum; add "minimum": 1'
    )
    once = fixable_contract.read_bytes()
    assert command("lint", "--fix") == (0, "contracts: nothing to fix\n")
    assert fixable_contract.read_bytes() == once


def test_only_the_fixed_lines_change(fixable_contract: Path, command: Command) -> None:
    fixable_contract.write_bytes(b"\xef\xbb\xbf" + fixable_contract.read_bytes().replace(b"\n", b"\r\n"))
    before = fixable_contract.read_bytes()
    command("lint", "--fix")
    after = fixable_contract.read_bytes()
    assert [line for line in after.split(b"\n") if line not in before.split(b"\n")] == [
        b'          "limit": {"type": "integer", "maximum": 50, "default": 10, "description": "At most 50, default 10", "minimum": 1},\r',
        b'            "description": "Articles to skip",\r',
        b'            "minimum": 0\r',
    ]
    assert after.startswith(b"\xef\xbb\xbf{\r\n")


@settings(max_examples=5, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate])
@given(st.sampled_from(SERVERS), st.data())
def test_fixes_cause_no_compiler_error_and_need_one_run(server: str, data: st.DataObject) -> None:
    values = deepcopy(SHIPPED[server])
    removable = [(name, path) for owner, name, path in REMOVABLE_KEYWORDS if owner == server]
    for number in data.draw(st.sets(st.integers(0, len(removable) - 1), min_size=4, max_size=8)):
        name, path = removable[number]
        holder: Any = values[name]
        for key in path[:-1]:
            holder = holder[key]
        del holder[path[-1]]
    before = build_snapshot("contracts", {name: json.dumps(value).encode() for name, value in values.items()}, str)
    result = fix_snapshot(require_valid(before), TODAY)
    assume(result.findings)  # hypothesis fails where no example has any
    assert not count_faults(result.snapshot) - count_faults(before)
    assert fix_snapshot(result.snapshot, TODAY).changed_files(result.snapshot) == {}


def test_a_fix_that_would_cause_a_compiler_error_is_left_out(fixable_contract: Path, command: Command) -> None:
    """An example requests page 0, which the added minimum would reject."""
    text = fixable_contract.read_text().replace(
        '{"arguments": {"name": "nail"}', '{"arguments": {"name": "nail", "limit": 0}'
    )
    fixable_contract.write_text(text)
    code, output = command("lint", "--fix")
    assert code == 1
    assert output.count(": fixed: ") == 1
    assert output.splitlines()[-1] == "contracts: 1 finding; --fix can fix 1"
