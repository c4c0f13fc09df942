"""The version of the library, and which generated code runs with it."""

from __future__ import annotations

VERSION = "0.1.0"
"""Version of the distributions `toolaccord` and `toolaccord-codegen`."""


def release_of(version: str) -> str:
    """Return the release of a *version*, its first two numbers, which generated code names."""
    return ".".join(version.split(".")[:2])


def can_run(compiled_for: str, version: str = VERSION) -> bool:
    """Return True if the library of *version* runs code of the release *compiled_for*.

    Below 1.0 each release may change the form of generated code. From then on only the first number says so, and a
    library runs code of the releases before it.
    """
    needed, present = (tuple(map(int, release_of(each).split("."))) for each in (compiled_for, version))
    return needed == present if 0 in (needed[0], present[0]) else needed[0] == present[0] and needed <= present
