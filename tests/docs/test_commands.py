"""The page on commands describes each one."""

import re
from pathlib import Path

from codegen.cli.commands import COMMANDS
from codegen.cli.parser import list_project_keys

PAGE = (Path(__file__).parents[2] / "docs/commands.md").read_text(encoding="utf-8")
TITLES = re.findall(r"^## (.+)$", re.sub(r"^```.*?^```$", "", PAGE, flags=re.DOTALL | re.MULTILINE), re.MULTILINE)


def test_each_command_has_a_section_in_alphabetical_order() -> None:
    settings, *titles = TITLES
    described = [name for title in titles for name in title.split(", ")]
    assert settings == "Settings of a project"
    assert described == sorted(command.name for commands in COMMANDS.values() for command in commands)


def test_the_table_of_settings_lists_each_key() -> None:
    assert sorted(re.findall(r"^\| `(\w+)` \| (?:`--|\|)", PAGE, re.MULTILINE)) == sorted(list_project_keys())
