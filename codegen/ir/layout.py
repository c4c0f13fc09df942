"""The names around what is generated, which no contract says."""

from __future__ import annotations

from dataclasses import dataclass

NAMESPACE = "com.example"
"""The reverse-DNS name of nobody, which the registry refuses; whoever publishes gives one of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The names around what is generated."""

    package: str
    """The package that is generated."""
    handlers: str
    """The package of the hand-written rooms."""
    sandbox: str | None
    """The module that --sandbox asks for an environment; None where there is none."""
    contracts: str
    """The name of the contracts folder."""
    command: str
    """How a reader regenerates the files."""
    namespace: str = NAMESPACE
    """What stands before the servers' names in the MCP registry, e.g. io.github.acme."""
    images: str | None = None
    """What stands before the servers' names in those of their container images, e.g. images.example/acme; None: there are none."""

    def header(self, names: str) -> str:
        """What a generated file says of where it is from; *names* are the contracts', below their folder."""
        return f"Generated from {self.contracts}/{names}; do not edit. Regenerate with `{self.command}`."
