"""Properties that several records share: those of a file, and of what a handler answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import PurePosixPath
from typing import ClassVar

from toolaccord.contract.agent_contracts import Agent
from toolaccord.contract.operations import Deadline, ReadEffects
from toolaccord.contract.server_contracts import Server
from toolaccord_codegen.ir.tool import DEFAULT_TIMEOUT_MS
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.naming import ClassName, ConstantName, Identifier


class InFolder(ABC):
    """A record of a contract's file, whose path names its system and its modules."""

    __slots__ = ()
    document: Document

    @property
    @abstractmethod
    def identity(self) -> Server | Agent:
        """Return the part of the contract that names it."""

    @property
    def name(self) -> str:
        """Return the name that hosts and other agents use."""
        return self.identity.name

    @property
    def title(self) -> str:
        """Return the name that people see."""
        return self.identity.title

    @property
    def version(self) -> str:
        """Return its version."""
        return self.identity.version

    @property
    def description(self) -> str:
        """Return its purpose."""
        return self.identity.description

    @property
    def instructions(self) -> str | None:
        """Return the advice to the model on its use, or the prompt of an agent's model."""
        return self.identity.instructions

    @property
    def system(self) -> str:
        """Return the name of the folder that holds the contract."""
        return PurePosixPath(self.document.name).parts[0]

    @property
    def module(self) -> str:
        """Return the Python name of its modules."""
        return PurePosixPath(self.document.name).stem

    @property
    def class_name(self) -> str:
        """Return the prefix of its records' names."""
        return ClassName(self.module)


class Reading:
    """A resource or a prompt, which only reads."""

    __slots__ = ()
    prefix: ClassVar[str]
    """The beginning of its names in Python."""
    name: str
    effects: ReadEffects | None
    deadline: Deadline | None

    @property
    def reads(self) -> tuple[str, ...]:
        """Return the names of the sources that its handler reads."""
        return self.effects.reads if self.effects else ()

    @property
    def timeout_ms(self) -> int:
        """Return its deadline in milliseconds."""
        return self.deadline.timeout_ms if self.deadline else DEFAULT_TIMEOUT_MS

    @property
    def function(self) -> str:
        """Return the name of its handler."""
        return Identifier(f"{self.prefix}_{self.name}")

    @property
    def constant(self) -> str:
        """Return the prefix of its schemas' names."""
        return ConstantName(f"{self.prefix}_{self.name}")

    @property
    def class_name(self) -> str:
        """Return the prefix of its models' names."""
        return ClassName(f"{self.prefix}_{self.name}")
