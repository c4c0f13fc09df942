"""Questions that handlers put to their callers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

if TYPE_CHECKING:
    from toolaccord.contract.constraints import Constraint, Counts, Required
    from toolaccord.contract.texts import AskDescription, AskMessage, AskOptional, AskParameters, KeyName, Schema, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Elicitation:
    """A form that a user fills in."""

    name: KeyName
    kind: Annotated[Literal["elicitation"], Required(), Counts("ASK_KIND_CHANGED", subject="")] = "elicitation"
    description: Annotated[AskDescription, Required(), Counts("DESCRIPTION_CHANGED", subject="")] = ""
    optional: Annotated[AskOptional, Counts(added="ASK_OPTIONAL", removed="ASK_REQUIRED")] = False
    message: Annotated[AskMessage, Counts("ASK_WORDING_CHANGED")]
    """Sentence above the form. {name} stands for a parameter."""
    parameters: Annotated[AskParameters, Counts("ASK_WORDING_CHANGED")] = field(default_factory=dict)
    schema: Schema
    """Schema of the form: an object of texts, numbers, booleans and choices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """A text that the language model of the client writes."""

    name: KeyName
    kind: Annotated[Literal["sampling"], Required(), Counts("ASK_KIND_CHANGED", subject="")] = "sampling"
    description: Annotated[AskDescription, Required(), Counts("DESCRIPTION_CHANGED", subject="")] = ""
    optional: Annotated[AskOptional, Counts(added="ASK_OPTIONAL", removed="ASK_REQUIRED")] = False
    message: Annotated[AskMessage, Counts("ASK_WORDING_CHANGED")]
    """Message to the model. {name} stands for a parameter."""
    parameters: Annotated[AskParameters, Counts("ASK_WORDING_CHANGED")] = field(default_factory=dict)
    max_tokens: Annotated[int, Constraint(minimum=1), Counts("ASK_WORDING_CHANGED")]
    """Largest length of the text, in tokens."""
    system_prompt: Annotated[Text, Counts("ASK_WORDING_CHANGED")] | None = None
    """System prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roots:
    """The folders that the client opens to the server."""

    name: KeyName
    kind: Annotated[Literal["roots"], Required(), Counts("ASK_KIND_CHANGED", subject="")] = "roots"
    description: Annotated[AskDescription, Required(), Counts("DESCRIPTION_CHANGED", subject="")] = ""
    optional: Annotated[AskOptional, Counts(added="ASK_OPTIONAL", removed="ASK_REQUIRED")] = False
