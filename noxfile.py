"""The project's sessions; `nox -l` lists them, `./run SESSION` runs one on a machine that has only Python.

All sessions share the environment `.venv`, which holds exactly what constraints.txt names; `bench` alone has one of its own,
with the servers that toolpact is measured beside.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import nox


@dataclass(frozen=True)
class Environment:
    """A virtual environment."""

    folder: Path
    without: frozenset[str] = frozenset()
    """The dependency groups that it does not have."""

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    def surroundings(self) -> dict[str, str | None]:
        """The environment variables of a session: its programs first, and byte code, without which servers start slowly."""
        path = os.pathsep.join([str(self.python.parent), os.environ.get("PATH", "")])
        return {"PATH": path, "PYTHONDONTWRITEBYTECODE": None, "VIRTUAL_ENV": str(self.folder)}


ROOT = Path(__file__).parent
SHARED = Environment(ROOT / ".venv", without=frozenset({"bench"}))
BENCH = Environment(ROOT / ".cache/bench", without=frozenset({"demo", "lint", "tests", "types"}))
CONSTRAINTS = "constraints.txt"
BOOTSTRAP = ".ci/bootstrap.txt"
ON_EVERY_CORE = ("--numprocesses", "auto", "--maxprocesses", "4", "--dist", "worksteal")
"""What has pytest share the tests among processes, each of which has a PostgreSQL and an InfluxDB of its own."""
OTHER_DAYS: tuple[str, ...] = ("+40", "2027-12-25", "2028-02-29")
"""In forty days; a Saturday, after the month whose best strategy of the sample is silent; a leap day."""

nox.needs_version = ">=2026.10"
nox.options.default_venv_backend = "none"
nox.options.sessions = ["check", "lint", "types", "tests"]


@nox.session
def generate(session: nox.Session) -> None:
    """Write generated/ anew from contracts/."""
    run_module(session, "codegen", "generate", *session.posargs)


@nox.session
def check(session: nox.Session) -> None:
    """Judge the contracts, whether generated/ and handlers/ are what they ask for, and what changed since a git ref.

    Without a ref, since the commit at which this branch left the default branch of its upstream.
    """
    first, *rest = session.posargs or [""]
    if first.startswith("-"):
        rest, first = [first, *rest], ""
    run_module(session, "codegen", "check", "--against", first or "upstream", *rest)


@nox.session
def lint(session: nox.Session) -> None:
    """Judge formatting, style, which room imports which, and the Dockerfile."""
    paths = session.posargs or ["."]
    run_module(session, "ruff", "format", "--check", *paths)
    run_module(session, "ruff", "check", *paths)
    run_program(session, "lint-imports")
    if sys.platform == "linux":
        run_program(session, "hadolint", "Dockerfile")


@nox.session
def types(session: nox.Session) -> None:
    """Check the types of every package, of the tests and of this file."""
    run_module(session, "mypy", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests, all of them on up to four cores; arguments after `--` go to pytest, which then takes one."""
    run_module(session, "pytest", *(session.posargs or ON_EVERY_CORE))


@nox.session
def dates(session: nox.Session) -> None:
    """Run the tests with the clock of every process moved: by 40 days, to December 2027, to 29 February 2028.

    `-- 2030-06-01` or `-- +7` moves it to that day alone; arguments after it go to pytest, as those of `tests` do.
    """
    days, arguments = OTHER_DAYS, session.posargs
    if arguments and re.match(r"[+\d]", arguments[0]):
        days, arguments = (arguments[0],), arguments[1:]
    for day in days:
        run_module(session, "tests.clock_shim", day, *(arguments or ON_EVERY_CORE))


@nox.session
def fuzz(session: nox.Session) -> None:
    """Have schemathesis judge every server over HTTP at length; `-- --fuzz-examples N` says how many requests it makes up."""
    run_module(session, "pytest", "tests/servers/test_schemathesis.py", "--fuzz-examples", "300", *session.posargs)


@nox.session
def conformance(session: nox.Session) -> None:
    """Have the official conformance suite of MCP, from npm, judge every server over HTTP."""
    run_module(session, "pytest", "-m", "conformance", *session.posargs)


@nox.session
def load(session: nox.Session) -> None:
    """Call three replicas behind a proxy from 200 clients while one stops, and print p50, p95 and p99; takes a minute."""
    run_module(session, "pytest", "-m", "load", *session.posargs)


@nox.session
def hosts(session: nox.Session) -> None:
    """Have OpenCode, Claude Code, Gemini CLI and Codex, fetched from npm, take the generated configurations."""
    run_module(session, "pytest", "-m", "hosts", *session.posargs)


@nox.session
def demo(session: nox.Session) -> None:
    """Start the sandbox and the servers, call every tool, and show the answers."""
    run_module(session, "sandbox.demo", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure servers side by side, and write docs/benchmarks.md (`-- --rounds 1` in short); or `-- compiler`, `-- tools`, `-- load`, `-- evolution`."""
    name, *arguments = session.posargs or ["compare"]
    if name.startswith("-"):
        name, arguments = "compare", session.posargs
    run_module(session, f"benchmarks.{name}", *arguments, environment=BENCH)


@nox.session
def lock(session: nox.Session) -> None:
    """Resolve every dependency again, to constraints.txt; `-- --upgrade` moves to newer versions."""
    groups = [f"--group={name}" for name in dependency_groups()]
    lock_file(session, CONSTRAINTS, "pyproject.toml", "--all-extras", *groups)
    lock_file(session, BOOTSTRAP, "--group=bootstrap")


def run_module(session: nox.Session, module: str, *arguments: str, environment: Environment = SHARED) -> None:
    """Run *module* with Python's -m in *environment*."""
    synchronise(session, environment)
    surroundings = environment.surroundings()
    session.run(str(environment.python), "-m", module, *arguments, env=surroundings, external=True)


def run_program(session: nox.Session, name: str, *arguments: str) -> None:
    """Run the console script *name* of the shared environment."""
    synchronise(session, SHARED)
    session.run(str(SHARED.python.with_name(name)), *arguments, env=SHARED.surroundings(), external=True)


def synchronise(session: nox.Session, environment: Environment) -> None:
    """Make *environment* what constraints.txt and pyproject.toml say, unless it is that already."""
    wanted = fingerprint(CONSTRAINTS, "pyproject.toml")
    stamp = environment.folder / "synchronised"
    if environment.python.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    name = environment.folder.relative_to(ROOT)
    session.log(f"making {name} what constraints.txt says; the first time takes about half a minute")
    if not environment.python.exists():
        run_uv(session, "venv", "--quiet", "--clear", "--python", sys.executable, str(environment.folder))
    groups = [f"--group={name}" for name in dependency_groups() if name not in environment.without]
    install(session, environment, "--requirements", "pyproject.toml", "--all-extras", *groups)
    itself = ("--no-deps", "--no-build-isolation", "--editable", ".")
    run_uv(session, "pip", "install", "--quiet", "--python", str(environment.python), *itself)
    stamp.write_text(wanted, encoding="utf-8")


def fingerprint(*names: str) -> str:
    """One text that changes with the contents of the files *names*."""
    return hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in names)).hexdigest()


def install(session: nox.Session, environment: Environment, *what: str) -> None:
    """Install *what* into *environment*, in the versions and with the hashes of constraints.txt."""
    chosen = ("--require-hashes", "--compile-bytecode", "--constraints", CONSTRAINTS, *what)
    run_uv(session, "pip", "install", "--python", str(environment.python), *chosen)


def lock_file(session: nox.Session, target: str, *sources: str) -> None:
    """Write the exact versions and hashes that *sources* need, for every platform, to *target*."""
    how = ("--universal", "--generate-hashes", "--no-emit-index-url", "--no-annotate", "--python-version", "3.11")
    run_uv(session, "pip", "compile", "--quiet", *how, *session.posargs, *sources, "--output-file", target)


def run_uv(session: nox.Session, *arguments: str) -> None:
    """Run uv, with the package index that pip is configured to use."""
    uv = shutil.which("uv", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    if uv is None:
        session.error("uv is missing; run `./run SESSION`, which brings its own, or install uv")
    environment = {"UV_CUSTOM_COMPILE_COMMAND": "nox -s lock"} | pip_index()
    session.run(uv, *arguments, env=environment, external=True)


def pip_index() -> dict[str, str]:
    """What tells uv about the index of pip's own configuration, which it does not read; empty when there is none."""
    if {"UV_DEFAULT_INDEX", "UV_INDEX_URL"} & os.environ.keys():
        return {}
    asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    said = subprocess.run(asked, capture_output=True, encoding="utf-8", check=False).stdout.strip()
    index = os.environ.get("PIP_INDEX_URL") or said
    return {"UV_DEFAULT_INDEX": index} if index else {}


def dependency_groups() -> list[str]:
    """The names of the dependency groups that constraints.txt covers."""
    return [name for name in nox.project.load_toml("pyproject.toml")["dependency-groups"] if name != "bootstrap"]
