"""Walk over the tools of a contract and the schemas in their arguments and results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from toolaccord.contract.agent_contracts import Agent
from toolaccord.contract.prompts import Prompt
from toolaccord.contract.resources import Resource
from toolaccord.contract.tools import Tool
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.lint.issues import string_items
from toolaccord_codegen.loading.schema_nodes import ContractValue, Place, SchemaNode

ARGUMENTS, RESULT = "parameters", "returns"
ANY_ITEM = "*"
"""Stands for any item of an array in a part's pointer."""
WORD_PATTERN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+[a-z]*")


@dataclass(frozen=True, slots=True)
class Part:
    """A schema in the arguments or the result of a tool."""

    side: str
    """`parameters` or `returns`."""
    node: SchemaNode
    pointer: str
    """The JSON pointer of its values in the arguments or the result."""
    name: str
    """The member's name. An array item has the name of its array, the root an empty one."""
    optional: bool = False
    """True if its values may be absent."""

    @property
    def label(self) -> str:
        """The start of a message about it."""
        kind = "argument" if self.side == ARGUMENTS else "result"
        return f"{kind} {self.pointer}" if self.pointer else f"the {kind}s" if kind == "argument" else "the result"

    @property
    def place(self) -> Place:
        """The place of the schema in the contract."""
        return self.node.place.key_place()

    @property
    def definition(self) -> Place:
        """The place of its keywords: the schema that its references lead to."""
        return self.node.target.key_place()

    @property
    def types(self) -> frozenset[str]:
        """The types that it declares."""
        declared = self.node.value("type")
        return frozenset(
            string_items(declared) if isinstance(declared, list) else [declared] if isinstance(declared, str) else []
        )

    def lacks(self, *keywords: str) -> bool:
        """Return True if it has none of these keywords."""
        return not any(keyword in self.node.keywords for keyword in keywords)


@dataclass(frozen=True, slots=True)
class LintedTool:
    """A tool with all schemas of its arguments and its result."""

    contract: ContractValue
    tool: ContractValue
    record: Tool | Resource | Prompt | Agent
    parts: tuple[Part, ...]
    """Every schema of the arguments, then of the result, outer ones first."""

    @property
    def name(self) -> str:
        """Its name."""
        return self.record.name

    def side(self, side: str) -> list[Part]:
        """Return the schemas of the arguments or of the result."""
        return [part for part in self.parts if part.side == side]

    def argument(self, pointer: str) -> Part | None:
        """Return the argument that a pointer names, or None."""
        return next((part for part in self.side(ARGUMENTS) if part.pointer == pointer), None)


def linted_tools(contract: ContractValue) -> Iterator[LintedTool]:
    """Yield the tools of a contract; an agent counts as one."""
    if contract.place.document.is_agent:
        agent = contract.at("agent")
        yield _collect_parts(contract, agent, agent.read(Agent), contract.node("input"), contract.node("output"))
    for tool in contract.listed("tools"):
        yield _collect_parts(contract, tool, tool.read(Tool), tool.node(ARGUMENTS), tool.node(RESULT))


def linted_resources(contract: ContractValue) -> Iterator[LintedTool]:
    """Yield the resources of a contract: variables are arguments, a content is the result."""
    for resource in contract.listed("resources"):
        record = resource.read(Resource)
        yield _collect_parts(contract, resource, record, resource.node(ARGUMENTS), resource.node(RESULT))


def linted_prompts(contract: ContractValue) -> Iterator[LintedTool]:
    """Yield the prompts of a contract, which have arguments and no result."""
    for prompt in contract.listed("prompts"):
        yield _collect_parts(contract, prompt, prompt.read(Prompt), prompt.node(ARGUMENTS), prompt.node(RESULT))


def _collect_parts(
    contract: ContractValue,
    tool: ContractValue,
    record: Tool | Resource | Prompt | Agent,
    arguments: SchemaNode,
    result: SchemaNode,
) -> LintedTool:
    """Return a tool with all schemas of its arguments and its result."""
    roots = (Part(ARGUMENTS, arguments, "", ""), Part(RESULT, result, "", ""))
    parts = tuple(part for root in roots for part in walk_schema(root))
    return LintedTool(contract, tool, record, parts)


def walk_schema(part: Part) -> Iterator[Part]:
    """Yield a schema and every schema inside it, references followed."""
    yield part
    node, required = part.node, part.node.required
    for name in node.properties:
        child = node.child("properties", name)
        yield from walk_schema(
            Part(part.side, child, join_pointer(part.pointer, name), name, optional=name not in required)
        )
    if not part.lacks("items"):
        yield from walk_schema(Part(part.side, node.child("items"), join_pointer(part.pointer, ANY_ITEM), part.name))
    if isinstance(node.value("additionalProperties"), dict):
        inside = node.child("additionalProperties")
        yield from walk_schema(Part(part.side, inside, join_pointer(part.pointer, ANY_ITEM), part.name))
    for path, branch in node.branches:
        if path:
            yield from walk_schema(Part(part.side, branch, part.pointer, part.name, part.optional))


def split_words(name: str) -> list[str]:
    """Split a name into lower-case words, e.g. `maxAgeS` into max, age and s."""
    return [word.lower() for word in WORD_PATTERN.findall(name)]
