"""Resources of a contract, resolved: references inlined, files read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from toolaccord.contract import resources
from toolaccord_codegen.ir.owners import Reading
from toolaccord_codegen.ir.tool import NO_RESULT, ErrorCode, Schema
from toolaccord_codegen.naming import ConstantName

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
class Resource(Reading, resources.Resource):
    """Content that clients read by its URI; `raw_*` are its schemas as written."""

    prefix: ClassVar = "read"
    parameters: Schema
    raw_parameters: Schema
    raw_returns: Schema | None = None
    """None where the content is no JSON."""
    static: Static | None = None
    errors: tuple[ErrorCode, ...] = ()
    completions: tuple[Completion, ...] = ()

    @property
    def address(self) -> str:
        """Return its URI or template."""
        return self.uri or self.uri_template or ""
