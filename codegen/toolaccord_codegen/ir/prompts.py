"""Prompts of a contract as frozen records, and their building."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolaccord_codegen.ir.resources import (
    NO_PARAMETERS,
    Completion,
    Static,
    build_completions,
    inline_text_arguments,
)
from toolaccord_codegen.ir.tool import DEFAULT_TIMEOUT_MS
from toolaccord_codegen.loading.documents import Document, resolve_path
from toolaccord_codegen.loading.references import SchemaLibrary
from toolaccord_codegen.loading.static_files import StaticFile
from toolaccord_codegen.naming import ClassName, ConstantName, Identifier

if TYPE_CHECKING:
    from toolaccord.contract.policies import RateLimit
    from toolaccord_codegen.ir.tool import ErrorCode, Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptMessage:
    """One message; exactly one of its text, image and resource is not None."""

    role: str
    text: str | None
    image: Static | None
    mime_type: str | None
    """The media type of the image; None without one."""
    resource: str | None
    """The name of a static resource."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Messages that people start a conversation with; `raw_parameters` is the schema as written."""

    name: str
    title: str | None
    description: str
    raw_parameters: Schema
    parameters: Schema
    messages: tuple[PromptMessage, ...]
    """Empty where a handler writes the messages."""
    reads: tuple[str, ...]
    privileges: Mapping[str, Mapping[str, tuple[str, ...]]]
    errors: tuple[ErrorCode, ...]
    rate_limit: RateLimit | None
    asks: tuple[str, ...]
    timeout_ms: int
    completions: tuple[Completion, ...]

    @property
    def function(self) -> str:
        """Return the name of its handler."""
        return Identifier(f"prompt_{self.name}")

    @property
    def constant(self) -> str:
        """Return the prefix of its schemas' names."""
        return ConstantName(f"prompt_{self.name}")

    @property
    def class_name(self) -> str:
        """Return the prefix of its models' names."""
        return ClassName(f"prompt_{self.name}")


def build_prompt(
    library: SchemaLibrary,
    document: Document,
    files: Mapping[str, StaticFile],
    prompt: Mapping[str, Any],
    *,
    errors: tuple[ErrorCode, ...],
    rate_limit: RateLimit | None,
) -> Prompt:
    """Build the record of a prompt."""
    effects, parameters = prompt.get("effects", {}), prompt.get("parameters", NO_PARAMETERS)
    name, messages = prompt["name"], enumerate(prompt.get("messages", ()))
    return Prompt(
        name=name,
        title=prompt.get("title"),
        description=prompt["description"],
        raw_parameters=parameters,
        parameters=inline_text_arguments(library, document, parameters),
        messages=tuple(_build_message(document, files, f"{name}.{index}", message) for index, message in messages),
        reads=tuple(effects.get("reads", ())),
        privileges={
            source: {table: tuple(privileges) for table, privileges in tables.items()}
            for source, tables in effects.get("privileges", {}).items()
        },
        errors=errors,
        rate_limit=rate_limit,
        asks=tuple(prompt.get("asks", ())),
        timeout_ms=int(prompt.get("deadline", {}).get("timeout_ms", DEFAULT_TIMEOUT_MS)),
        completions=tuple(build_completions(library, document, name, parameters)),
    )


def _build_message(
    document: Document, files: Mapping[str, StaticFile], place: str, message: Mapping[str, Any]
) -> PromptMessage:
    """Build the record of a message; a file that was not read is empty.

    *place* names the copy of its image.
    """
    image, copy = message.get("image"), None
    if image:
        name = resolve_path(document, image["file"])
        content = files[name].content if name in files else b""
        copy = Static(file=f"prompt.{place}.base64", copy=base64.encodebytes(content).decode())
    return PromptMessage(
        role=message["role"],
        text=message.get("text"),
        image=copy,
        mime_type=image["mime_type"] if image else None,
        resource=message.get("resource"),
    )
