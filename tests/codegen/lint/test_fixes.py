"""`lint --fix` mends what needs no thought, and touches nothing else."""

import json
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from codegen.lint.fixes import known_faults, mended
from codegen.lint.issues import Addition
from codegen.lint.json_edits import edited, read
from codegen.loading.documents import list_json_files
from codegen.loading.schema_nodes import Place
from codegen.snapshots import build_snapshot, require_valid
from tests.codegen.conftest import Command
from tests.codegen.test_mutations import pointers

TODAY = date(2027, 1, 1)
KEYS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
LAYOUTS = st.sampled_from(
    [{}, {"indent": 2}, {"indent": "\t"}, {"separators": (",", ":")}, {"indent": 1, "separators": (",", " : ")}]
)

FOLDER = Path(__file__).parents[3] / "contracts"
CONTRACTS = {name: json.loads((FOLDER / name).read_text(encoding="utf-8")) for name in list_json_files(FOLDER)}
DROPPED = {"minimum", "maximum", "maxLength", "maxItems", "format", "bypass", "description", "required"}
SAID = [
    (name, path)
    for name, value in CONTRACTS.items()
    if name not in {"contract.schema.json", "dialects.json"}
    for path in pointers(value)
    if path[-1] in DROPPED and path[-2] != "properties" and {"properties", "cache"} & {*path} and "examples" not in path
]
"""What our contracts say that lint would miss, by file and path."""


def test_what_was_mended_is_said_and_a_second_run_changes_nothing(faulty: Path, command: Command) -> None:
    code, said = command("lint", "--fix")
    assert code == 0
    assert said.splitlines()[0] == (
        'contracts/shop/stock.json:33:11: mended: PAGE_WITHOUT_MINIMUM: argument /limit has no least value; add "minimum": 1'
    )
    once = faulty.read_bytes()
    assert command("lint", "--fix") == (0, "contracts: nothing to mend\n")
    assert faulty.read_bytes() == once


def test_only_the_lines_of_what_is_mended_change(faulty: Path, command: Command) -> None:
    faulty.write_bytes(b"\xef\xbb\xbf" + faulty.read_bytes().replace(b"\n", b"\r\n"))
    before = faulty.read_bytes()
    command("lint", "--fix")
    after = faulty.read_bytes()
    assert [line for line in after.split(b"\n") if line not in before.split(b"\n")] == [
        b'          "limit": {"type": "integer", "maximum": 50, "default": 10, "description": "Articles a page", "minimum": 1},\r',
        b'            "description": "Articles to skip",\r',
        b'            "minimum": 0\r',
    ]
    assert after.startswith(b"\xef\xbb\xbf{\r\n")


@given(st.dictionaries(KEYS, VALUES, max_size=4), KEYS, VALUES, LAYOUTS)
def test_a_member_is_put_in_and_nothing_else_changes(
    value: dict[str, Any], key: str, added: Any, layout: dict[str, Any]
) -> None:
    text = json.dumps({"a": value, "b": [1]}, ensure_ascii=False, **layout).encode()
    new = edited(text, "x.json", [Addition(Place(read(text, "x.json"), "/a"), key, added)])
    assert json.loads(new) == {"a": {key: added} | value, "b": [1]}
    start = next((at for at, byte in enumerate(text) if byte != new[at]), len(text))
    assert new.endswith(text[start:])


@settings(max_examples=5, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate])
@given(st.sets(st.integers(0, len(SAID) - 1), min_size=20))
def test_mending_gives_the_compiler_nothing_to_say_and_is_done_at_once(dropped: set[int]) -> None:
    values = deepcopy(CONTRACTS)
    for name, path in (SAID[number] for number in dropped):
        holder: Any = values[name]
        for key in path[:-1]:
            holder = holder[key]
        del holder[path[-1]]
    before = build_snapshot("contracts", {name: json.dumps(value).encode() for name, value in values.items()}, str)
    mending = mended(require_valid(before), TODAY)
    assert mending.findings
    assert not known_faults(mending.state) - known_faults(before)
    assert mended(mending.state, TODAY).changed(mending.state) == {}


def test_what_the_compiler_would_have_something_against_is_left(faulty: Path, command: Command) -> None:
    """An example asks for page 0, which the least value of a page would refuse."""
    text = faulty.read_text().replace('{"arguments": {"name": "nail"}', '{"arguments": {"name": "nail", "limit": 0}')
    faulty.write_text(text)
    code, said = command("lint", "--fix")
    assert code == 1
    assert said.count(": mended: ") == 1
    assert said.splitlines()[-1] == "contracts: 1 finding; --fix can mend 1"
