"""Prompts of a contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from toolaccord.contract.access import OperationAccess
from toolaccord.contract.constraints import Constraint, Counts, Judged, Resolved, Uncounted
from toolaccord.contract.operations import Deadline, Error, ReadEffects
from toolaccord.contract.policies import RateLimit
from toolaccord.contract.texts import AskNames, Description, StaticPath, Text, TextArguments, Title


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Messages that people start a conversation with.

    The contract has them, or a handler writes them.
    """

    name: Annotated[str, Constraint(pattern=r"^[a-z][a-z0-9_-]{0,63}$"), Judged("by what identifies it")]
    """Name that people choose. Its handler is prompt_<name>, with _ for -."""
    title: Title | None = None
    """Display name."""
    description: Description
    """Description for people who choose the prompt."""
    parameters: TextArguments | None = None
    """Schema of the arguments."""
    messages: Annotated[
        tuple[PromptMessage, ...], Constraint(minItems=1, maxItems=50), Counts("PROMPT_MESSAGES_CHANGED", subject="")
    ] = ()
    """The messages. Without them a handler writes the messages."""
    access: OperationAccess | None = None
    effects: Annotated[ReadEffects, Uncounted("clients do not see them")] | None = None
    errors: tuple[Error, ...] = ()
    """Errors of the handler. If several apply, it fails with the first one."""
    rate_limit: RateLimit | None = None
    deadline: Deadline | None = None
    asks: AskNames = ()
    """Asks that the handler may put to its caller. The server has sessions over HTTP."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image beside the contract."""

    has_notes: ClassVar = False

    file: StaticPath
    mime_type: Annotated[str, Constraint(pattern=r"^image/[A-Za-z0-9.+-]+$")]
    """Its media type, e.g. image/png."""
    copy: Annotated[str, Resolved()] = ""
    """Its content in base64, once `file` is the name of a generated copy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptMessage:
    """One message: a text, an image, or a static resource with its content."""

    has_notes: ClassVar = False
    keywords: ClassVar[Mapping[str, Any]] = {"minProperties": 2, "maxProperties": 2}
    role: Literal["user", "assistant"]
    """The one who says it."""
    text: Text | None = None
    """The text. {name} stands for an argument, which is required or has a default."""
    image: Image | None = None
    resource: str | None = None
    """Name of a static resource of this contract."""
