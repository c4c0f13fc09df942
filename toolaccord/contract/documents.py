"""Keys that contracts of servers and of agents have alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from toolaccord.contract.asks import Elicitation, Roots, Sampling
from toolaccord.contract.constraints import ByName, Definition
from toolaccord.contract.events import Event
from toolaccord.contract.settings import Setting
from toolaccord.contract.texts import CamelName, Schema, SnakeName

Settings: TypeAlias = Annotated[
    tuple[Setting, ...],
    ByName(SnakeName),
    Definition(
        "Settings",
        "Environment variables, by setting name. A setting used by a source configures that source. Handlers read every "
        "other one as call.settings.<name>.",
    ),
]
Events: TypeAlias = Annotated[
    tuple[Event, ...],
    ByName(SnakeName),
    Definition(
        "Events", "Events that tools or an agent publish, by name. Handlers publish one with call.<name>.publish."
    ),
]
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
Schemas: TypeAlias = Annotated[
    Mapping[CamelName, Schema],
    Definition(
        "Schemas",
        "Schemas that this file uses in several places. Objects become Pydantic models of the same name; scalars are "
        "inlined.",
    ),
]
DOCUMENT_KEYS: Mapping[str, Any] = {
    "properties": {"$schema": {"$ref": "#/$defs/schema_path"}, "$defs": {"$ref": "#/$defs/Schemas"}},
    "patternProperties": {"^x-": {"description": "Your own notes; toolaccord ignores them."}},
}
"""Keywords that the schema of a contract has beside the fields of its record."""
