"""Resources of a contract, resolved: references inlined, files read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toolaccord.contract import resources
from toolaccord.contract.operations import TablePrivileges
from toolaccord_codegen.ir.tool import DEFAULT_TIMEOUT_MS, NO_RESULT, ErrorCode, Schema
from toolaccord_codegen.naming import ClassName, ConstantName, Identifier

NO_PARAMETERS = NO_RESULT
"""Schema of the parameters of a resource with a fixed URI."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """Completion of one value that clients type."""

    member: str
    values: tuple[str, ...] | None
    """The values of the enum; None where a handler finds them."""
    ttl_s: int | None
    """Seconds for which listed values are kept; None if the handler takes the typed text."""
    function: str
    """The name of that handler, and of the client's method."""

    @property
    def constant(self) -> str:
        """Return the name of its declaration for clients."""
        return ConstantName(self.function)


@dataclass(frozen=True, slots=True, kw_only=True)
class Static(resources.Static):
    """Content that never changes; `file` is the name of its generated copy."""

    copy: str = ""
    """The text of the copy; that of a binary file is base64."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource(resources.Resource):
    """Content that clients read by its URI; `raw_*` are its schemas as written."""

    parameters: Schema
    raw_parameters: Schema
    raw_returns: Schema | None = None
    """None where the content is no JSON."""
    static: Static | None = None
    errors: tuple[ErrorCode, ...] = ()
    completions: tuple[Completion, ...] = ()

    @property
    def reads(self) -> tuple[str, ...]:
        """Return the names of the sources that it reads."""
        return self.effects.reads if self.effects else ()

    @property
    def privileges(self) -> Mapping[str, TablePrivileges]:
        """Return the privileges that it needs, by PostgreSQL source and table."""
        return self.effects.privileges if self.effects else {}

    @property
    def timeout_ms(self) -> int:
        """Return its deadline in milliseconds."""
        return self.deadline.timeout_ms if self.deadline else DEFAULT_TIMEOUT_MS

    @property
    def function(self) -> str:
        """Return the name of its handler."""
        return Identifier(f"read_{self.name}")

    @property
    def constant(self) -> str:
        """Return the prefix of its schemas' names."""
        return ConstantName(f"read_{self.name}")

    @property
    def class_name(self) -> str:
        """Return the prefix of its models' names."""
        return ClassName(f"read_{self.name}")

    @property
    def address(self) -> str:
        """Return its URI or template."""
        return self.uri or self.uri_template or ""
