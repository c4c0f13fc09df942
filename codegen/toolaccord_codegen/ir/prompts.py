"""Prompts of a contract, resolved: references inlined, images read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toolaccord.contract import prompts
from toolaccord.contract.operations import TablePrivileges
from toolaccord_codegen.ir.resources import Completion
from toolaccord_codegen.ir.tool import DEFAULT_TIMEOUT_MS, ErrorCode, Schema
from toolaccord_codegen.naming import ClassName, ConstantName, Identifier


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
class Prompt(prompts.Prompt):
    """Messages that people start a conversation with; `raw_parameters` is the schema as written."""

    parameters: Schema
    raw_parameters: Schema
    messages: tuple[PromptMessage, ...] = ()
    errors: tuple[ErrorCode, ...] = ()
    completions: tuple[Completion, ...] = ()

    @property
    def reads(self) -> tuple[str, ...]:
        """Return the names of the sources that its handler reads."""
        return self.effects.reads if self.effects else ()

    @property
    def privileges(self) -> Mapping[str, TablePrivileges]:
        """Return the privileges that it needs, by PostgreSQL source and table."""
        return self.effects.privileges if self.effects else {}

    @property
    def timeout_ms(self) -> int:
        """Return its deadline in milliseconds."""
        return self.deadline.timeout_ms if self.deadline else DEFAULT_TIMEOUT_MS

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
