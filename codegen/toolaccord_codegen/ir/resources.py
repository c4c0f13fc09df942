"""Resources of a contract, resolved: references inlined, files read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from toolaccord.contract import resources
from toolaccord_codegen.ir.owners import Reading
from toolaccord_codegen.ir.tool import NO_RESULT, ErrorCode, Schema
from toolaccord_codegen.naming import ConstantName, Identifier

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
class Resource(Reading, resources.Resource):
    """Content that clients read by its URI; `raw_*` are its schemas as written."""

    prefix: ClassVar = "read"
    parameters: Schema
    raw_parameters: Schema
    raw_returns: Schema | None = None
    """None where the content is no JSON."""
    errors: tuple[ErrorCode, ...] = ()
    completions: tuple[Completion, ...] = ()

    @property
    def address(self) -> str:
        """Return its URI or template."""
        return self.uri or self.uri_template or ""


def without_completions(inlined: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of values without the keys of completion."""
    members = {
        name: {key: part for key, part in member.items() if key != "complete"}
        for name, member in inlined["properties"].items()
    }
    return {**inlined, "properties": members}


def list_completions(owner: str, inlined: Mapping[str, Any]) -> Iterator[Completion]:
    """List the completions that the values of *owner* have."""
    for name, member in inlined["properties"].items():
        if "complete" in member:
            values = tuple(map(str, member["enum"])) if "enum" in member else None
            ttl_s = None if member["complete"] is True else member["complete"]["ttl_s"]
            function = Identifier(f"complete_{owner}_{name}")
            yield Completion(member=name, values=values, ttl_s=ttl_s, function=function)
