"""Cached runs: unchanged inputs are not compiled again, and no change is missed."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.codegen.conftest import UP_TO_DATE, Command, copy_shop
from toolaccord_codegen import compiler
from toolaccord_codegen.__main__ import main
from toolaccord_codegen.cli import check_cache
from toolaccord_codegen.cli.check_cache import COMPILER, FOLDER
from toolaccord_codegen.emit import models
from toolaccord_codegen.emit.output_tree import list_files
from toolaccord_codegen.lint import linter as linting
from toolaccord_codegen.snapshots import Snapshot

ACME = ("--package", "acme")
CACHE_FILE = FOLDER / "acme.json"
CONTRACT = Path("contracts/shop/stock.json")
HANDLER = Path("handlers/shop/stock.py")
MODELS = Path("acme/shop/stock/models.py")
MANIFEST = Path("acme/manifest.json")
PROTO = 'syntax = "proto3";\npackage shop;\nmessage Box { int32 size = 1; }\n'
GENERATOR = "datamodel_code_generator"
HEAVY = {
    "toolaccord_codegen.compiler",
    "toolaccord_codegen.emit.render",
    GENERATOR,
    "grpc_tools",
    "jinja2",
    "jsonschema_rs",
    "yaml",
}


def replace(path: Path, old: str, new: str) -> None:
    """Edit a file; its times stay, and so does its size if *old* and *new* are equally long."""
    stat, text = path.stat(), path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def written(path: str, text: str) -> Callable[[], None]:
    """Return the edit that writes a file."""

    def write() -> None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)

    return write


def cache_of_another_version(text: str) -> str:
    """Return a cache file of a compiler version that stored more."""
    other = json.dumps(json.loads(text.partition("\n")[2]) | {"more": {}})
    return f"{sha256(other.encode()).hexdigest()}\n{other}"


def reformatted() -> None:
    """Change the format of the contract, and no value in it."""
    CONTRACT.write_text(json.dumps(json.loads(CONTRACT.read_text())))


def handler_becomes_a_package() -> None:
    """Move the handler to its other possible place, and break it there."""
    HANDLER.unlink()
    written("handlers/shop/stock/__init__.py", "def count(request, call): ...\n")()


def forged_manifest() -> None:
    """Edit a generated file, and make the manifest agree."""
    before = MANIFEST.read_text()
    digests = json.loads(before)["files"]
    replace(MODELS, "int | None", "str | None")
    digests["shop/stock/models.py"] = sha256(MODELS.read_bytes()).hexdigest()
    MANIFEST.write_text(json.dumps({**json.loads(before), "files": digests}, indent=2, sort_keys=True) + "\n")


EDITS: dict[str, Callable[[], object]] = {
    "contract": lambda: replace(CONTRACT, "Count an article", "Count no article"),
    "contract, as long and as old as before": lambda: replace(CONTRACT, "Count an article", "Count my article"),
    "contract, only its looks": reformatted,
    "contract, a fault": lambda: replace(CONTRACT, '"plain"', '"fancy"'),
    "contract removed": CONTRACT.unlink,
    "contract added": lambda: Path("contracts/shop/store.json").write_text(
        CONTRACT.read_text().replace('"stock"', '"store"')
    ),
    "shared": written("contracts/shared.json", '{"$defs": {"Box": {"description": "A box.", "type": "string"}}}'),
    "dialects": written("contracts/dialects.json", '{"plain": {}}'),
    "accepted findings": written("contracts/shop/stock.accepted.json", "{"),
    "proto added": written("contracts/shop/box.proto", PROTO),
    "handler, another name": lambda: replace(HANDLER, "count", "tally"),
    "handler, no coroutine": lambda: replace(HANDLER, "async def", "def"),
    "handler, no Python": lambda: HANDLER.write_text("async def"),
    "handler removed": HANDLER.unlink,
    "handler moved": handler_becomes_a_package,
    "handler, nothing of interest": lambda: HANDLER.write_text(f"{HANDLER.read_text()}\n# a word\n"),
    "generated file": lambda: replace(MODELS, "int | None", "str | None"),
    "generated file removed": MODELS.unlink,
    "generated file emptied": lambda: Path("acme/py.typed").write_text("\n"),
    "generated file no UTF-8": lambda: MODELS.write_bytes(b"\xff"),
    "foreign file": written("acme/shop/mine.py", ""),
    "byte code": written("acme/shop/__pycache__/mine.pyc", ""),
    "manifest": lambda: replace(MANIFEST, '"contracts/shop/stock.json"', '"contracts/shop/stack.json"'),
    "manifest removed": MANIFEST.unlink,
    "manifest and what it names": forged_manifest,
    "output removed": lambda: shutil.rmtree("acme"),
}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the shop and all that `generate` writes for it, cache included."""
    with pytest.MonkeyPatch.context() as patch:
        folder = copy_shop(tmp_path_factory.mktemp("generated"))
        patch.chdir(folder)
        assert main(["generate", *ACME]) == 0
    return folder


@pytest.fixture
def generated_shop(generated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make that folder current, whose name is an input of its cached run; restore it at the end."""
    shutil.copytree(generated, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(generated)
    yield
    monkeypatch.undo()
    shutil.rmtree(generated)
    shutil.copytree(tmp_path, generated)


@pytest.fixture
def compiles(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return the folders that are compiled from now on."""
    done: list[Path] = []
    real = compiler.compile_folder

    def counted(folder: Path, **options: Any) -> object:
        done.append(folder)
        return real(folder, **options)

    monkeypatch.setattr(compiler, "compile_folder", counted)
    return done


@pytest.fixture
def regenerated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the first lines of the modules of models that the generator writes from now on."""
    done: list[str] = []
    real = models.generate_module

    def counted(header: str, schemas: models.Schemas) -> str:
        done.append(header.partition("\n")[0].strip('"'))
        return real(header, schemas)

    monkeypatch.setattr(models, "generate_module", counted)
    return done


@pytest.mark.usefixtures("shop")
def test_after_generate_check_compiles_nothing(command: Command, compiles: list[Path]) -> None:
    command("generate", *ACME)
    compiles.clear()
    assert command("check", *ACME) == (0, UP_TO_DATE)
    assert compiles == []


@pytest.mark.usefixtures("shop")
def test_a_cached_problem_of_a_handler_is_reported_again(command: Command, compiles: list[Path]) -> None:
    HANDLER.unlink()
    command("generate", *ACME)
    compiles.clear()
    code, printed = command("check", *ACME)
    assert (code, compiles) == (1, [])
    assert "MISSING_HANDLER" in printed
    assert "Handlers: failed: 1 problem\n" in printed


@pytest.mark.usefixtures("generated_shop")
@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_check_prints_the_same_with_and_without_its_cache(edit: Callable[[], object], command: Command) -> None:
    edit()
    with_cache = command("check", *ACME)
    shutil.rmtree(FOLDER)
    assert with_cache == command("check", *ACME)
    assert command("check", *ACME) == with_cache


@pytest.mark.usefixtures("generated_shop")
@pytest.mark.parametrize(
    "first, edit",
    [
        ("generated file", "contract, a fault"),
        ("handler, another name", "manifest removed"),
        ("contract, only its looks", "contract, a fault"),
        ("contract, only its looks", "handler, no coroutine"),
        ("proto added", "foreign file"),
    ],
)
def test_one_edit_does_not_hide_another(first: str, edit: str, command: Command) -> None:
    EDITS[first]()
    command("check", *ACME)
    EDITS[edit]()
    with_cache = command("check", *ACME)
    shutil.rmtree(FOLDER)
    assert with_cache == command("check", *ACME)
    assert with_cache[0] in {1, 3}


@pytest.mark.usefixtures("shop")
def test_a_changed_proto_file_is_found(command: Command) -> None:
    written("contracts/shop/box.proto", PROTO)()
    command("generate", *ACME)
    assert command("check", *ACME)[0] == 0
    replace(Path("contracts/shop/box.proto"), "size", "seal")
    code, printed = command("check", *ACME)
    assert code == 1
    assert "contracts/shop/box.proto changed since" in printed


@pytest.mark.usefixtures("generated_shop")
def test_a_changed_option_is_found(command: Command) -> None:
    for option in (
        ("--namespace", "io.github.acme"),
        ("--images", "images.example/acme"),
        ("--sandbox", "box"),
        ("--handlers", "h"),
        ("--kubernetes",),
    ):
        assert command("check", *ACME)[0] == 0
        assert command("check", *ACME, *option)[0] == 1, option


@pytest.mark.usefixtures("shop")
def test_another_contracts_folder_of_the_same_package_is_compiled(command: Command, compiles: list[Path]) -> None:
    command("generate", *ACME)
    shutil.copytree("contracts", "others/contracts")
    compiles.clear()
    command("check", *ACME, "--contracts", "others/contracts")
    assert len(compiles) == 1


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("distribution", ["jinja2-99.dist-info", "pydantic-99.egg-info", "mine.pth"])
def test_check_compiles_after_a_package_is_installed_or_updated(
    distribution: str, command: Command, compiles: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("packages").mkdir()
    monkeypatch.syspath_prepend("packages")
    command("generate", *ACME)
    compiles.clear()
    Path("packages", distribution).mkdir()
    assert command("check", *ACME)[0] == 0
    assert len(compiles) == 1


@pytest.mark.usefixtures("generated_shop")
@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: "{}",
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"handler_problems": []', '"handler_problems": ["x"]'),
        lambda text: text.replace("class ", "klass "),
        lambda text: f"\udcff{text}",
        cache_of_another_version,
    ],
)
def test_a_damaged_cache_file_is_ignored(damage: Callable[[str], str], command: Command) -> None:
    command("check", *ACME)
    whole = CACHE_FILE.read_text()
    CACHE_FILE.write_bytes(damage(whole).encode(errors="surrogateescape"))
    assert command("check", *ACME) == (0, UP_TO_DATE)
    assert CACHE_FILE.read_text() == whole


@pytest.mark.usefixtures("shop")
def test_lint_runs_again_on_another_day_and_after_an_edit(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    days: list[date] = []
    real = linting.lint_snapshot

    def counted(state: Snapshot, today: date) -> linting.LintResult:
        days.append(today)
        return real(state, today)

    monkeypatch.setattr("toolaccord_codegen.cli.lint.lint_snapshot", counted)
    command("generate", *ACME)
    for day in ("2027-01-01", "2027-01-01", "2027-01-02"):
        assert command("check", *ACME, "--today", day) == (0, UP_TO_DATE)
    replace(CONTRACT, '"maxLength": 40', '"x-note": "40"')
    for _ in range(2):
        code, printed = command("check", *ACME, "--today", "2027-01-02")
        assert (code, "STRING_UNBOUNDED" in printed, printed.endswith("failed: files, lint\n")) == (1, True, True)
    assert [day.day for day in days] == [1, 2, 2, 2]


@pytest.mark.usefixtures("shop")
def test_everything_works_where_no_cache_can_be_written(command: Command) -> None:
    Path(".cache").write_text("a file in the way\n")
    assert command("generate", *ACME)[0] == 0
    assert command("check", *ACME)[0] == 0
    EDITS["generated file"]()
    assert command("check", *ACME)[0] == 1


@pytest.mark.usefixtures("shop")
def test_a_contract_saved_during_a_run_is_compiled_again(
    command: Command, compiles: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = models.generate_module

    def slow(header: str, schemas: models.Schemas) -> str:
        EDITS["contract"]()
        return real(header, schemas)

    with monkeypatch.context() as patch:
        patch.setattr(models, "generate_module", slow)
        command("generate", *ACME)
    compiles.clear()
    code, printed = command("check", *ACME)
    assert (code, len(compiles)) == (1, 1)
    assert "contracts/shop/stock.json changed since" in printed


def state(more: str, definitions: str = "{}", shared: str = "{}") -> Callable[[], None]:
    """Return the edit that gives a result a member of the schema *more*.

    The contract also gets definitions, its own and shared ones.
    """

    def edit() -> None:
        contract = json.loads(CONTRACT.read_text(encoding="utf-8"))
        contract["tools"][0]["returns"]["properties"]["more"] = json.loads(more)
        contract["$defs"] = json.loads(definitions)
        CONTRACT.write_text(json.dumps(contract), encoding="utf-8")
        written("contracts/shared.json", f'{{"$defs": {shared}}}')()

    return edit


def box(name: str, size: str = "integer") -> str:
    """Return definitions of one object as JSON."""
    return json.dumps({name: {"type": "object", "description": "It holds.", "properties": {"size": {"type": size}}}})


@pytest.mark.usefixtures("shop")
def test_generate_writes_the_same_files_with_and_without_a_cache(command: Command) -> None:
    own, shared = '{"$ref": "#/$defs/%s"}', '{"$ref": "../shared.json#/$defs/%s"}'
    for edit in (
        state(own % "Box", box("Box")),
        state(own % "Crate", box("Crate")),
        state(shared % "Crate", "{}", box("Crate")),
        state(shared % "Crate", "{}", box("Crate", "number")),
        state('{"type": "integer"}'),
    ):
        edit()
        assert command("generate", *ACME)[0] == 0
        after_an_edit = {path: Path("acme", path).read_bytes() for path in list_files(Path("acme"))}
        shutil.rmtree("acme")
        shutil.rmtree(FOLDER)
        command("generate", *ACME)
        assert {path: Path("acme", path).read_bytes() for path in list_files(Path("acme"))} == after_an_edit


@pytest.mark.usefixtures("shop")
def test_only_models_with_changed_schemas_are_regenerated(command: Command, regenerated: list[str]) -> None:
    EDITS["contract added"]()
    command("generate", *ACME)
    assert sorted(regenerated) == [f"Requests and results of {name}." for name in ("stock", "store")]
    before = MODELS.read_text()
    regenerated.clear()
    EDITS["contract"]()
    command("generate", *ACME)
    assert regenerated == []
    state('{"type": "integer"}')()
    command("check", *ACME)
    command("generate", *ACME)
    assert regenerated == ["Requests and results of stock."] * 2
    assert "more: int | None = None" in MODELS.read_text()
    regenerated.clear()
    command("generate", *ACME)
    assert regenerated == []
    assert MODELS.read_text() != before


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    "edit", ["generated file", "generated file removed", "generated file no UTF-8", "manifest and what it names"]
)
def test_edited_models_are_regenerated(edit: str, command: Command, regenerated: list[str]) -> None:
    command("generate", *ACME)
    made = MODELS.read_bytes()
    EDITS[edit]()
    command("generate", *ACME)
    assert (len(regenerated), MODELS.read_bytes()) == (2, made)


@pytest.mark.usefixtures("shop")
def test_another_version_of_the_generator_regenerates_all_models(
    command: Command, regenerated: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("packages").mkdir()
    monkeypatch.syspath_prepend("packages")
    command("generate", *ACME)
    Path("packages", f"{GENERATOR}-99.dist-info").mkdir()
    command("generate", *ACME)
    assert len(regenerated) == 2


@pytest.mark.usefixtures("shop")
def test_git_ignores_the_cache(command: Command) -> None:
    command("generate", *ACME)
    assert sorted(path.name for path in FOLDER.iterdir()) == [".gitignore", "acme.json"]
    assert (FOLDER / ".gitignore").read_text() == "*\n"


def run(*arguments: str, flags: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run the compiler as a process, from the current folder where it has one."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, *flags, "-m", "toolaccord_codegen", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, env=environment)


def loaded_modules(arguments: tuple[str, ...], expected: str) -> set[str]:
    """Return the modules that the compiler loads in a process, which prints what is expected."""
    done = run(*arguments, flags=("-X", "importtime"))
    assert (done.returncode, done.stdout) == (0, expected or done.stdout)
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


@pytest.mark.usefixtures("shop")
def test_a_command_loads_the_compiler_and_its_model_generator_only_for_changed_schemas() -> None:
    run("generate", *ACME)
    run("check", *ACME)
    loaded = loaded_modules(("check", *ACME), UP_TO_DATE)
    assert "toolaccord_codegen.cli.check_cache" in loaded
    assert loaded & HEAVY == set()
    EDITS["contract"]()
    for arguments in (("lint",), ("breaking", "--against", "contracts"), ("generate", *ACME)):
        assert GENERATOR not in loaded_modules(arguments, "")


@pytest.fixture
def compiler_copy(shop: Path) -> Path:
    """Copy the compiler, with its byte code, into the shop's folder."""
    return Path(shutil.copytree(COMPILER, shop / COMPILER.name))


CHANGES = {
    "emit/render.py": ("of the system {system}.", "that the system {system} has."),
    "emit/templates/header.jinja": ("layout.header(names))", 'layout.header(names) ~ " So.")'),
    "dialects.json": ("INTERNAL", "INTERNAL_"),
    "contract.schema.json": ('"description"', '"$comment"'),
}


def test_check_compiles_after_a_change_of_the_compiler(
    compiler_copy: Path, command: Command, compiles: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_cache, "COMPILER", compiler_copy)
    digested = check_cache._digest_own_files  # a process keeps the digest, because it keeps the code
    digested.cache_clear()
    try:
        command("generate", *ACME)
        for path, (old, new) in CHANGES.items():
            compiles.clear()
            command("check", *ACME)
            assert compiles == []
            replace(compiler_copy / path, old, new)
            command("check", *ACME)
            assert compiles == [], "the code that this process has loaded is as before"
            digested.cache_clear()
            command("check", *ACME)
            assert len(compiles) == 1, path
    finally:
        digested.cache_clear()


@pytest.mark.usefixtures("shop")
def test_a_changed_compiler_says_that_it_changed(compiler_copy: Path, command: Command) -> None:
    command("generate", *ACME)
    replace(compiler_copy / "emit/render.py", *CHANGES["emit/render.py"])
    done = run("check", *ACME)
    assert (done.returncode, "the generator changed since" in done.stdout) == (1, True), done.stdout
    shutil.rmtree(FOLDER)
    assert run("check", *ACME).stdout == done.stdout
