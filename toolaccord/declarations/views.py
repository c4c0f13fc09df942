"""Declarations of views; the compiler writes them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ViewFile:
    """A generated file for the view of a tool.

    It is the configuration of a page of the library in JSON, or a page of the project in HTML.
    """

    package: str
    """The server's package; the file is in its folder `views`."""
    name: str
    """The name of the file, which ends in `.json` or `.html`."""
