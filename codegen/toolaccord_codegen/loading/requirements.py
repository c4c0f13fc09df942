"""Requirements of Python projects (PEP 508), as pyproject.toml and metadata write them."""

from __future__ import annotations

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name


def read_project_name(requirement: object) -> str:
    """Return the name of the project that a requirement asks for.

    It is written as indexes compare it (PEP 503), and empty for a value that is no requirement.
    """
    try:
        return canonicalize_name(Requirement(str(requirement)).name)
    except InvalidRequirement:
        return ""
