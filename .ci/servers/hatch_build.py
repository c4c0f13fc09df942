"""Packages of the application, which stand at the root of the repository."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGES = ("generated", "handlers", "sandbox")


class Packages(BuildHookInterface[Any]):
    """Adds the packages to a wheel.

    An editable install finds them in the checkout. In pyproject.toml, `force-include` would copy them there too.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the packages, unless the build's *version* is editable."""
        if version != "editable":
            build_data["force_include"] |= {f"../../{package}": package for package in PACKAGES}
