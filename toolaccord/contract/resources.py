"""Resources of a contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from toolaccord.contract.access import OperationAccess
from toolaccord.contract.constraints import Constraint, Counts, Judged, Resolved
from toolaccord.contract.operations import Deadline, Error, ReadEffects
from toolaccord.contract.policies import CacheHint, RateLimit
from toolaccord.contract.texts import (
    AskNames,
    Description,
    Flag,
    Schema,
    SnakeName,
    StaticPath,
    TextArguments,
    Title,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """Content that clients read by its URI. It is static, or a handler reads it."""

    name: Annotated[SnakeName, Judged("with the address, as what identifies it")]
    """Name of the resource. Its handler is read_<name>."""
    title: Title | None = None
    """Display name."""
    description: Description
    """Description for people and models that choose the resource."""
    uri: (
        Annotated[
            str,
            Constraint(pattern=r"^[a-z][a-z0-9+.-]*:[A-Za-z0-9._~:/?#@!$&'()*+,;=%\[\]-]+$", maxLength=1024),
            Judged("as the address"),
        ]
        | None
    ) = None
    """URI of the resource, e.g. moex://boards."""
    uri_template: (
        Annotated[
            str,
            Constraint(
                pattern=r"^[a-z][a-z0-9+.-]*:([A-Za-z0-9._~:/?#@!$&'()*+,;=%\[\]-]|\{[a-z][a-z0-9_]*\})+$",
                maxLength=1024,
            ),
            Judged("as the address"),
        ]
        | None
    ) = None
    """Template of the URIs, in level 1 of RFC 6570, e.g. strategy://specs/{name}.

    Each variable is a required member of parameters.
    """
    parameters: TextArguments | None = None
    """Schema of the variables of uri_template."""
    mime_type: Annotated[
        str,
        Constraint(pattern=r"^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+(; ?[A-Za-z0-9_-]+=[A-Za-z0-9_.-]+)*$"),
        Counts("RESOURCE_CONTENT_CHANGED"),
    ]
    """Media type of the content, e.g. text/markdown."""
    content: Annotated[Literal["text", "binary", "json"], Counts("RESOURCE_CONTENT_CHANGED")]
    """Kind of the content: the handler returns str, bytes, or the record of returns."""
    returns: Schema | None = None
    """Schema of the content of a json resource."""
    static: Annotated[Static, Counts("RESOURCE_STATIC_CHANGED", subject="")] | None = None
    access: OperationAccess | None = None
    effects: Annotated[ReadEffects, Judged("by their privileges")] | None = None
    errors: tuple[Error, ...] = ()
    """Errors of a read. If several apply, it fails with the first one."""
    rate_limit: RateLimit | None = None
    deadline: Deadline | None = None
    cache: Annotated[CacheHint, Counts(added="CACHE_ENABLED", removed="CACHE_DISABLED")] | None = None
    subscribe: Annotated[Flag, Counts(added="SUBSCRIPTION_ADDED", removed="SUBSCRIPTION_REMOVED")] = False
    """If true, clients can subscribe to changes, which handlers report with call.changed.<name>."""
    asks: AskNames = ()
    """Asks that the handler may put to its caller.

    Clients get no advice on caching, and the server has sessions over HTTP.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Static:
    """Content that never changes: a text, or a file beside the contract."""

    has_notes: ClassVar = False
    keywords: ClassVar[Mapping[str, Any]] = {"minProperties": 1, "maxProperties": 1}
    text: str | None = None
    """The text."""
    file: StaticPath | None = None
    copy: Annotated[str, Resolved()] = ""
    """The content, once `file` is the name of a generated copy; that of a binary file is base64."""
