"""Prove that the wheels hold library and compiler alone, and work without extras."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.package.conftest import ROOT, Installation

pytestmark = pytest.mark.package
NAMES = ("codegen", "contracts", "generated", "handlers", "sandbox", "tests")
"""Import names of this repository that belong to no library."""
BASE_IMPORTS = "import importlib.util as u, sys; print([n for n in sys.argv[1:] if u.find_spec(n)])"


PACKAGES = {"toolaccord": ROOT, "toolaccord_codegen": ROOT / "codegen"}
"""The packages that have a wheel, and the folder of each."""


def open_wheel(package: str) -> zipfile.ZipFile:
    """Open the wheel of a package in dist/."""
    (path,) = (ROOT / "dist").glob(f"{package}-*.whl")
    return zipfile.ZipFile(path)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_wheel_holds_every_file_of_its_package_and_nothing_else(package: str) -> None:
    listed = subprocess.run(
        ["git", "ls-files", package], cwd=PACKAGES[package], capture_output=True, encoding="utf-8", check=True
    ).stdout.splitlines()
    names = open_wheel(package).namelist()
    assert {name for name in names if not name.startswith(f"{package}-0.1.0.dist-info/")} == {*listed}
    assert f"{package}-0.1.0.dist-info/licenses/LICENSE" in names


def test_the_wheels_install_two_packages_and_one_command(base: Installation) -> None:
    found = base.run("python", "-c", BASE_IMPORTS, *PACKAGES, *NAMES)
    assert found.stdout == f"{[*PACKAGES]}\n"
    scripts = open_wheel("toolaccord_codegen").read("toolaccord_codegen-0.1.0.dist-info/entry_points.txt").decode()
    assert scripts.split() == ["[console_scripts]", "toolaccord", "=", "toolaccord_codegen.console_script:main"]
    assert (
        "console_scripts" not in open_wheel("toolaccord").read("toolaccord-0.1.0.dist-info/entry_points.txt").decode()
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_the_checkout_gives_the_same_wheel_as_the_sdist(package: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=PACKAGES[package], capture_output=True, check=True)
    (again,) = tmp_path.glob("*.whl")
    built = open_wheel(package).filename
    assert built
    assert again.read_bytes() == Path(built).read_bytes()


def test_the_metadata_names_every_extra_and_no_obstacle_to_an_upload() -> None:
    metadata = open_wheel("toolaccord").read("toolaccord-0.1.0.dist-info/METADATA").decode().splitlines()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert {line.removeprefix("Provides-Extra: ") for line in metadata if line.startswith("Provides-Extra")} == {
        *extras
    }
    assert [line for line in metadata if "Private" in line] == []


def test_help_needs_the_base_dependencies_alone(base: Installation) -> None:
    ended = base.run("toolaccord", "--help")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("usage: toolaccord ")


@pytest.fixture(scope="module")
def shelf(base: Installation) -> Installation:
    """A generated project with a server without sources, in the environment without extras."""
    for command in (("init", "acme/books"), ("generate",), ("check",)):
        ended = base.run("toolaccord", *command)
        assert ended.returncode == 0, ended.stdout + ended.stderr
    return base


async def test_a_server_without_sources_answers_over_stdio(shelf: Installation) -> None:
    command = StdioServerParameters(
        command=str(shelf.programs / "toolaccord"),
        args=["serve", "acme/books"],
        env=dict(shelf.environ),
        cwd=shelf.folder,
    )
    async with Client(stdio_client(command)) as client:
        result = await client.call_tool("search_books", {"query": "a"})
    assert not result.is_error
    assert "items" in (result.structured_content or {})


@pytest.mark.parametrize(
    "command, sentence",
    [
        (
            "serve acme/books --transport http",
            "books-mcp: httptools is not installed: install toolaccord with its extra http",
        ),
        ("serve acme/lent", "lent-mcp: asyncpg is not installed: install toolaccord with its extra postgresql"),
        ("migrate", "toolaccord: asyncpg is not installed: install toolaccord with its extra postgresql"),
    ],
)
def test_a_missing_driver_is_one_sentence_with_its_extra(command: str, sentence: str, lent: Installation) -> None:
    ended = lent.run("toolaccord", *command.split())
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", f"{sentence}\n")


@pytest.fixture(scope="module")
def lent(shelf: Installation) -> Installation:
    """The project with a second server, which needs PostgreSQL, and has no SQL file."""
    started = shelf.run("toolaccord", "init", "acme/lent", "--postgresql")
    assert "# install toolaccord-codegen with its extra postgresql" in started.stdout, started.stderr
    (shelf.folder / "acme_handlers/acme/lent.sql").unlink()
    stubs = "\n\n".join(f"async def {name}(request, call): ...\n" for name in ("search_lent", "add_to_lent"))
    (shelf.folder / "acme_handlers/acme/lent.py").write_text(stubs, encoding="utf-8")
    ended = shelf.run("toolaccord", "generate")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return shelf


def test_queries_without_a_driver_are_one_sentence_with_the_extra_of_the_compiler(lent: Installation) -> None:
    queries = lent.folder / "acme_handlers/acme/lent.sql"
    queries.write_text("-- name: one :one\nSELECT 1;\n", encoding="utf-8")
    ended = lent.run("toolaccord", "check")
    queries.unlink()
    sentence = "checking queries needs asyncpg and psycopg: install toolaccord-codegen with its extra postgresql"
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", f"toolaccord: {sentence}\n")


def test_a_proto_file_without_protoc_is_one_sentence_with_its_extra(shelf: Installation) -> None:
    proto = shelf.folder / "contracts/acme/stock.proto"
    proto.write_text('syntax = "proto3";\n', encoding="utf-8")
    ended = shelf.run("toolaccord", "generate")
    proto.unlink()
    sentence = "contracts/acme/stock.proto needs grpcio-tools: install toolaccord-codegen with its extra grpc"
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", f"toolaccord: {sentence}\n")


def test_a_driver_that_handlers_import_is_one_sentence_too(lent: Installation) -> None:
    handlers = lent.folder / "acme_handlers/acme/lent.py"
    text = handlers.read_text(encoding="utf-8")
    handlers.write_text(f"import asyncpg\n{text}", encoding="utf-8")
    ended = lent.run("toolaccord", "serve", "acme/lent")
    handlers.write_text(text, encoding="utf-8")
    sentence = "acme/lent: asyncpg is not installed: install toolaccord with its extra postgresql\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", sentence)
