"""The page on sources of one's own: its example compiles, is typed, and runs as written."""

import asyncio
import importlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.page_project import forget_modules, generated_page, run_tests, write_page
from tests.services.type_checker import check_types
from toolaccord.config.overrides import list_overrides
from toolaccord.errors import SourceError
from toolaccord.pytest.contract_coverage import Observations
from toolaccord.pytest.processes import HttpProcesses
from toolaccord.pytest.serve import Serve
from toolaccord.sources.availability import report_failure
from toolaccord.telemetry.source_metrics import SourceMetrics
from toolaccord.testing import capture_logs
from toolaccord.timing.clock import SystemClock
from toolaccord_codegen.__main__ import main
from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.diagnostics import ContractProblems
from toolaccord_codegen.loading.source_kinds import SourceKinds

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/sources.md").read_text(encoding="utf-8")
CONTRACT = "contracts/acme/catalogue.json"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the files of the page; it is the current one."""
    write_page(PAGE, tmp_path)
    monkeypatch.chdir(tmp_path)
    forget_modules()
    yield tmp_path
    forget_modules()


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The page's folder with its generated package; its modules can be imported."""
    with generated_page(PAGE, tmp_path_factory.mktemp("page")) as folder:
        yield folder


def compile_page(project: Path) -> str:
    """Return the problems of the project's contracts."""
    kinds = SourceKinds({"acme.sqlite": "acme_sources.sqlite:SqliteSource"}, [project])
    with pytest.raises(ContractProblems) as raised:
        compile_folder(Path("contracts"), kinds=kinds)
    return "\n".join(map(str, raised.value.problems))


def edit(path: Path, old: str, new: str) -> None:
    """Replace a part of a file."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


async def threads_end() -> None:
    """Wait for the threads of connections, which report to the loop that a connection failed."""
    for thread in threading.enumerate():
        if "_connection_worker_thread" in thread.name:
            await asyncio.to_thread(thread.join)


async def test_the_tests_of_the_page_pass(generated: Path, tmp_path: Path) -> None:
    shown = await run_tests(generated / "tests/acme/test_catalogue.py", tmp_path)
    assert "TITLE_TAKEN" in {promise.shown for promise in shown.promises}


async def test_a_missing_database_is_an_outage_in_the_log_and_ends_there(generated: Path, tmp_path: Path) -> None:
    client = importlib.import_module("acme_generated.acme.catalogue.client").CatalogueClient
    path, serve = generated / "late.db", Serve(Observations(), HttpProcesses(tmp_path))
    with capture_logs() as records:
        async with serve(client, settings={"catalogue_path": str(path)}) as catalogue:
            assert (await catalogue.call("search_books", {"query": "a"})).code == "UNAVAILABLE"
            path.touch()
            await catalogue.call("search_books", {"query": "a"})
    await threads_end()
    lines = [each.getMessage() for each in records if each.name == "toolaccord.sources.availability"]
    assert [line.partition(":")[0] for line in lines[:1]] == ["source catalogue is unavailable"]


async def test_the_metrics_have_the_outage_of_the_source(generated: Path) -> None:
    declared = importlib.import_module("acme_sources.sqlite").SqliteSource(name="catalogue", path="path", timeout_s=5)
    source = declared.open({"path": str(generated / "missing.db")}, SystemClock())
    with pytest.raises(SourceError) as raised:
        await source.check()
    report_failure(raised.value)
    found = {
        sample.name: sample.value for each in SourceMetrics({"catalogue": source}).collect() for sample in each.samples
    }
    await source.close()
    await threads_end()
    assert (found["mcp_source_up"], found["mcp_source_failures_total"]) == (0, 1)


def test_an_installed_package_adds_a_kind(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = project / "acme_sources-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-sources\nVersion: 1.0\n", encoding="utf-8")
    entry = "[toolaccord.sources]\nacme.sqlite = acme_sources.sqlite:SqliteSource\n"
    (info / "entry_points.txt").write_text(entry, encoding="utf-8")
    monkeypatch.syspath_prepend(str(project))
    (contract,) = compile_folder(Path("contracts")).contracts
    assert [each.kind for each in contract.sources] == ["acme.sqlite"]


def test_the_example_is_strictly_typed(generated: Path) -> None:
    assert check_types(generated, "acme_generated", "acme_handlers") == ""


@pytest.mark.parametrize(
    "old, new, line",
    [
        ('"timeout_s": 5', '"timeout_s": 0', "12:94: WRONG_SHAPE: 0 must be greater than 0"),
        (', "timeout_s": 5', "", '12:18: MISSING_KEY: the key "timeout_s" is missing here: seconds to wait'),
        ('"timeout_s": 5', '"timeout_s": 5, "pool": 3', '12:97: UNKNOWN_KEY: the key "pool" is unknown'),
        ('{"setting": "catalogue_path"}', '"a.db"', '12:50: WRONG_SHAPE: "a.db" must be of type object'),
        ("acme.sqlite", "acme.sqlit", "12:27: KIND_UNKNOWN: no installed package and no [tool.toolaccord.sources]"),
        ('"kind": "acme.sqlite"', '"kind": "sqlite"', "12:27: WRONG_SHAPE: "),
    ],
)
def test_a_wrong_key_is_reported_at_its_place(old: str, new: str, line: str, project: Path) -> None:
    edit(project / CONTRACT, old, new)
    assert f"{CONTRACT}:{line}" in compile_page(project)


@pytest.mark.parametrize(
    "old, new, why",
    [
        ('= "acme.sqlite"', '= "acme.other"', 'SqliteSource.kind must be "acme.sqlite"'),
        ("    path: str\n", "", "has path as a field or in its schema, and not as both"),
        ("import aiosqlite", "import no_such_driver", "acme_sources.sqlite:SqliteSource cannot be imported"),
        ("/) -> Sqlite:", "/) -> Any:", "has no class or protocol as its return type"),
        ("/) -> Sqlite:", "/) -> Missing:", "open cannot be resolved: NameError: name 'Missing' is not defined"),
    ],
)
def test_an_invalid_kind_is_a_problem_of_the_contract(old: str, new: str, why: str, project: Path) -> None:
    edit(project / "acme_sources/sqlite.py", old, new)
    assert why in compile_page(project)


def test_the_arguments_of_open_may_have_types_that_only_type_checkers_import(project: Path) -> None:
    line = "from collections.abc import Mapping\n"
    edit(project / "acme_sources/sqlite.py", line, f"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    {line}")
    kinds = SourceKinds({"acme.sqlite": "acme_sources.sqlite:SqliteSource"}, [project])
    assert kinds.find("acme.sqlite").protocol == "acme_sources.sqlite.Sqlite"


@pytest.mark.parametrize("module", ["acme_sources.sqlite", "acme_sources"])
def test_a_change_of_the_kind_alone_is_seen_by_the_next_run(
    module: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "acme_sources/__init__.py").write_text("from acme_sources.sqlite import SqliteSource\n")
    edit(project / "pyproject.toml", "acme_sources.sqlite:", f"{module}:")
    assert main(["generate"]) == 0
    edit(project / "acme_sources/sqlite.py", '"exclusiveMinimum": 0', '"minimum": 60')
    forget_modules()
    assert main(["generate"]) == 3
    assert "5 must be at least 60" in capsys.readouterr().out


@pytest.mark.usefixtures("generated")
def test_a_variable_overrides_a_number_of_the_source() -> None:
    server = importlib.import_module("acme_generated.acme.catalogue.__main__").create_server()
    found = {each.env: each.schema for each in list_overrides(server)}
    assert found["CATALOGUE_TIMEOUT_S"]["exclusiveMinimum"] == 0


def test_images_need_no_extra_for_the_kind(generated: Path) -> None:
    assert "catalogue-mcp http telemetry\n" in (generated / "acme_generated/extras.txt").read_text(encoding="utf-8")
