"""The project's sessions.

`nox -l` lists them. `./run SESSION` runs one on a machine that has only Python. All sessions share the environment
`.venv`, with exactly the packages of constraints.txt. `bench` has its own, with the servers it compares, `package`
tests the wheel in fresh ones, and `demo` has a smaller one where there is no other.
"""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import nox


@dataclass(frozen=True)
class Environment:
    """A virtual environment."""

    folder: Path
    without: frozenset[str] = frozenset()
    """The dependency groups that are not installed."""

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    def variables(self) -> dict[str, str | None]:
        """Return the environment variables of a session.

        PATH begins with the environment's programs. Byte code is written, because servers start slowly without it.
        """
        path = os.pathsep.join([str(self.python.parent), os.environ.get("PATH", "")])
        return {"PATH": path, "PYTHONDONTWRITEBYTECODE": None, "VIRTUAL_ENV": str(self.folder)}


ROOT = Path(__file__).parent
SHARED = Environment(ROOT / ".venv", without=frozenset({"bench"}))
DEMO = Environment(ROOT / ".cache/demo", without=frozenset({"bench", "lint", "tests", "types"}))
BENCH = Environment(ROOT / ".cache/bench", without=frozenset({"lint", "tests", "types"}))
FRESH = {"base": ("", ""), "project": ("[http,postgresql,testing]", "[postgresql]")}
"""The environments in which the wheels are tested, with the extras of library and compiler: none, and those of a new
project with PostgreSQL."""
CONSTRAINTS = "constraints.txt"
BOOTSTRAP = ".ci/bootstrap.txt"
EXCLUDES = ".ci/excludes.txt"
PROJECTS = {"pyproject.toml": ".", "codegen/pyproject.toml": "codegen", ".ci/servers/pyproject.toml": ".ci/servers"}
"""The library, the compiler and the application: the files that name their dependencies, with their folders."""
LIBRARIES = (".", "codegen")
"""The folders of the distributions that other projects install, in the order of their wheels' names."""
REQUIREMENTS = tuple(part for name in PROJECTS for part in ("--requirements", name))
ON_EVERY_CORE = ("--numprocesses", "auto", "--maxprocesses", "4", "--dist", "worksteal")
"""pytest's options for several processes; each has its own PostgreSQL and InfluxDB."""
MEMORY = Path("/dev/shm")  # noqa: S108 - each run makes a folder of its own
MIN_MEMORY_BYTES = 4 << 30
"""Room in memory for the temporary files of a run, several times over."""
OTHER_DAYS: tuple[str, ...] = ("+40", "2027-12-25", "2028-02-29")
"""In forty days; a Saturday after a month whose best strategy gives no signal; a leap day."""

nox.needs_version = ">=2026.10"
nox.options.default_venv_backend = "none"
nox.options.sessions = ["check", "lint", "types", "tests"]


@nox.session
def generate(session: nox.Session) -> None:
    """Write contract.schema.json from the language's records, and generated/ from contracts/."""
    run_module(session, "toolaccord_codegen.emit.language.schema")
    run_module(session, "toolaccord_codegen", "generate", *session.posargs)


@nox.session
def check(session: nox.Session) -> None:
    """Check generated/ and handlers/ against contracts/, lint, and report breaking changes.

    Changes count since the git ref or the folder in the first argument. The default is the merge base with the
    upstream's default branch; a repository that was never cloned has none.
    """
    first, *rest = session.posargs or [""]
    if first.startswith("-"):
        rest, first = [first, *rest], ""
    remotes = ["git", "remote"]
    is_clone = "CI" in os.environ or bool(subprocess.run(remotes, capture_output=True, check=False).stdout)
    against = ["--against", first or "upstream"] if first or is_clone else []
    run_module(session, "toolaccord_codegen", "check", *against, *rest)


@nox.session
def lint(session: nox.Session) -> None:
    """Check formatting, style, the directions of imports, scripts and styles of pages, and the Dockerfile."""
    paths = session.posargs or ["."]
    run_module(session, "ruff", "format", "--check", *paths)
    run_module(session, "ruff", "check", *paths)
    run_program(session, "lint-imports")
    if sys.platform == "linux":
        run_program(session, "hadolint", "Dockerfile")
        check_pages(session)


@nox.session
def types(session: nox.Session) -> None:
    """Check the types of every package, of the tests and of this file."""
    run_module(session, "tests.toolaccord.compilation")
    run_module(session, "mypy", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests on up to four cores.

    `quick` runs those that start no process and take a minute together, as earlier runs measured them. Arguments after
    `--` go to pytest, which then runs in one process.
    """
    if session.posargs == ["quick"]:
        run_module(session, "pytest", "--quick", *ON_EVERY_CORE, variables=in_memory())
    else:
        run_module(session, "pytest", *(session.posargs or ON_EVERY_CORE), variables=in_memory())


@nox.session
def dates(session: nox.Session) -> None:
    """Run the tests with every process's clock moved to other days.

    The days are in 40 days, in December 2027, and 29 February 2028. `-- 2030-06-01` or `-- +7` runs them on that day
    alone. Further arguments go to pytest.
    """
    days, arguments = OTHER_DAYS, session.posargs
    if arguments and re.match(r"[+\d]", arguments[0]):
        days, arguments = (arguments[0],), arguments[1:]
    for day in days:
        run_module(session, "tests.clock_shim", day, *(arguments or ON_EVERY_CORE), variables=in_memory())


@nox.session
def fuzz(session: nox.Session) -> None:
    """Test 100,000 broken streams of frames, and every server over HTTP with schemathesis.

    `-- --fuzz-examples N` sets the number of generated requests per operation.
    """
    run_module(session, "tests.toolaccord.transports.content_length.fuzz", "100000")
    schemathesis = ("-m", "fuzz", "tests/servers/test_schemathesis.py", "--fuzz-examples", "300")
    run_module(session, "pytest", *schemathesis, *session.posargs)


@nox.session
def oracle(session: nox.Session) -> None:
    """Judge 50,000 verdicts of the checker of changes on random schemas, in two processes.

    `-- 2000` judges as many.
    """
    run_module(session, "tests.codegen.breaking.oracle", *session.posargs)


@nox.session
def conformance(session: nox.Session) -> None:
    """Run MCP's official conformance suite against every server over HTTP, and MCP Inspector, both from npm."""
    run_module(session, "pytest", "-m", "conformance", *session.posargs)


@nox.session
def load(session: nox.Session) -> None:
    """Call three replicas behind a proxy from 200 clients while one stops.

    Takes a minute, and prints p50, p95 and p99.
    """
    run_module(session, "pytest", "-m", "load", *session.posargs)


@nox.session
def attack(session: nox.Session) -> None:
    """Attack servers, backends and the compiler, and write docs/security.md.

    `-- --only NAME` runs one attack, `-- --scale 0.1` sends a tenth of the inputs, and `-- --against DIR` attacks
    another checkout.
    """
    run_module(session, "tests.toolaccord.compilation")
    run_module(session, "tests.attack", *session.posargs)


@nox.session
def hosts(session: nox.Session) -> None:
    """Test what programs from npm make of the project.

    Four hosts read the generated configurations, the SDKs of MCP call servers, MCP Inspector shows a view, and VS Code
    completes contracts.
    """
    run_module(session, "pytest", "-m", "hosts", *session.posargs)


@nox.session
def package(session: nox.Session) -> None:
    """Build wheels and sdists of library and compiler into dist/, and test the wheels in fresh environments.

    Arguments after `--` go to pytest.
    """
    synchronise(session, SHARED)
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    target = ("--python", str(SHARED.python), "--out-dir", str(ROOT / "dist"))
    for folder in LIBRARIES:
        run_uv(session, "build", "--quiet", "--no-build-isolation", *target, folder)
    library, compiler = sorted((ROOT / "dist").glob("*.whl"))
    for wheel in (library, compiler):
        session.log(describe_wheel(wheel))
    for name, (extras, of_compiler) in FRESH.items():
        fresh = Environment(ROOT / ".cache/package" / name)
        run_uv(session, "venv", "--quiet", "--clear", "--python", sys.executable, str(fresh.folder))
        chosen = (
            "--quiet",
            "--compile-bytecode",
            "--constraints",
            CONSTRAINTS,
            f"toolaccord{extras} @ {library.as_uri()}",
            f"toolaccord-codegen{of_compiler} @ {compiler.as_uri()}",
        )
        run_uv(session, "pip", "install", "--python", str(fresh.python), *chosen)
    run_module(session, "pytest", "-m", "package", *(session.posargs or ["tests/package"]))


@nox.session
def pictures(session: nox.Session) -> None:
    """Draw the pictures of views, console and site in docs/pictures with Chromium, light and dark.

    `-- views` draws those alone.
    """
    run_module(session, "tests.docs.pictures", *session.posargs)


@nox.session
def image(session: nox.Session) -> None:
    """Build the image of a server, run it, and check its size and answers.

    `-- features-mcp` takes another server than strategy-mcp. Needs buildah and mmdebstrap, and no container engine.
    """
    synchronise(session, SHARED)
    command = (str(SHARED.python), "-m", "tests.container.image", *session.posargs)
    session.run(*command, env=SHARED.variables() | pip_index(), external=True)


@nox.session
def demo(session: nox.Session) -> None:
    """Start the sandbox and servers, and tell a story of about fifteen calls; `-- --all` calls every tool.

    Without the shared environment it installs only what it needs.
    """
    environment = SHARED if is_synchronised(SHARED) else DEMO
    run_module(session, "sandbox.demo", *session.posargs, environment=environment)


@nox.session
def site(session: nox.Session) -> None:
    """Write this repository's pages into site/; `-- --against REF` lists the changes since then."""
    run_module(session, "toolaccord_codegen", "site", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Compare toolaccord with other servers, and write docs/benchmarks.md.

    `-- --rounds 1` is short. `-- compiler`, `-- tools`, `-- load`, `-- scale` and `-- evolution` run other measurements.
    """
    name, *arguments = session.posargs or ["compare"]
    if name.startswith("-"):
        name, arguments = "compare", session.posargs
    run_module(session, "tests.toolaccord.compilation", environment=BENCH)  # some programs run its servers
    run_module(session, f"benchmarks.{name}", *arguments, environment=BENCH)


@nox.session
def lock(session: nox.Session) -> None:
    """Resolve the dependencies into constraints.txt; `-- --upgrade` takes newer versions."""
    groups = [f"--group={name}" for name in dependency_groups()]
    lock_file(session, CONSTRAINTS, *PROJECTS, "--all-extras", *groups)
    lock_file(session, BOOTSTRAP, "--group=bootstrap")


def check_pages(session: nox.Session) -> None:
    """Check scripts and styles of pages with Biome, where npm can fetch it."""
    done = subprocess.run([".ci/services", "biome"], capture_output=True, encoding="utf-8", check=False)
    if done.returncode == 0:
        session.run(
            done.stdout.strip(), "ci", "--colors=off", "biome.json", "codegen", "tests", "toolaccord", external=True
        )
    else:
        session.warn(f"scripts and styles of pages are not checked: {done.stderr.strip()}")


def run_module(
    session: nox.Session,
    module: str,
    *arguments: str,
    environment: Environment = SHARED,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Run *module* with Python's -m in *environment*, with some *variables* more."""
    synchronise(session, environment)
    environ = {**environment.variables(), **variables}
    session.run(str(environment.python), "-m", module, *arguments, env=environ, external=True)


def in_memory() -> Mapping[str, str]:
    """Return the variable that puts temporary files into memory, where there is room.

    Tests write many small files, and a disk takes milliseconds to remove each.
    """
    has_room = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= MIN_MEMORY_BYTES
    return {"TMPDIR": str(MEMORY)} if has_room else {}


def run_program(session: nox.Session, name: str, *arguments: str) -> None:
    """Run the console script *name* of the shared environment."""
    synchronise(session, SHARED)
    session.run(str(SHARED.python.with_name(name)), *arguments, env=SHARED.variables(), external=True)


def synchronise(session: nox.Session, environment: Environment) -> None:
    """Install constraints.txt, the library and the application into *environment*, unless it is up to date."""
    if is_synchronised(environment):
        return
    name = environment.folder.relative_to(ROOT)
    session.log(f"installing constraints.txt into {name}; the first time takes about half a minute")
    if not environment.python.exists():
        run_uv(session, "venv", "--quiet", "--clear", "--python", sys.executable, str(environment.folder))
    groups = [f"--group={name}" for name in dependency_groups() if name not in environment.without]
    install(session, environment, *REQUIREMENTS, "--all-extras", *groups)
    editable = [part for folder in PROJECTS.values() for part in ("--editable", folder)]
    how = ("--quiet", "--no-deps", "--no-build-isolation", "--python", str(environment.python))
    run_uv(session, "pip", "install", *how, *editable)
    stamp(environment).write_text(fingerprint(CONSTRAINTS, *PROJECTS), encoding="utf-8")


def is_synchronised(environment: Environment) -> bool:
    """Return whether *environment* has what the files of the project name now."""
    found = stamp(environment)
    is_there = environment.python.exists() and found.exists()
    return is_there and found.read_text(encoding="utf-8") == fingerprint(CONSTRAINTS, *PROJECTS)


def stamp(environment: Environment) -> Path:
    """Return the file with the fingerprint of what *environment* has."""
    return environment.folder / "synchronised"


def fingerprint(*names: str) -> str:
    """Return a hash of the contents of the files *names*."""
    return hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in names)).hexdigest()


def install(session: nox.Session, environment: Environment, *what: str) -> None:
    """Install *what* into *environment*, in the versions and with the hashes of constraints.txt."""
    chosen = ("--require-hashes", "--compile-bytecode", "--constraints", CONSTRAINTS, "--excludes", EXCLUDES, *what)
    run_uv(session, "pip", "install", "--python", str(environment.python), *chosen)


def lock_file(session: nox.Session, target: str, *sources: str) -> None:
    """Write the exact versions and hashes that *sources* need, for every platform, to *target*."""
    how = ("--universal", "--generate-hashes", "--no-emit-index-url", "--no-annotate", "--python-version", "3.11")
    chosen = (*how, "--excludes", EXCLUDES, *session.posargs)
    run_uv(session, "pip", "compile", "--quiet", *chosen, *sources, "--output-file", target)


def run_uv(session: nox.Session, *arguments: str) -> None:
    """Run uv, with the package index that pip is configured to use."""
    uv = shutil.which("uv", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    if uv is None:
        session.error("uv is missing; run `./run SESSION`, which brings its own, or install uv")
    environment = {"UV_CUSTOM_COMPILE_COMMAND": "nox -s lock"} | pip_index()
    with progress_line(f"uv {arguments[0]}"):
        session.run(uv, *arguments, env=environment, external=True)


def progress_line(sentence: str) -> AbstractContextManager[object]:
    """Return a line for a terminal; nox's own environment has not installed its module."""
    spec = importlib.util.spec_from_file_location("progress", ROOT / "toolaccord/testing/progress.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    line: AbstractContextManager[object] = module.Line(sentence)
    return line


def pip_index() -> dict[str, str]:
    """Return the variable that points uv to the index in pip's configuration.

    uv does not read that configuration. Empty without such an index.
    """
    if {"UV_DEFAULT_INDEX", "UV_INDEX_URL"} & os.environ.keys():
        return {}
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    configured = subprocess.run(command, capture_output=True, encoding="utf-8", check=False).stdout.strip()
    index = os.environ.get("PIP_INDEX_URL") or configured
    return {"UV_DEFAULT_INDEX": index} if index else {}


def describe_wheel(path: Path) -> str:
    """Return the size of a wheel, and the number and size of its files by folder."""
    sizes: dict[str, list[int]] = {}
    with zipfile.ZipFile(path) as wheel:
        for file in wheel.infolist():
            sizes.setdefault(file.filename.partition("/")[0], []).append(file.file_size)
    lines = [f"{folder}: {len(each)} files, {sum(each) / 1e6:.1f} MB" for folder, each in sorted(sizes.items())]
    return f"{path.name}, {path.stat().st_size / 1e6:.1f} MB: {'; '.join(lines)}"


def dependency_groups() -> list[str]:
    """Return the dependency groups that constraints.txt covers."""
    return [name for name in nox.project.load_toml("pyproject.toml")["dependency-groups"] if name != "bootstrap"]
