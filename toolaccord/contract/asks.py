"""Questions that handlers put to their callers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

from toolaccord.contract.constraints import ByName, Constraint, Definition
from toolaccord.contract.texts import KeyName, Schema, SnakeName, Text

AskDescription: TypeAlias = Annotated[Text, Definition("ask_description", "Purpose of the question.")]
Optional: TypeAlias = Annotated[
    bool,
    Definition(
        "ask_optional",
        "True if tools also answer callers that cannot be asked; these count as having declined.",
    ),
]
AskMessage: TypeAlias = Annotated[Text, Definition("ask_message", "Text of the question.", maxLength=4000)]
AskParameters: TypeAlias = Annotated[
    Mapping[SnakeName, Literal["string", "integer", "number", "boolean"]],
    Definition("AskParameters", "Types of the values in the message, by name."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Elicitation:
    """A form that a user fills in."""

    name: KeyName
    kind: Literal["elicitation"]
    description: AskDescription
    optional: Optional = False
    message: AskMessage
    """Sentence above the form. {name} stands for a parameter."""
    parameters: AskParameters = field(default_factory=dict)
    schema: Schema
    """Schema of the form: an object of texts, numbers, booleans and choices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """A text that the language model of the client writes."""

    name: KeyName
    kind: Literal["sampling"]
    description: AskDescription
    optional: Optional = False
    message: AskMessage
    """Message to the model. {name} stands for a parameter."""
    parameters: AskParameters = field(default_factory=dict)
    max_tokens: Annotated[int, Constraint(minimum=1)]
    """Largest length of the text, in tokens."""
    system_prompt: Text | None = None
    """System prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roots:
    """The folders that the client opens to the server."""

    name: KeyName
    kind: Literal["roots"]
    description: AskDescription
    optional: Optional = False


Ask: TypeAlias = Annotated[
    Elicitation | Sampling | Roots,
    Definition(
        "Ask",
        "A question to the caller.",
        properties={
            "kind": {
                "description": "elicitation: a user fills in a form. sampling: the client's language model writes a text. "
                "roots: the client names its folders."
            }
        },
    ),
]
Asks: TypeAlias = Annotated[
    tuple[Ask, ...],
    ByName(SnakeName),
    Definition(
        "Asks", "Questions that handlers put to their callers, by name. A handler asks one with call.ask.<name>."
    ),
]
