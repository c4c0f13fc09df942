"""Names around the generated files that no contract holds."""

from __future__ import annotations

from dataclasses import dataclass

NAMESPACE = "com.example"
"""A reverse-DNS name that belongs to nobody.

The registry rejects it, so publishers pass their own.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Names around the generated files."""

    package: str
    """The import name of the generated package."""
    handlers: str
    """The import name of the handlers' package."""
    sandbox: str | None
    """The module that provides data for `--sandbox`; None where there is none."""
    contracts: str
    """The name of the contracts folder."""
    command: str
    """The command that regenerates the files."""
    namespace: str = NAMESPACE
    """The prefix of the servers' names in the MCP registry, e.g. io.github.acme."""
    images: str | None = None
    """The prefix of the container images' names, e.g. images.example/acme; None without images."""
    kubernetes: bool = False
    """True where servers over HTTP and agents get manifests for Kubernetes."""

    def header(self, names: str) -> str:
        """Return the note on a generated file's origin.

        `names` are the contracts' paths below their folder.
        """
        return self.header_of(f"{self.contracts}/{names}")

    def header_of(self, path: str) -> str:
        """Return the note on a file's origin in another folder."""
        return f"Generated from {path}; do not edit. Regenerate with `{self.command}`."
