"""What rules look at: a tool, and each schema in its arguments and its result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from codegen.lint.issues import texts
from codegen.loading.documents import join_pointer
from codegen.loading.schema_nodes import ContractValue, Place, SchemaNode

ARGUMENTS, RESULT = "parameters", "returns"
ELEMENT = "*"
"""Stands for any element of an array in the pointer of a part."""
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+[a-z]*")


@dataclass(frozen=True, slots=True)
class Part:
    """A schema somewhere in the arguments or in the result of a tool."""

    side: str
    """`parameters` or `returns`."""
    node: SchemaNode
    pointer: str
    """Where its values stand among the arguments or in the result."""
    name: str
    """What its values are called; an element of an array has its name, and the root none."""
    optional: bool = False
    """Whether it may be left out."""

    @property
    def about(self) -> str:
        """What a sentence about it begins with."""
        kind = "argument" if self.side == ARGUMENTS else "result"
        return f"{kind} {self.pointer}" if self.pointer else f"the {kind}s" if kind == "argument" else "the result"

    @property
    def place(self) -> Place:
        """Where it is written."""
        return self.node.place.named()

    @property
    def defined(self) -> Place:
        """Where its keywords have to stand: in the schema that its references lead to."""
        return self.node.target.named()

    @property
    def types(self) -> frozenset[str]:
        """The types that it may have, as far as it says so."""
        said = self.node.value("type")
        return frozenset(texts(said) if isinstance(said, list) else [said] if isinstance(said, str) else [])

    def lacks(self, *keywords: str) -> bool:
        """Whether it says none of these."""
        return not any(keyword in self.node.known for keyword in keywords)


@dataclass(frozen=True, slots=True)
class Subject:
    """A tool."""

    contract: ContractValue
    tool: ContractValue
    name: str
    parts: tuple[Part, ...]
    """Every schema of the arguments, then of the result, from the outside to the inside."""

    def side(self, side: str) -> list[Part]:
        """The schemas of the arguments or of the result."""
        return [part for part in self.parts if part.side == side]

    def argument(self, pointer: str) -> Part | None:
        """The argument that a pointer names, in whichever alternative; None where there is none."""
        return next((part for part in self.side(ARGUMENTS) if part.pointer == pointer), None)


def subjects(contract: ContractValue) -> Iterator[Subject]:
    """The tools of a contract."""
    for tool in contract.listed("tools"):
        parts = [part for side in (ARGUMENTS, RESULT) for part in walked(Part(side, tool.node(side), "", ""))]
        yield Subject(contract, tool, str(tool.at("name").value), tuple(parts))


def walked(part: Part) -> Iterator[Part]:
    """A schema and every schema inside it, references followed."""
    yield part
    node, required = part.node, part.node.required
    for name in node.properties:
        child = node.child("properties", name)
        yield from walked(Part(part.side, child, join_pointer(part.pointer, name), name, optional=name not in required))
    if not part.lacks("items"):
        yield from walked(Part(part.side, node.child("items"), join_pointer(part.pointer, ELEMENT), part.name))
    if isinstance(node.value("additionalProperties"), dict):
        inside = node.child("additionalProperties")
        yield from walked(Part(part.side, inside, join_pointer(part.pointer, ELEMENT), part.name))
    for way, branch in node.branches:
        if way:
            yield from walked(Part(part.side, branch, part.pointer, part.name, part.optional))


def words(name: str) -> list[str]:
    """The words of a name, in small letters: of `maxAgeS` max, age and s."""
    return [word.lower() for word in WORD.findall(name)]
