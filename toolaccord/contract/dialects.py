"""Dialects: envelopes and standard codes of families of servers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypedDict

if TYPE_CHECKING:
    from toolaccord.contract.constraints import Constraint, Counts, Judged, Required, Shape, Uncounted
    from toolaccord.contract.texts import Code, HttpStatus, JsonRpcNumber, KeyName, Template, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasions:
    """Codes by the occasion of an error outside the handlers."""

    has_notes: ClassVar = False

    access: Code
    """The request is not authorised: over HTTP, it carries no valid token."""
    unknown_tool: Code
    """The server has no tool with this name."""
    version: Code
    """The tool has no such version."""
    sunset: Code
    """The version is past its sunset."""
    arguments: Code
    """The arguments violate the tool's parameters."""
    source: Code
    """A source failed."""
    deadline: Code
    """The call took too long."""
    internal: Code
    """The server is at fault."""
    conflict: Code | None = None
    """An idempotency key was used again with other arguments.

    Only families with idempotent tools need it.
    """
    rate_limit: Code | None = None
    """The caller made more calls than the tool allows. Only families with rate limits need it."""
    overload: Code | None = None
    """The server is busy: the calls ahead would take longer than the deadline.

    The code of source if absent.
    """
    handler: Code | None = None
    """The tool has no handler yet: it raised NotImplementedError.

    The code of internal if absent.
    """
    result: Code | None = None
    """The handler's result violates the contract. The code of internal if absent."""


class OccasionDetails(TypedDict, total=False):
    """Names of the values in the details of errors, by occasion."""

    arguments: Annotated[list[Literal["field", "violations"]], Constraint(uniqueItems=True, default=["violations"])]
    """field: JSON pointer of the first invalid argument, without its first slash.

    violations: every violation.
    """
    version: Annotated[list[Literal["versions"]], Constraint(uniqueItems=True, default=["versions"])]
    """versions: the versions that are available."""
    sunset: Annotated[
        list[Literal["sunset_on", "successor"]], Constraint(uniqueItems=True, default=["sunset_on", "successor"])
    ]
    """sunset_on: last day of the version. successor: the newest version."""
    source: Annotated[list[Literal["service"]], Constraint(uniqueItems=True, default=[])]
    """service: kind of the source that failed; absent if unknown."""
    deadline: Annotated[list[Literal["tool", "timeout_ms"]], Constraint(uniqueItems=True, default=[])]
    """tool: its name. timeout_ms: its deadline in milliseconds."""
    conflict: Annotated[list[Literal["idempotency_key"]], Constraint(uniqueItems=True, default=[])]
    """idempotency_key: the key that was used again."""
    rate_limit: Annotated[list[Literal["limit", "window_s", "retry_after_s"]], Constraint(uniqueItems=True, default=[])]
    """limit: number of allowed calls. window_s: seconds in which they are allowed.

    retry_after_s: seconds until the next call is allowed.
    """
    overload: Annotated[list[Literal["retry_after_s"]], Constraint(uniqueItems=True, default=["retry_after_s"])]
    """retry_after_s: seconds until the calls ahead are finished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandardCode:
    """A standard code of a family."""

    has_notes: ClassVar = False

    http: HttpStatus
    description: Text
    """Cause of the error."""
    retryable: bool
    """If true, the same call may succeed later."""
    jsonrpc: JsonRpcNumber | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """Envelope and standard codes of one family of servers."""

    name: KeyName
    description: Annotated[Text, Required(), Uncounted("only readers of the contract see it")] = ""
    """Description of the envelope."""
    success: Annotated[Template, Judged("but for the mark of replays")]
    """Response of a successful call."""
    failure: Annotated[Template, Counts("DIALECT_CHANGED")]
    """Response of a failed call."""
    errors_in_output_schema: Annotated[bool, Counts("DIALECT_CHANGED")]
    """If true, the published output schema also admits the failure.

    If false, a failure carries text only, because hosts check structured content even on errors.
    """
    failure_in_protocol_errors: Annotated[bool, Counts(removed="DIALECT_CHANGED", subject="protocol_errors")] = False
    """If true, the JSON-RPC error to a call of an unknown tool has the failure as its data."""
    occasions: Annotated[Occasions, Judged("where some tool has the code of the dialect")]
    """Codes of errors outside the handlers, by occasion.

    A tool may bind its own code to an occasion.
    """
    details: Annotated[Mapping[str, Sequence[str]], Shape(OccasionDetails), Judged("each as a set")] = field(
        default_factory=dict
    )
    """Values in the details of errors outside the handlers, by occasion.

    They are the same for a code that a tool binds to the occasion.
    """
    codes: Annotated[Mapping[Code, StandardCode], Judged("those that callers see")]
    """Standard codes of the family."""

    @property
    def occasion_codes(self) -> Mapping[str, str]:
        """Standard codes by occasion."""
        codes = ((each.name, getattr(self.occasions, each.name)) for each in fields(self.occasions))
        return {occasion: code for occasion, code in codes if code}

    def http(self, code: str) -> int:
        """Return the HTTP status of a standard code; 500 for an unknown one."""
        standard = self.codes.get(code)
        return standard.http if standard else 500

    def jsonrpc(self, code: str) -> int | None:
        """Return the number of a standard code in JSON-RPC; None for an unknown one."""
        standard = self.codes.get(code)
        return standard.jsonrpc if standard else None
