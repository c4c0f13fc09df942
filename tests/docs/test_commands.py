"""The page on commands describes each one, and pages name only what can be run."""

import re
from importlib.util import find_spec
from pathlib import Path

from toolaccord_codegen.cli.commands import COMMANDS
from toolaccord_codegen.cli.parser import list_project_keys

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
PAGES = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
).replace((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), "")
TITLES = re.findall(r"^## (.+)$", re.sub(r"^```.*?^```$", "", PAGE, flags=re.DOTALL | re.MULTILINE), re.MULTILINE)


def test_each_command_has_a_section_in_alphabetical_order() -> None:
    settings, *titles = TITLES
    described = [name for title in titles for name in title.split(", ")]
    assert settings == "Settings of a project"
    assert described == sorted(command.name for commands in COMMANDS.values() for command in commands)


def test_the_table_of_settings_lists_each_key() -> None:
    assert sorted(re.findall(r"^\| `(\w+)` \| (?:`--|\|)", PAGE, re.MULTILINE)) == sorted(list_project_keys())


def test_pages_name_only_commands_that_there_are() -> None:
    examples = "\n".join(re.findall(r"```(?:sh|console)\n(.*?)```", PAGES, re.DOTALL))
    named = re.findall(r"^(?:\$ )?toolaccord ([a-z]+)", examples, re.MULTILINE) + re.findall(
        r"`toolaccord ([a-z]+)", PAGES
    )
    known = {command.name.split()[0] for commands in COMMANDS.values() for command in commands}
    assert {*named} <= known


def test_pages_name_only_modules_that_there_are() -> None:
    named = {*re.findall(r"python -m ((?:generated|handlers|sandbox|tests|toolaccord)[\w.]*\w)", PAGES)}
    assert named
    assert [name for name in sorted(named) if find_spec(name) is None] == []


def test_pages_name_only_sessions_that_there_are() -> None:
    sessions = re.findall(r"^@nox\.session\ndef (\w+)", (ROOT / "noxfile.py").read_text(encoding="utf-8"), re.MULTILINE)
    assert {*re.findall(r"(?:\./run|nox -s) ([a-z]+)", PAGES)} <= {*sessions}
