"""`init --ci` writes recipes whose commands run, and keeps files that are there."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.codegen.conftest import Command
from toolaccord_codegen.__main__ import main

GITHUB, GITLAB, HOOKS = ".github/workflows/contracts.yml", ".gitlab-ci.yml", ".pre-commit-config.yaml"
BASES = re.compile(r'"(origin/\$GITHUB_BASE_REF|\$CI_MERGE_REQUEST_DIFF_BASE_SHA)"|upstream')


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Start a generated project with every recipe, whose state is committed."""
    folder = tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for words in (
            ["init", "acme/books", "--ci", "github"],
            ["init", "--ci", "gitlab"],
            ["init", "--ci", "pre-commit"],
        ):
            assert main(words) == 0
        assert main(["generate"]) == 0
    for command in (
        ["init", "--quiet", "--initial-branch=main"],
        ["add", "."],
        ["commit", "--quiet", "--message=Start"],
    ):
        identity = ["-c", "user.name=author", "-c", "user.email=author@localhost", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *command], cwd=folder, check=True)
    return folder


def read(path: Path) -> Any:
    """Return a YAML file."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def list_commands(folder: Path) -> Iterator[str]:
    """Yield each line that a recipe runs."""
    workflow = read(folder / GITHUB)
    for job in workflow["jobs"].values():
        yield from (line for step in job["steps"] for line in step.get("run", "").splitlines())
    for job in read(folder / GITLAB).values():
        if isinstance(job, dict):
            yield from job.get("script", ())
    yield from (hook["entry"] for hook in read(folder / HOOKS)["repos"][0]["hooks"])


def test_every_command_of_a_recipe_passes_in_an_unchanged_project(
    project: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    commands = sorted({BASES.sub("main", line) for line in list_commands(project) if line.startswith("toolaccord ")})
    runs = [line.partition(" > ")[0].split()[1:] for line in commands]
    assert [words[0] for words in runs].count("breaking") == 3
    assert {words[0] for words in runs} == {"breaking", "check", "lint"}
    for words in runs:
        status, output = command(*words)
        assert status == 0, (words, output)


def test_a_recipe_fails_on_a_breaking_change_and_reports_it_in_both_forms(
    project: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    contract = project / "contracts/acme/books.json"
    before = contract.read_text(encoding="utf-8")
    contract.write_text(before.replace('"maximum": 50, "default"', '"maximum": 20, "default"'), encoding="utf-8")
    for form, part in (("github", "::error file=contracts/acme/books.json"), ("sarif", '"BOUND_TIGHTENED"')):
        status, output = command("breaking", "--against", "main", "--format", form)
        assert (status, part in output) == (1, True)
    contract.write_text(before, encoding="utf-8")


def test_a_recipe_installs_toolaccord_from_files_alone(project: Path) -> None:
    lines = [*list_commands(project), *read(project / GITLAB)[".installed"]["before_script"]]
    lines += (project / "Dockerfile").read_text(encoding="utf-8").splitlines()
    installed = [line for line in lines if re.search(r"\binstall\b.*toolaccord|wheels/\*", line)]
    assert installed
    assert all("wheels/" in line for line in installed)


def test_the_dockerfile_takes_the_extras_of_its_server(project: Path) -> None:
    text = (project / "Dockerfile").read_text(encoding="utf-8")
    (script,) = re.findall(r"extras=\$\((.*)\)", text)
    found = subprocess.run(["sh", "-c", script], cwd=project, env={"SERVER": "books-mcp", "PATH": "/usr/bin:/bin"},
                           capture_output=True, encoding="utf-8", check=True)  # fmt: skip
    assert found.stdout.strip() == "http,telemetry"
    assert re.findall(r"^(?:FROM|CMD) .*", text, re.MULTILINE)[-1].startswith('CMD ["server", "--transport", "http"')
    hadolint = [str(Path(sys.executable).with_name("hadolint")), "Dockerfile"]
    judged = subprocess.run(hadolint, cwd=project, capture_output=True, encoding="utf-8", check=False)
    assert (judged.returncode, judged.stdout) == (0, "")


def test_files_that_are_there_are_kept(project: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    assert command("init", "--ci", "github") == (0, f"kept    {GITHUB}\nkept    Dockerfile\nkept    .dockerignore\n")


def test_recipes_name_the_folders_of_the_project(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(
        '[project.scripts]\nother = {reference = "acme.generated", type = "console"}\n'
        'books-mcp = "acme.generated.acme.books.__main__:main"\n[tool.toolaccord]\ncontracts = "my contracts+"\n'
        'package = "acme.generated"\nout = "src/acme/generated"\nhandlers = "acme.handlers"\n'
    )
    for recipe in ("github", "pre-commit"):
        assert command("init", "--ci", recipe)[0] == 0
    assert " src/acme/generated/extras.txt)" in (tmp_path / "Dockerfile").read_text()
    every, contracts = (re.compile(hook["files"]) for hook in read(tmp_path / HOOKS)["repos"][0]["hooks"])
    folders = ["my contracts+", "src/acme/generated", "src/acme/handlers"]
    assert [bool(every.match(f"{folder}/x")) for folder in [*folders, "acme.generated"]] == [True, True, True, False]
    assert [bool(contracts.match(f"{folder}/x")) for folder in folders] == [True, False, False]


@pytest.mark.parametrize(
    "words, sentence",
    [
        ((), "name the first server, e.g. acme/books, or for a project that exists a recipe with --ci"),
        (("--ci", "github"), "no pyproject.toml with [tool.toolaccord] is here; start a project with init SYSTEM/NAME"),
    ],
)
def test_a_recipe_needs_a_project(
    words: tuple[str, ...], sentence: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, output = command("init", *words)
    assert (status, sentence in output) == (2, True)
    assert [*tmp_path.iterdir()] == []
