"""Golden cases of queries: faults that are found, and what is proved without one.

A case is a folder: `queries.sql` is the SQL file of a server. Perhaps there are `migration.sql` for more tables than
those of `base/`, `contract.json` with a JSON Patch to the contract there, and `orders.py.txt` for other handlers.
`report.txt` has the errors and notes. The name of a case with errors begins with its rule, that of others with `fits`.
"""

import re
from pathlib import Path

import pytest

from tests.codegen.queries.golden import CASES, PATCHED, SQL, SharedDatabases, prove, report, unpack
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.queries.files import read_sql_file
from toolaccord_codegen.rules.catalog import COMPILER_RULES

NAMES = sorted(folder.name for folder in CASES.iterdir())
FAULTS = [name for name in NAMES if not name.startswith("fits")]
ACCEPT = "if that is right, accept it with: pytest tests/codegen/queries/test_cases.py --accept"
RULES = {rule for rule in COMPILER_RULES if rule.startswith("QUERY_")} | {"PRIVILEGE_MISSING", "PRIVILEGE_UNUSED"}
POSITION = re.compile(rf"^{re.escape(str(SQL))}:(\d+):(\d+): ", re.MULTILINE)


def rule_of(name: str) -> str:
    """Return the rule of a case: the longest one that its name starts with."""
    return max((rule for rule in RULES if name.upper().startswith(rule)), key=len)


@pytest.mark.parametrize("name", NAMES)
def test_a_case_has_the_expected_report(
    name: str,
    databases: SharedDatabases,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(unpack(CASES / name, tmp_path))
    errors, notes = prove(databases)
    actual = report(errors, notes)
    expected = CASES / name / "report.txt"
    if request.config.getoption("--accept", default=False):
        expected.write_text("".join(f"{line}\n" for line in actual), encoding="utf-8")
    assert actual == expected.read_text(encoding="utf-8").splitlines(), ACCEPT
    if name in FAULTS:
        assert rule_of(name) in {error.rule for error in errors} | {note.split(": ")[1] for note in notes}
    else:
        assert not errors


@pytest.mark.parametrize("name", NAMES)
def test_line_ends_and_a_mark_at_the_start_change_no_position(name: str, tmp_path: Path) -> None:
    plain = (CASES / name / "queries.sql").read_bytes()
    found = []
    for content in (plain, b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n")):
        (tmp_path / "queries.sql").write_bytes(content)
        problems: list[Problem] = []
        queries = read_sql_file(tmp_path / "queries.sql", "shop/queries.sql", problems)
        found.append((problems, queries))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", NAMES)
def test_a_position_is_the_beginning_of_a_word_or_of_a_line(name: str) -> None:
    lines = (CASES / name / "queries.sql").read_text(encoding="utf-8").splitlines()
    for line, column in POSITION.findall((CASES / name / "report.txt").read_text(encoding="utf-8")):
        text, at = lines[int(line) - 1], int(column) - 1
        assert at == 0 or not re.match(r"\w\w", text[at - 1 : at + 1]), text
        assert at == len(text) or text[at].strip(), text


@pytest.mark.parametrize("name", NAMES)
def test_a_case_differs_from_the_base_in_what_it_changes(name: str) -> None:
    known = {"queries.sql", "report.txt", "migration.sql", PATCHED, "orders.py.txt"}
    assert {path.name for path in (CASES / name).iterdir()} <= known


def test_every_rule_of_queries_has_a_case() -> None:
    assert {rule_of(name) for name in FAULTS} == RULES
