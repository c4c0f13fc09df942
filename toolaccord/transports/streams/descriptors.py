"""File descriptors of the protocol, out of reach of `print` and child processes."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StdioDescriptors:
    """File descriptors that carry the protocol, out of reach of `print` and child processes."""

    input: int
    """Descriptor of requests."""
    output: int
    """Descriptor of responses."""

    @classmethod
    def claim(cls) -> StdioDescriptors:
        """Take over standard input and output.

        Afterwards descriptor 0 is empty, and 1 is standard error.
        """
        claimed = cls(os.dup(0), os.dup(1))
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        return claimed
