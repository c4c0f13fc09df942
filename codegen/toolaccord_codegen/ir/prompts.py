"""Prompts of a contract, resolved: references inlined, images read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from toolaccord.contract import prompts
from toolaccord_codegen.ir.owners import Reading
from toolaccord_codegen.ir.resources import Completion
from toolaccord_codegen.ir.tool import ErrorCode, Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Image(prompts.Image):
    """An image of a message; `file` is the name of its generated copy."""

    copy: str
    """Its content in base64."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptMessage(prompts.PromptMessage):
    """One message; exactly one of its text, image and resource is not None."""

    image: Image | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt(Reading, prompts.Prompt):
    """Messages that people start a conversation with; `raw_parameters` is the schema as written."""

    prefix: ClassVar = "prompt"
    parameters: Schema
    raw_parameters: Schema
    messages: tuple[PromptMessage, ...] = ()
    errors: tuple[ErrorCode, ...] = ()
    completions: tuple[Completion, ...] = ()
