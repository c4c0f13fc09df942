"""A fuzz test of SQL files: a file has queries, or problems at places inside it."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.codegen.queries.golden import CASES, SQL, SharedDatabases, prove, unpack

EXAMPLES = 100
TEXTS = [
    (folder / "queries.sql").read_text(encoding="utf-8")
    for folder in sorted(CASES.iterdir())
    if {path.name for path in folder.iterdir()} == {"queries.sql", "report.txt"}
]
PIECES = [
    *(":x", ":x?", "::text", "'", '"', "--", "/*", "*/", "$1", "$$", ";", "(", ")", "\n", "-- when :a = b", "NULL"),
    *("-- name: z :many\n", " AS ", ",", " UNION SELECT ", "*", "E'\\'", "ORDER BY 1\n", "LIMIT 1", "FOR UPDATE", "\r"),
    *("\0", "😀", "?", "[1:2]", "$5", "x$5y"),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the project of a case, whose SQL file is replaced."""
    return unpack(CASES / "fits_count", tmp_path_factory.mktemp("project"))


@st.composite
def broken_files(draw: st.DrawFn) -> str:
    """Draw the SQL file of a case with one or two changes."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(text)))
        end = min(at + draw(st.integers(0, 6)), len(text))
        text = text[:at] + draw(st.sampled_from(["", *PIECES])) + text[end:]
    return text


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=broken_files())
def test_a_broken_file_has_problems_inside_it(
    text: str, project: Path, databases: SharedDatabases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    SQL.write_text(text, encoding="utf-8", newline="")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")  # as Python reads a file
    for error in prove(databases)[0]:
        if error.path == str(SQL):
            assert 1 <= error.line <= len(lines)
            assert 1 <= error.column <= len(lines[error.line - 1]) + 1


def test_a_null_character_is_reported_since_postgresql_reads_no_further(
    project: Path, databases: SharedDatabases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    SQL.write_text("-- name: one :single\nSELECT 1 AS one\0 FROM nowhere;\n", encoding="utf-8")
    [error] = prove(databases)[0]
    assert str(error).startswith(f"{SQL}:2:16: QUERY_HEADER: the file has a null character")
