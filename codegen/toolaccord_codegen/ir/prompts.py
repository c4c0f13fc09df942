"""Prompts of a contract, resolved: references inlined, images read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from toolaccord.contract import prompts
from toolaccord_codegen.ir.owners import Reading
from toolaccord_codegen.ir.resources import Completion
from toolaccord_codegen.ir.tool import ErrorCode, Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt(Reading, prompts.Prompt):
    """Messages that people start a conversation with; `raw_parameters` is the schema as written."""

    prefix: ClassVar = "prompt"
    parameters: Schema
    raw_parameters: Schema
    errors: tuple[ErrorCode, ...] = ()
    completions: tuple[Completion, ...] = ()
