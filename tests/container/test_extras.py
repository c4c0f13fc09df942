"""Prove that the image of a server has the packages that its modules import."""

import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.container.buildah import ImageError
from tests.container.image import read_settings, require_programs
from tests.contracts.reading import all_names, contract_files
from toolaccord_codegen.emit.bundles.modules import ImportedModules

ROOT = Path(__file__).parents[2]
LIBRARY, SERVERS = (
    tomllib.loads((ROOT / path).read_text(encoding="utf-8"))["project"]
    for path in ("pyproject.toml", ".ci/servers/pyproject.toml")
)
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
PACKAGES = {all_names()[path]: f"generated.{path.parent.name}.{path.stem}" for path in contract_files()}
"""The generated packages of servers and agents, by their commands."""
LINES = (ROOT / "generated/extras.txt").read_text(encoding="utf-8").splitlines()[1:]
EXTRAS = {name: line.split()[1:] for line in LINES if (name := line.split()[0]) in PACKAGES}
OWN = {name: listed for name, listed in SERVERS["optional-dependencies"].items() if name in PACKAGES}


def read_names(requirements: list[str]) -> set[str]:
    """Return the names of projects, those of the extras that *requirements* name included."""
    found: set[str] = set()
    for requirement in map(Requirement, requirements):
        found.add(canonicalize_name(requirement.name))
        if requirement.name == "toolaccord":
            for extra in requirement.extras:
                found |= read_names(LIBRARY["optional-dependencies"][extra])
    return found


def list_imported(name: str) -> list[set[str]]:
    """Return the projects of each package that the modules of a server import.

    Several projects share a package such as google.
    """
    modules = ImportedModules([ROOT])
    modules.follow(f"{PACKAGES[name]}.__main__")
    projects = packages_distributions()
    outside = modules.outside - sys.stdlib_module_names - {"toolaccord"}
    return [{canonicalize_name(project) for project in projects[module]} for module in sorted(outside)]


def test_every_server_and_agent_has_its_line_of_extras() -> None:
    assert EXTRAS.keys() == PACKAGES.keys()
    assert {extra for extras in EXTRAS.values() for extra in extras} <= LIBRARY["optional-dependencies"].keys()


@pytest.mark.parametrize("name", sorted(PACKAGES))
def test_the_modules_of_a_server_import_only_what_its_image_has(name: str) -> None:
    chosen = [f"toolaccord[{','.join(EXTRAS[name])}]", *OWN.get(name, [])]
    installed = read_names([*LIBRARY["dependencies"], *chosen])
    assert [projects for projects in list_imported(name) if not projects & installed] == []


@pytest.mark.parametrize("name", sorted(OWN))
def test_a_server_imports_all_of_its_own_extra(name: str) -> None:
    assert read_names(OWN[name]) <= set().union(*list_imported(name))


@pytest.mark.parametrize(
    "server, chosen",
    [
        ("strategy-mcp", ["--extra=http", "--extra=postgresql", "--extra=telemetry"]),
        ("features-mcp", [*(f"--extra={each}" for each in EXTRAS["features-mcp"]), "--extra=features-mcp"]),
    ],
)
def test_the_dockerfile_chooses_the_extras_of_its_server(server: str, chosen: list[str], tmp_path: Path) -> None:
    assert choose_extras(server, tmp_path).returncode == 0
    assert (tmp_path / "chosen.txt").read_text(encoding="utf-8").split() == chosen


def test_the_dockerfile_builds_no_image_of_an_unknown_server(tmp_path: Path) -> None:
    assert choose_extras("strategy", tmp_path).returncode != 0


def choose_extras(server: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run what the Dockerfile does before it installs, in a folder with its files."""
    (folder / ".ci/servers").mkdir(parents=True)
    shutil.copy(ROOT / "generated/extras.txt", folder)
    shutil.copy(ROOT / ".ci/servers/pyproject.toml", folder / ".ci/servers")
    first = re.findall(r"^RUN (.*?) && python3 -m venv", DOCKERFILE, re.MULTILINE | re.DOTALL)[0]
    return subprocess.run(["sh", "-c", first], cwd=folder, env={"SERVER": server, "PATH": "/usr/bin:/bin"}, check=False)


def test_the_session_has_a_value_for_each_required_setting() -> None:
    assert all(value for settings in read_settings().values() for value in settings.values())


def test_the_session_names_the_programs_that_are_missing(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="buildah and mmdebstrap not found; on Debian and Ubuntu: apt install buildah"):
        require_programs(str(tmp_path))
