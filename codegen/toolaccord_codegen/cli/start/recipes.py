"""Recipes of continuous integration for a project, and the Dockerfile of its servers."""

from __future__ import annotations

import re
from pathlib import Path
from shlex import quote
from typing import Any

from toolaccord_codegen.cli.options.folders import Folders
from toolaccord_codegen.cli.pyproject import NAME, read_pyproject
from toolaccord_codegen.cli.start.new_files import write_file
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.emit.templating import render_template
from toolaccord_codegen.loading.documents import display_path

IMAGE = {Path("Dockerfile"): "Dockerfile", Path(".dockerignore"): "dockerignore"}
RECIPES = {
    "github": {Path(".github/workflows/contracts.yml"): "github.yml", **IMAGE},
    "gitlab": {Path(".gitlab-ci.yml"): "gitlab.yml", **IMAGE},
    "pre-commit": {Path(".pre-commit-config.yaml"): "pre-commit.yaml"},
}
"""The templates of each recipe by the file that it becomes."""


def write_recipe(recipe: str, folders: Folders) -> None:
    """Write the files of a recipe that are missing.

    Raises CommandError for a project without a server.
    """
    values: dict[str, Any] = {
        "mcp_name": _find_server(folders),
        "output": quote(display_path(folders.output)),
        "folders": [
            re.escape(display_path(folder)) for folder in (folders.contracts, folders.output, folders.handlers_folder)
        ],
    }
    for path, template in RECIPES[recipe].items():
        if path.exists():
            print(f"kept    {display_path(path)}")
        else:
            write_file(path, render_template(f"ci/{template}", **values))


def _find_server(folders: Folders) -> str:
    """Return the first console script that starts a server of the project."""
    file = folders.scripts or folders.project.folder / NAME
    scripts = read_pyproject(file).get("project", {}).get("scripts", {})
    found = next((name for name, target in scripts.items() if str(target).startswith(f"{folders.package}.")), None)
    if found is None:
        raise CommandError(
            f"{display_path(file)} has no server in [project.scripts]; start one first: init SYSTEM/NAME"
        )
    return str(found)
