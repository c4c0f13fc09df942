"""`generate` and `check` on a folder: what is written, what is left alone, and what is said about the rest."""

import json
import os
from pathlib import Path

import pytest

from tests.codegen.conftest import CONTENT, Command

GENERATE = ("generate", "--package", "acme")
CHECK = ("check", "--package", "acme")
MODELS = "acme/shop/stock/models.py"
STORE = "contracts/shop/store.json"


def replace(path: str, old: str, new: str) -> None:
    """Edit a file."""
    text = Path(path).read_text(encoding="utf-8")
    assert old in text
    Path(path).write_text(text.replace(old, new), encoding="utf-8")


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.usefixtures("shop")
def test_a_second_run_touches_no_file(command: Command) -> None:
    assert command(*GENERATE)[0] == 0
    for path in Path("acme").rglob("*"):
        os.utime(path, (1, 1))
    code, said = command(*GENERATE)
    assert code == 0
    assert "nothing changed" in said
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
def test_check_is_content_with_what_generate_wrote_and_writes_nothing_but_its_memory(command: Command) -> None:
    command(*GENERATE)
    before = files(Path.cwd())
    assert command(*CHECK) == (0, CONTENT)
    after = files(Path.cwd())
    assert {path for path in before | after if before.get(path) != after.get(path)} == {".cache/toolpact/acme.json"}


@pytest.mark.usefixtures("shop")
def test_check_says_which_contract_changed_and_shows_what_would(command: Command) -> None:
    command(*GENERATE)
    replace("contracts/shop/stock.json", "Count an article", "Count articles")
    code, said = command(*CHECK)
    assert code == 1
    assert "acme/shop/stock/server.py: contracts/shop/stock.json changed since" in said
    assert "--- acme/shop/stock/server.py (now)\n+++ acme/shop/stock/server.py (generated)\n@@ " in said
    assert '-        """Count an article."""' in said
    assert '+        """Count articles."""' in said


@pytest.mark.usefixtures("shop")
def test_a_contract_that_only_looks_different_changed_nothing(command: Command) -> None:
    command(*GENERATE)
    path = Path("contracts/shop/stock.json")
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8"))), encoding="utf-8")
    assert command(*CHECK)[0] == 0


@pytest.mark.usefixtures("shop")
def test_check_says_that_a_file_was_edited_by_hand(command: Command) -> None:
    command(*GENERATE)
    replace(MODELS, "int | None", "float | None")
    code, said = command(*CHECK)
    assert code == 1
    assert f"{MODELS}: it was edited by hand; edit the contract instead" in said
    assert "-    count: float | None = None" in said
    assert command(*GENERATE)[0] == 0
    assert command(*CHECK)[0] == 0


@pytest.mark.usefixtures("shop")
def test_check_says_both_when_a_file_was_edited_by_hand_and_its_contract_changed(command: Command) -> None:
    command(*GENERATE)
    replace(MODELS, "int | None", "float | None")
    replace("acme/shop/stock/server.py", "Count an article", "Count the article")
    replace("contracts/shop/stock.json", "Count an article", "Count articles")
    said = command(*CHECK)[1].splitlines()
    by_hand = "it was edited by hand; edit the contract instead"
    assert f"{MODELS}: {by_hand}" in said
    assert f"acme/shop/stock/server.py: {by_hand}; besides, contracts/shop/stock.json changed since" in said


@pytest.mark.usefixtures("shop")
def test_check_finds_files_that_are_missing_too_much_or_no_text(command: Command) -> None:
    command(*GENERATE)
    Path(MODELS).unlink()
    Path("acme/shop/stock/mine.py").write_text("mine\n")
    Path("acme/shop/errors.py").write_bytes(b"\xff\xfe")
    code, said = command(*CHECK)
    assert code == 1
    assert f"{MODELS}: it is missing" in said
    assert "acme/shop/stock/mine.py: the generator did not make it; move it away" in said
    assert "acme/shop/errors.py: it was edited by hand" in said


@pytest.mark.usefixtures("shop")
def test_check_shows_a_lost_line_end_as_a_line_of_its_own(command: Command) -> None:
    command(*GENERATE)
    Path("acme/shop/__init__.py").write_bytes(Path("acme/shop/__init__.py").read_bytes().rstrip())
    said = command(*CHECK)[1]
    assert "\n+\n" in said or said.endswith("+\n")


@pytest.mark.usefixtures("shop")
def test_check_before_the_first_run_says_that_nothing_was_generated(command: Command) -> None:
    code, said = command(*CHECK)
    assert code == 1
    assert f"{MODELS}: it was never generated" in said


@pytest.mark.usefixtures("shop")
def test_what_no_contract_asks_for_any_more_is_removed_and_nothing_else(command: Command) -> None:
    text = Path("contracts/shop/stock.json").read_text(encoding="utf-8")
    Path(STORE).write_text(text.replace('"stock"', '"store"'), encoding="utf-8")
    command(*GENERATE)
    Path("acme/shop/store/notes.txt").write_text("mine\n")
    (Path("acme/shop/store") / "__pycache__").mkdir()
    Path(STORE).unlink()
    assert "acme/shop/store/server.py: no contract asks for it any more" in command(*CHECK)[1]
    code, said = command(*GENERATE)
    assert code == 0
    assert "removed acme/shop/store/server.py" in said
    assert [path.name for path in Path("acme/shop/store").rglob("*") if path.is_file()] == ["notes.txt"]
    Path("acme/shop/store/notes.txt").unlink()


@pytest.mark.usefixtures("shop")
def test_a_folder_that_held_only_what_was_removed_is_removed(command: Command) -> None:
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
def test_a_stale_file_that_was_edited_by_hand_is_kept(command: Command) -> None:
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
    "named",
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
def test_a_manifest_cannot_make_generate_delete_what_it_did_not_write(named: str, command: Command) -> None:
    command(*GENERATE)
    Path("outside.txt").write_text("")
    Path("acme/link").symlink_to(Path.cwd(), target_is_directory=True)
    Path("acme/link.txt").symlink_to(Path("outside.txt").resolve())
    manifest = json.loads(Path("acme/manifest.json").read_text(encoding="utf-8"))
    # The digest of an empty file: all that a forger of a manifest would need to get right.
    manifest["files"][named.format(cwd=Path.cwd())] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    Path("acme/manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert command(*GENERATE)[0] == 0
    assert Path("outside.txt").exists()
    assert Path("acme/shop/stock/server.py").exists()


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("text", ["", "\n", '{"contracts": {}, "files": {}}', '{"contracts": {}, "files": {"a": 5}}'])
def test_a_manifest_that_says_nothing_is_written_anew(text: str, command: Command) -> None:
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
def test_a_manifest_of_something_else_is_never_written_over(text: str, command: Command) -> None:
    Path("acme").mkdir()
    Path("acme/manifest.json").write_text(text, encoding="utf-8")
    code, said = command(*GENERATE)
    assert (code, said) == (
        2,
        "codegen: not generated: acme/manifest.json; move it away, or choose another --out\n",
    )
    assert files(Path("acme")) == {"manifest.json": text.encode()}


@pytest.mark.usefixtures("shop")
def test_generate_never_writes_over_data_that_it_did_not_write(command: Command) -> None:
    Path("acme/shop/stock").mkdir(parents=True)
    Path("acme/py.typed").write_text("partial\n")
    Path("acme/shop/stock/tools.json").write_bytes(b"\xff")
    before = files(Path("acme"))
    code, said = command(*GENERATE)
    assert code == 2
    assert "not generated: acme/py.typed, acme/shop/stock/tools.json; move it away" in said
    assert files(Path("acme")) == before


@pytest.mark.usefixtures("shop")
def test_files_that_are_already_right_are_in_nobodys_way(command: Command) -> None:
    command(*GENERATE)
    Path("acme/manifest.json").unlink()
    assert command(*GENERATE)[0] == 0
    assert command(*CHECK)[0] == 0


@pytest.mark.usefixtures("shop")
def test_a_module_that_says_it_was_generated_is_written_anew_without_a_manifest(command: Command) -> None:
    command(*GENERATE)
    Path("acme/manifest.json").unlink()
    replace(MODELS, "int | None", "float | None")
    assert command(*GENERATE)[0] == 0
    assert command(*CHECK)[0] == 0


@pytest.mark.usefixtures("shop")
def test_generate_never_writes_over_a_module_that_it_did_not_write(command: Command) -> None:
    Path("acme/shop/stock").mkdir(parents=True)
    Path(MODELS).write_text('"""My own."""\n')
    code, said = command(*GENERATE)
    assert code == 2
    assert f"not generated: {MODELS}; move it away, or choose another --out" in said
    assert files(Path("acme")) == {"shop/stock/models.py": b'"""My own."""\n'}


@pytest.mark.usefixtures("shop")
def test_an_empty_module_that_is_in_the_way_is_written(command: Command) -> None:
    Path("acme").mkdir()
    Path("acme/__init__.py").touch()
    assert command(*GENERATE)[0] == 0


@pytest.mark.usefixtures("shop")
def test_faulty_contracts_write_nothing(command: Command) -> None:
    command(*GENERATE)
    before = files(Path("acme"))
    replace("contracts/shop/stock.json", '"dialect": "plain"', '"dialect": "fancy"')
    code, said = command(*GENERATE)
    assert code == 1
    assert said.startswith("contracts/shop/stock.json:4:14: DIALECT_UNKNOWN: ")
    assert said.endswith("1 problem(s)\n")
    assert files(Path("acme")) == before
