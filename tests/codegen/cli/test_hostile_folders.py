"""Commands in folders with links, named pipes, sockets and other processes."""

import fcntl
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.codegen.conftest import Command
from toolaccord_codegen.emit.locked_folder import UNFINISHED, LockedFolder, lock_folder
from toolaccord_codegen.loading.reading import LARGEST_FILE

GENERATE = ("generate", "--package", "acme")
STOCK = Path("contracts/shop/stock.json")
COMMANDS = (
    GENERATE,
    ("check", "--package", "acme"),
    ("lint",),
    ("breaking", "--against", "contracts"),
    ("changelog", "--against", "contracts"),
)


def edit_contract() -> None:
    """Change a description in the contract."""
    STOCK.write_text(STOCK.read_text(encoding="utf-8").replace("Count an", "Count one"), encoding="utf-8")


def run_process(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, which must end within a minute."""
    return subprocess.run(
        [sys.executable, "-m", "toolaccord_codegen", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("path", ["shop/stock/tools.json", "shop/stock/server.json", "shop/errors.py", "manifest.json"])
def test_generate_never_replaces_or_follows_a_link_to_a_file(path: str, command: Command) -> None:
    command(*GENERATE)
    Path("precious").write_text("precious\n", encoding="utf-8")
    Path("acme", path).unlink()
    Path("acme", path).symlink_to(Path("precious").resolve())
    edit_contract()
    code, output = command(*GENERATE)
    assert (code, output) == (
        2,
        f"toolaccord_codegen: acme/{path} is a symbolic link; remove it, or choose another --out\n",
    )
    assert Path("precious").read_text(encoding="utf-8") == "precious\n"


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("path", ["", "shop", "shop/stock", "shop/stock/schemas"])
def test_generate_never_writes_through_a_link_to_a_folder(path: str, command: Command) -> None:
    Path("precious").mkdir()
    Path("acme", path).parent.mkdir(parents=True, exist_ok=True)
    Path("acme", path).symlink_to(Path("precious").resolve(), target_is_directory=True)
    code, output = command(*GENERATE)
    assert (code, output) == (
        2,
        f"toolaccord_codegen: {Path('acme', path)} is a symbolic link or no folder; remove it, or choose another --out\n",
    )
    assert list(Path("precious").iterdir()) == []


@pytest.mark.usefixtures("shop")
def test_a_link_that_appears_between_check_and_write_is_replaced_and_not_followed() -> None:
    Path("precious").write_text("precious\n", encoding="utf-8")
    with lock_folder(Path("acme")) as output:
        assert output.read("py.typed") is None
        Path("acme/py.typed").symlink_to(Path("precious").resolve())
        output.replace("py.typed", "new\n")
    assert Path("precious").read_text(encoding="utf-8") == "precious\n"
    assert not Path("acme/py.typed").is_symlink()
    assert Path("acme/py.typed").read_text(encoding="utf-8") == "new\n"


@pytest.mark.usefixtures("shop")
def test_a_planted_link_at_the_name_of_the_unfinished_file_is_not_followed(command: Command) -> None:
    Path("precious").write_text("precious\n", encoding="utf-8")
    Path("acme").mkdir()
    Path("acme", UNFINISHED).symlink_to(Path("precious").resolve())
    assert command(*GENERATE)[0] == 0
    assert Path("precious").read_text(encoding="utf-8") == "precious\n"
    assert not Path("acme", UNFINISHED).is_symlink()


@pytest.mark.usefixtures("shop")
def test_byte_code_behind_a_link_is_not_removed_with_a_stale_folder(command: Command) -> None:
    store = STOCK.with_name("store.json")
    store.write_text(STOCK.read_text(encoding="utf-8").replace('"stock"', '"store"'), encoding="utf-8")
    command(*GENERATE)
    Path("precious").mkdir()
    Path("precious/file").write_text("precious\n", encoding="utf-8")
    Path("acme/shop/store/__pycache__").symlink_to(Path("precious").resolve(), target_is_directory=True)
    store.unlink()
    assert command(*GENERATE)[0] == 0
    assert Path("precious/file").exists()
    assert not Path("acme/shop/store/server.py").exists()


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    "path", [".cache", ".cache/toolaccord", ".cache/toolaccord/acme.json", ".cache/toolaccord/.gitignore"]
)
def test_the_cache_is_never_written_through_a_link(path: str, command: Command) -> None:
    is_folder = not path.endswith(("json", "gitignore"))
    precious = Path("precious")
    precious.mkdir() if is_folder else precious.write_text("precious\n", encoding="utf-8")
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).symlink_to(precious.resolve(), target_is_directory=is_folder)
    assert command(*GENERATE)[0] == 0
    assert list(precious.iterdir()) == [] if is_folder else precious.read_text(encoding="utf-8") == "precious\n"


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("path", ["acme/shop/errors.py", ".cache/toolaccord/acme.json"])
def test_a_named_pipe_in_the_output_or_the_cache_blocks_no_command(path: str) -> None:
    Path(path).parent.mkdir(parents=True)
    os.mkfifo(path)
    for arguments in COMMANDS[:2]:
        assert "Traceback" not in run_process(*arguments).stderr


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("out", ["contracts", "contracts/shop", "contracts/new/acme", "link", "contracts/../contracts"])
def test_an_output_folder_in_the_contracts_folder_is_rejected(out: str, command: Command) -> None:
    Path("link").symlink_to("contracts", target_is_directory=True)
    code, output = command(*GENERATE, "--out", out)
    assert (code, output) == (
        2,
        f"toolaccord_codegen: --out {Path(out)} lies in the contracts folder contracts; choose another --out\n",
    )
    assert [path.name for path in Path("contracts").rglob("*")] == ["shop", "stock.json"]


@pytest.mark.usefixtures("shop")
def test_contracts_below_the_output_folder_are_neither_removed_nor_overwritten(command: Command) -> None:
    Path("acme").mkdir()
    Path("contracts").rename("acme/contracts")
    folders = ("--contracts", "acme/contracts")
    assert command(*GENERATE, *folders)[0] == 0
    manifest = json.loads(Path("acme/manifest.json").read_text(encoding="utf-8"))
    # The digest of an empty file is all that a forged manifest needs.
    Path("acme/contracts/shop/empty.txt").touch()
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    manifest["files"]["contracts/shop/empty.txt"] = empty
    Path("acme/manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    code, output = command(*GENERATE, *folders)
    assert (code, output.split("; ")[0]) == (2, "toolaccord_codegen: not generated: acme/contracts/shop/empty.txt")
    assert Path("acme/contracts/shop/empty.txt").exists()


def make_pipe(path: Path) -> str:
    os.mkfifo(path)
    return "it is a named pipe, not a file"


def make_socket(path: Path) -> str:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path.name)
    Path(path.name).rename(path)
    return "it is a socket, not a file"


def make_device(path: Path) -> str:
    path.symlink_to("/dev/zero")
    return "it is a device, not a file"


def make_folder(path: Path) -> str:
    path.mkdir()
    return "it is a folder, not a file"


def make_loop(path: Path) -> str:
    path.symlink_to(path.name)
    return "Too many levels of symbolic links"


def make_dangling_link(path: Path) -> str:
    path.symlink_to("nothing")
    return "No such file or directory"


def make_large(path: Path) -> str:
    with path.open("wb") as file:
        file.truncate(2**40)  # a hole, larger than any memory: a command that reads all of it fails
    return f"it has more than {LARGEST_FILE:,} bytes; divide it"


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    "make", [make_pipe, make_socket, make_device, make_folder, make_loop, make_dangling_link, make_large]
)
@pytest.mark.parametrize("name", ["shop/odd.json", "odd.json", "dialects.json", "shop/stock.accepted.json"])
def test_every_command_rejects_what_is_no_readable_file(
    make: Callable[[Path], str], name: str, command: Command
) -> None:
    reason = make(Path("contracts", name))
    for arguments in COMMANDS:
        code, output = command(*arguments)
        assert f"contracts/{name}:1:1: FILE_UNREADABLE: the file cannot be read: {reason}\n" in output
        assert code == 3


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("make", [make_pipe, make_device, make_folder, make_loop, make_large])
def test_an_odd_proto_file_is_rejected(make: Callable[[Path], str], command: Command) -> None:
    reason = make(Path("contracts/shop/odd.proto"))
    code, output = command(*GENERATE)
    assert (code, output.splitlines()[0]) == (
        3,
        f"contracts/shop/odd.proto:1:1: FILE_UNREADABLE: the file cannot be read: {reason}",
    )


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: arguments[0])
def test_a_contracts_folder_that_is_a_loop_of_links_is_rejected(arguments: tuple[str, ...], command: Command) -> None:
    Path("loop").symlink_to("loop")
    code, output = command(*arguments, "--contracts", "loop")
    assert code == 3
    assert "NO_CONTRACTS" in output


@pytest.mark.usefixtures("shop")
def test_of_four_processes_that_generate_at_once_each_file_is_written_by_one() -> None:
    command = [sys.executable, "-m", "toolaccord_codegen", *GENERATE]
    processes = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(4)
    ]
    outputs = [process.communicate(timeout=120)[0] for process in processes]
    assert [(process.returncode, "Traceback" in text) for process, text in zip(processes, outputs, strict=True)] == [
        (0, False)
    ] * 4
    # One process may write the folder, and another the schema beside the contracts.
    written = [line for text in outputs for line in text.splitlines() if line.startswith("wrote")]
    assert len(written) == len(set(written)) > 0
    assert run_process("check", "--package", "acme").returncode == 0


HOLDER = """
import sys
from pathlib import Path
from toolaccord_codegen.emit.locked_folder import lock_folder
with lock_folder(Path("acme")):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_only_one_process_holds_the_lock_and_a_killed_holder_blocks_nobody(shop: Path, command: Command) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        folder = os.open(shop / "acme", os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(folder)
        holder.kill()
    assert command(*GENERATE)[0] == 0


@pytest.mark.usefixtures("shop")
def test_a_run_that_ends_halfway_is_completed_by_the_next_one(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = LockedFolder.replace

    def interrupted(folder: LockedFolder, path: str, text: str) -> None:
        replace(folder, path, text)
        if path == "shop/stock/tools.json":
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(LockedFolder, "replace", interrupted)
        assert command(*GENERATE)[0] == 130
    Path("acme", UNFINISHED).write_text("half", encoding="utf-8")
    edit_contract()
    assert command(*GENERATE)[0] == 0
    assert command("check", "--package", "acme")[0] == 0
