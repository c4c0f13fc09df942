"""Texts, numbers and mappings that several parts of the language have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from toolaccord.contract.constraints import Constraint, Counts, Definition, FromKey, Judged, Within

Text: TypeAlias = Annotated[str, Constraint(pattern=r"\S")]
Title: TypeAlias = Annotated[Text, Counts("TITLE_CHANGED")]
Description: TypeAlias = Annotated[Text, Counts("DESCRIPTION_CHANGED")]
Advice: TypeAlias = Annotated[Text, Counts("DESCRIPTION_CHANGED", circumstance="tool")]
"""A description that stands in the prompt of a model."""
Instructions: TypeAlias = Annotated[Text, Counts("DESCRIPTION_CHANGED", circumstance="tool")]
Flag: TypeAlias = Annotated[bool, Constraint(const=True)]
"""A key that is absent or true."""
Count: TypeAlias = Annotated[int, Constraint(minimum=1, maximum=1000)]
Bytes: TypeAlias = Annotated[int, Constraint(minimum=1024, maximum=2**30)]
Milliseconds: TypeAlias = Annotated[int, Constraint(minimum=1, maximum=3_600_000)]
Target: TypeAlias = Annotated[
    Milliseconds, Counts(added="SLO_TIGHTENED", removed="SLO_RELAXED", raised="SLO_RELAXED", lowered="SLO_TIGHTENED")
]
Delay: TypeAlias = Annotated[int, Constraint(minimum=0, maximum=3_600_000)]
"""Milliseconds, or none."""
Duration: TypeAlias = Annotated[float, Constraint(exclusiveMinimum=0)]
"""Seconds."""
Share: TypeAlias = Annotated[float, Constraint(minimum=0, maximum=1)]
Names: TypeAlias = Annotated[tuple[str, ...], Constraint(uniqueItems=True)]
AskNames: TypeAlias = Annotated[
    tuple[str, ...],
    Constraint(minItems=1, uniqueItems=True),
    Counts(removed="ASK_REMOVED"),
    Judged("an added one, as optional or not"),
]
KeyName: TypeAlias = Annotated[str, FromKey()]
"""The key under which a record stands."""

SchemaPath: TypeAlias = Annotated[
    str, Definition("schema_path", "Path of this schema. Editors use it to complete and explain the keys.")
]
LanguageVersion: TypeAlias = Annotated[Literal[1], Definition("language_version", "Version of the contract language.")]
SnakeName: TypeAlias = Annotated[str, Definition("snake_name", "A lower_case name.", pattern=r"^[a-z][a-z0-9_]{0,63}$")]
CamelName: TypeAlias = Annotated[
    str, Definition("class_name", "A CamelCase name.", pattern=r"^[A-Z][A-Za-z0-9]{0,63}$")
]
Version: TypeAlias = Annotated[
    str,
    Definition(
        "version",
        "A semantic version, major.minor.patch.",
        pattern=r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$",
    ),
]
VersionRange: TypeAlias = Annotated[
    str,
    Definition(
        "version_range",
        "A range of versions: ^1.2 is every version from 1.2.0 with the same first number that is not 0.",
        pattern=r"^\^(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){0,2}$",
    ),
]
Day: TypeAlias = Annotated[str, Definition("date", "A day, e.g. 2026-12-01.", pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
Code: TypeAlias = Annotated[
    str,
    Definition(
        "code",
        "An error code in capitals, e.g. SYMBOL_NOT_FOUND.",
        pattern=r"^[A-Z][A-Z0-9]*([_-][A-Z0-9]+)*$",
        maxLength=64,
    ),
]
HttpStatus: TypeAlias = Annotated[int, Definition("http", "The code's HTTP status.", minimum=400, maximum=599)]
JsonRpcNumber: TypeAlias = Annotated[
    int,
    Definition(
        "jsonrpc",
        "The code's number in JSON-RPC, which reserves -32768 to -32000 for itself and for servers.",
        minimum=-(2**31),
        maximum=2**31 - 1,
    ),
]
Pointer: TypeAlias = Annotated[
    str,
    Definition("pointer", "A JSON pointer into the arguments, e.g. /symbol.", pattern=r"^(/([^~/]|~[01])*)+$"),
]
ResultPointer: TypeAlias = Annotated[
    str,
    Definition("result_pointer", "A JSON pointer into a result, e.g. /items/*/name.", pattern=r"^(/([^~/]|~[01])*)+$"),
]
StepPlace: TypeAlias = Annotated[
    str,
    Definition(
        "place",
        "A JSON pointer, in which * is every item of an array, e.g. /orders/*/qty.",
        pattern=r"^(/([^~/]|~[01])+)+$",
    ),
]
SkillName: TypeAlias = Annotated[
    str,
    Definition(
        "skill_name",
        "Lower-case words joined by hyphens, e.g. analyze-symbol.",
        pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$",
        maxLength=64,
    ),
]
ModelName: TypeAlias = Annotated[
    str,
    Definition(
        "model_name",
        "A model with its provider, e.g. openai/gpt-4o.",
        pattern=r"^[A-Za-z0-9._-]+(/[A-Za-z0-9._:-]+)+$",
    ),
]
SettingName: TypeAlias = Annotated[
    SnakeName, Within("setting"), Definition("SettingReference", "The value of a setting of this contract.")
]
"""The name of a setting, as the only member of an object."""

HEADER_NAME = r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"
HeaderName: TypeAlias = Annotated[str, Constraint(pattern=HEADER_NAME)]

Schema: TypeAlias = Annotated[Mapping[str, Any], Definition("Schema")]
"""A JSON Schema, which stays as it was written."""
TextArguments: TypeAlias = Annotated[Mapping[str, Any], Definition("TextArguments")]
"""A JSON Schema of values that MCP sends as texts."""
Template: TypeAlias = Annotated[Mapping[str, Any], Definition("Template")]
"""JSON with placeholders."""
Transport: TypeAlias = Literal["stdio", "http", "content_length"]
Transports: TypeAlias = Annotated[
    tuple[Transport, ...],
    Definition(
        "Transports",
        "stdio: MCP on standard input and output. http: MCP and REST over HTTP. content_length: JSON-RPC 2.0 with "
        "Content-Length headers on standard input and output, where a method is a tool.",
        minItems=1,
        uniqueItems=True,
    ),
]
Scopes: TypeAlias = Annotated[
    tuple[Annotated[str, Constraint(pattern=r"^[!#-\[\]-~]{1,128}$")], ...],
    Definition(
        "Scopes",
        "Scopes of OAuth 2.0 that a caller's token needs over HTTP, e.g. decisions:write. Tokens are then required on "
        "loopback too, and a server lists to each caller what it may use.",
        minItems=1,
        uniqueItems=True,
    ),
]
AskDescription: TypeAlias = Annotated[Text, Definition("ask_description", "Purpose of the question.")]
AskOptional: TypeAlias = Annotated[
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
StaticPath: TypeAlias = Annotated[
    str,
    Definition(
        "static_path",
        "Path of the file, relative to the contract's folder. It cannot end in .json, which is a contract's.",
        pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$",
    ),
]
