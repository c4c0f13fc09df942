"""The order that a process of the server gets from `dev`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The server to serve."""

    package: str
    """The package of its generated files."""
    paths: Sequence[str]
    """Folders that it and its handlers are imported from."""
    project: str
    """The folder of the user's own modules."""
    arguments: Sequence[str]
    """The server's command line."""
    environ: dict[str, str]

    def encode(self) -> bytes:
        """Return the order as a line."""
        return json.dumps(asdict(self)).encode() + b"\n"
