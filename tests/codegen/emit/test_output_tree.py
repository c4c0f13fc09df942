"""Tests of `generate` and `check` on a folder: written and untouched files, and messages."""

import json
import os
from pathlib import Path

import pytest

from tests.codegen.conftest import UP_TO_DATE, Command

GENERATE = ("generate", "--package", "acme")
CHECK = ("check", "--package", "acme")
MODELS = "acme/shop/stock/models.py"
STORE = "contracts/shop/store.json"


def replace(path: str, old: str, new: str) -> None:
    """Replace text in a file."""
    text = Path(path).read_text(encoding="utf-8")
    assert old in text
    Path(path).write_text(text.replace(old, new), encoding="utf-8")


def read_files(folder: Path) -> dict[str, bytes]:
    """Read every file below a folder, by path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.usefixtures("shop")
def test_a_second_run_touches_no_file(command: Command) -> None:
    assert command(*GENERATE)[0] == 0
    for path in Path("acme").rglob("*"):
        os.utime(path, (1, 1))
    code, output = command(*GENERATE)
    assert code == 0
    assert "nothing changed" in output
    assert {path.stat().st_mtime for path in Path("acme").rglob("*")} == {1}


@pytest.mark.usefixtures("shop")
def test_a_run_rewrites_only_what_its_contract_changed(command: Command) -> None:
    command(*GENERATE)
    for path in Path("acme").rglob("*"):
        os.utime(path, (1, 1))
    replace("contracts/shop/stock.json", "Count an article", "Count articles")
    command(*GENERATE)
    touched = {path.name for path in Path("acme").rglob("*") if path.is_file() and path.stat().st_mtime != 1}
    assert touched == {"client.py", "manifest.json", "openapi.json", "server.py", "tools.json"}


@pytest.mark.usefixtures("shop")
def test_check_accepts_generated_files_and_writes_only_its_cache(command: Command) -> None:
    command(*GENERATE)
    before = read_files(Path.cwd())
    assert command(*CHECK) == (0, UP_TO_DATE)
    after = read_files(Path.cwd())
    assert {path for path in before | after if before.get(path) != after.get(path)} == {".cache/toolaccord/acme.json"}


@pytest.mark.usefixtures("shop")
def test_check_names_the_changed_contract_and_shows_a_diff(command: Command) -> None:
    command(*GENERATE)
    replace("contracts/shop/stock.json", "Count an article", "Count articles")
    code, output = command(*CHECK)
    assert code == 1
    assert "acme/shop/stock/server.py: contracts/shop/stock.json changed since" in output
    assert "--- acme/shop/stock/server.py (now)\n+++ acme/shop/stock/server.py (generated)\n@@ " in output
    assert '-        """Count an article."""' in output
    assert '+        """Count articles."""' in output


@pytest.mark.usefixtures("shop")
def test_reformatting_a_contract_is_no_change(command: Command) -> None:
    command(*GENERATE)
    path = Path("contracts/shop/stock.json")
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8"))), encoding="utf-8")
    assert command(*CHECK)[0] == 0


@pytest.mark.usefixtures("shop")
def test_check_reports_a_file_that_was_edited_by_hand(command: Command) -> None:
    command(*GENERATE)
    replace(MODELS, "int | None", "float | None")
    code, output = command(*CHECK)
    assert code == 1
    assert f"{MODELS}: it was edited by hand; edit the contract instead" in output
    assert "-    count: float | None = None" in output
    assert command(*GENERATE)[0] == 0
    assert command(*CHECK)[0] == 0


@pytest.mark.usefixtures("shop")
def test_check_reports_an_edit_by_hand_and_a_changed_contract_together(command: Command) -> None:
    command(*GENERATE)
    replace(MODELS, "int | None", "float | None")
    replace("acme/shop/stock/server.py", "Count an article", "Count the article")
    replace("contracts/shop/stock.json", "Count an article", "Count articles")
    output = command(*CHECK)[1].splitlines()
    by_hand = "it was edited by hand; edit the contract instead"
    assert f"{MODELS}: {by_hand}" in output
    assert f"acme/shop/stock/server.py: {by_hand}; besides, contracts/shop/stock.json changed since" in output


@pytest.mark.usefixtures("shop")
def test_check_reports_missing_extra_and_undecodable_files(command: Command) -> None:
    command(*GENERATE)
    Path(MODELS).unlink()
    Path("acme/shop/stock/mine.py").write_text("mine\n")
    Path("acme/shop/errors.py").write_bytes(b"\xff\xfe")
    code, output = command(*CHECK)
    assert code == 1
    assert f"{MODELS}: it is missing" in output
    assert "acme/shop/stock/mine.py: the generator did not make it; move it away" in output
    assert "acme/shop/errors.py: it was edited by hand" in output


@pytest.mark.usefixtures("shop")
def test_bytes_are_not_taken_for_the_escapes_that_show_them(command: Command) -> None:
    replace("contracts/shop/stock.json", "Count an article", "Count an article \\\\xff")
    command(*GENERATE)
    path = Path("acme/shop/stock/tools.json")
    generated = path.read_bytes()
    path.write_bytes(generated.replace(b"\\xff", b"\xff"))
    assert path.read_bytes() != generated
    code, output = command(*CHECK)
    assert (code, "acme/shop/stock/tools.json: it was edited by hand" in output) == (1, True)
    command(*GENERATE)
    assert path.read_bytes() == generated


@pytest.mark.usefixtures("shop")
def test_check_shows_a_missing_newline_at_the_end_of_a_file(command: Command) -> None:
    command(*GENERATE)
    Path("acme/shop/__init__.py").write_bytes(Path("acme/shop/__init__.py").read_bytes().rstrip())
    output = command(*CHECK)[1]
    assert "\n+\n" in output or output.endswith("+\n")


@pytest.mark.usefixtures("shop")
def test_check_before_the_first_run_reports_that_nothing_was_generated(command: Command) -> None:
    code, output = command(*CHECK)
    assert code == 1
    assert f"{MODELS}: it was never generated" in output
    assert "\n@@ " not in output  # nothing is there to compare with


@pytest.mark.usefixtures("shop")
def test_stale_files_are_removed_and_nothing_else(command: Command) -> None:
    text = Path("contracts/shop/stock.json").read_text(encoding="utf-8")
    Path(STORE).write_text(text.replace('"stock"', '"store"'), encoding="utf-8")
    command(*GENERATE)
    Path("acme/shop/store/notes.txt").write_text("mine\n")
    (Path("acme/shop/store") / "__pycache__").mkdir()
    Path(STORE).unlink()
    assert "acme/shop/store/server.py: no contract asks for it any more" in command(*CHECK)[1]
    code, output = command(*GENERATE)
    assert code == 0
    assert "removed acme/shop/store/server.py" in output
    assert [path.name for path in Path("acme/shop/store").rglob("*") if path.is_file()] == ["notes.txt"]
    Path("acme/shop/store/notes.txt").unlink()


@pytest.mark.usefixtures("shop")
def test_a_folder_without_other_files_is_removed_with_its_stale_files(command: Command) -> None:
    text = Path("contracts/shop/stock.json").read_text(encoding="utf-8")
    Path(STORE).write_text(text.replace('"stock"', '"store"'), encoding="utf-8")
    command(*GENERATE)
    cache = Path("acme/shop/store/__pycache__")
    cache.mkdir()
    (cache / "server.pyc").write_bytes(b"")
    Path(STORE).unlink()
    command(*GENERATE)
    assert not Path("acme/shop/store").exists()
    assert command(*CHECK)[0] == 0


@pytest.mark.usefixtures("shop")
def test_a_stale_file_that_was_edited_by_hand_is_not_removed(command: Command) -> None:
    text = Path("contracts/shop/stock.json").read_text(encoding="utf-8")
    Path(STORE).write_text(text.replace('"stock"', '"store"'), encoding="utf-8")
    command(*GENERATE)
    replace("acme/shop/store/server.py", "Generated", "Precious, generated")
    Path(STORE).unlink()
    command(*GENERATE)
    assert "Precious" in Path("acme/shop/store/server.py").read_text(encoding="utf-8")
    assert "acme/shop/store/server.py: the generator did not make it" in command(*CHECK)[1]


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    "path",
    [
        "../outside.txt",
        "shop/../../outside.txt",
        "/{cwd}/outside.txt",
        "link/outside.txt",
        "link.txt",
        ".",
        "",
        "a\0b",
        "shop",
    ],
)
def test_a_forged_manifest_cannot_make_generate_delete_other_files(path: str, command: Command) -> None:
    command(*GENERATE)
    Path("outside.txt").write_text("")
    Path("acme/link").symlink_to(Path.cwd(), target_is_directory=True)
    Path("acme/link.txt").symlink_to(Path("outside.txt").resolve())
    manifest = json.loads(Path("acme/manifest.json").read_text(encoding="utf-8"))
    # The digest of an empty file is all that a forged manifest needs.
    manifest["files"][path.format(cwd=Path.cwd())] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    Path("acme/manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert command(*GENERATE)[0] == 0
    assert Path("outside.txt").exists()
    assert Path("acme/shop/stock/server.py").exists()


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("text", ["", "\n", '{"contracts": {}, "files": {}}', '{"contracts": {}, "files": {"a": 5}}'])
def test_an_empty_manifest_is_replaced(text: str, command: Command) -> None:
    command(*GENERATE)
    Path("acme/manifest.json").write_text(text, encoding="utf-8")
    assert command(*CHECK)[0] == 1
    assert command(*GENERATE)[0] == 0
    assert command(*CHECK)[0] == 0


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{",
        "\0",
        '{"name": "app"}',
        '{"contracts": {}}',
        '{"files": {"app.js": "1"}}',
        '{"contracts": [], "files": 5}',
    ],
)
def test_a_manifest_json_of_another_program_is_never_overwritten(text: str, command: Command) -> None:
    Path("acme").mkdir()
    Path("acme/manifest.json").write_text(text, encoding="utf-8")
    code, output = command(*GENERATE)
    assert (code, output) == (
        2,
        "toolaccord_codegen: not generated: acme/manifest.json; move it away, or choose another --out\n",
    )
    assert read_files(Path("acme")) == {"manifest.json": text.encode()}


@pytest.mark.usefixtures("shop")
def test_generate_never_overwrites_foreign_data_files(command: Command) -> None:
    Path("acme/shop/stock").mkdir(parents=True)
    Path("acme/py.typed").write_text("partial\n")
    Path("acme/shop/stock/tools.json").write_bytes(b"\xff")
    before = read_files(Path("acme"))
    code, output = command(*GENERATE)
    assert code == 2
    assert "not generated: acme/py.typed, acme/shop/stock/tools.json; move it away" in output
    assert read_files(Path("acme")) == before


@pytest.mark.usefixtures("shop")
def test_a_lost_manifest_beside_unchanged_files_is_written_again(command: Command) -> None:
    command(*GENERATE)
    Path("acme/manifest.json").unlink()
    assert command(*GENERATE)[0] == 0
    assert command(*CHECK)[0] == 0


@pytest.mark.usefixtures("shop")
def test_a_module_with_the_header_of_generated_files_is_overwritten_without_a_manifest(command: Command) -> None:
    command(*GENERATE)
    Path("acme/manifest.json").unlink()
    replace(MODELS, "int | None", "float | None")
    assert command(*GENERATE)[0] == 0
    assert command(*CHECK)[0] == 0


@pytest.mark.usefixtures("shop")
def test_generate_never_overwrites_a_foreign_module(command: Command) -> None:
    Path("acme/shop/stock").mkdir(parents=True)
    Path(MODELS).write_text('"""My own."""\n')
    code, output = command(*GENERATE)
    assert code == 2
    assert f"not generated: {MODELS}; move it away, or choose another --out" in output
    assert read_files(Path("acme")) == {"shop/stock/models.py": b'"""My own."""\n'}


@pytest.mark.usefixtures("shop")
def test_an_empty_module_is_overwritten(command: Command) -> None:
    Path("acme").mkdir()
    Path("acme/__init__.py").touch()
    assert command(*GENERATE)[0] == 0


@pytest.mark.usefixtures("shop")
def test_invalid_contracts_write_nothing(command: Command) -> None:
    command(*GENERATE)
    before = read_files(Path("acme"))
    replace("contracts/shop/stock.json", '"dialect": "plain"', '"dialect": "fancy"')
    code, output = command(*GENERATE)
    assert code == 3
    assert output.startswith("contracts/shop/stock.json:4:14: DIALECT_UNKNOWN: ")
    assert output.endswith("1 problem(s)\n")
    assert read_files(Path("acme")) == before
