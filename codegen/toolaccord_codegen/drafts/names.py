"""Names that the contract language admits, made of names from elsewhere."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.naming import ClassName, Identifier, host_tool_name
from toolaccord_codegen.rules.contract import IMPORTED_CLASSES
from toolaccord_codegen.rules.tool import HOST_LIMIT, ROUTE_NAMES

LONGEST = 60
"""Most characters of a name, which leaves room for a number."""


def snake_name(text: str, fallback: str) -> str:
    """Return a lower_case name that begins with a letter."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", text)
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_0123456789")[:LONGEST].rstrip("_") or fallback


def class_name(text: str) -> str:
    """Return a CamelCase name that hides no name of generated modules."""
    return f"{re.sub('[^A-Za-z0-9]', '', ClassName(text))[:LONGEST]}"


def model_name(text: str) -> str:
    """Return the name of a model, which hides no other name."""
    name = class_name(text)
    is_taken = name in IMPORTED_CLASSES or keyword.iskeyword(name) or hasattr(builtins, name)
    return f"{name}Data" if is_taken else name


def free_name(wished: str, taken: frozenset[str]) -> str:
    """Return a name that is not taken: the wished one, or that with a number."""
    numbered = (f"{wished}{number or ''}" for number in (0, *range(2, len(taken) + 3)))
    return next(name for name in numbered if name not in taken)


def reserve_models(functions: Iterable[str]) -> frozenset[str]:
    """Return the names of the models that operations have of their own."""
    suffixes = ("Request", "Result", "ResultItem")
    return frozenset(f"{ClassName(name)}{suffix}" for name in functions for suffix in suffixes)


def noun_of(tool: str) -> str:
    """Return a tool's name without its verb, e.g. `tickets` of `list_tickets`."""
    name = snake_name(tool, "model")
    return name.partition("_")[2] or name


def singular(noun: str) -> str:
    """Return a noun without the ending of its plural."""
    if noun.endswith("ies"):
        return f"{noun[:-3]}y"
    if noun.endswith(("sses", "shes", "ches", "xes", "uses", "zzes")):
        return noun[:-2] if not noun.endswith(("auses", "ouses")) else noun[:-1]
    return noun[:-1] if noun.endswith("s") and not noun.endswith(("ss", "us", "is")) else noun


def plural(noun: str) -> str:
    """Return a noun with the ending of its plural, which it may have already."""
    if singular(noun) != noun:
        return noun
    if noun.endswith("y") and noun[-2:-1] not in {*"aeiou"}:
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "sh", "ch", "x", "z")) else f"{noun}s"


@dataclass(slots=True)
class Names:
    """Names of the tools, resources and prompts of one server, each used once."""

    server: str
    losses: Losses
    renaming: Effect = Effect.NARROWER
    """The effect of another name of a tool, which its callers must learn."""
    _taken: set[tuple[str, str]] = field(default_factory=set)

    def tool(self, original: str, pointer: str = "/name") -> str:
        """Return the name of a tool, whose original name is at a JSON pointer."""
        limit = HOST_LIMIT - len(f"mcp__{self.server}__")
        cleaned = re.sub(r"[^A-Za-z0-9_.-]", "_", original)
        cleaned = (cleaned if cleaned == original else cleaned.strip("_"))[:limit] or "tool"
        wished = f"{cleaned}_tool"[:limit] if cleaned in ROUTE_NAMES else cleaned
        return self._reserve(original, wished, limit, lambda name: name, self.renaming, pointer)

    def resource(self, original: str) -> str:
        """Return the name of a resource."""
        return self._reserve(
            original, snake_name(original, "resource"), LONGEST, lambda name: f"read_{name}", Effect.SAME
        )

    def prompt(self, original: str) -> str:
        """Return the name of a prompt."""
        cleaned = re.sub(r"[^a-z0-9_-]+", "_", original.lower()).strip("_-0123456789")[:LONGEST] or "prompt"
        return self._reserve(original, cleaned, LONGEST, lambda name: f"prompt_{name}", Effect.NARROWER)

    def _reserve(
        self,
        original: str,
        wished: str,
        limit: int,
        function: Callable[[str], str],
        effect: Effect,
        pointer: str = "/name",
    ) -> str:
        """Return a free name like the wished one; note if it is not the original."""
        name, number = wished, 1
        while not self._take(function(name)):
            number += 1
            name = f"{wished[: limit - len(str(number)) - 1]}_{number}"
        if name != original:
            self.losses.change(pointer, "name", effect, "the language does not admit the name, or has it twice", name)
        return name

    def _take(self, function: str) -> bool:
        """Take a name unless hosts, handlers or models have it already."""
        forms = {("host", host_tool_name(function)), ("function", Identifier(function)), ("class", ClassName(function))}
        if forms & self._taken:
            return False
        self._taken |= forms
        return True
