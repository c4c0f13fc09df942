"""Models that several tools of a draft use, each defined once in the contract's `$defs`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolaccord_codegen.drafts.names import free_name, model_name, noun_of, singular
from toolaccord_codegen.loading.json_equality import canonical_json
from toolaccord_codegen.loading.references import child_schemas, convert_children

Schema = dict[str, Any]
ROOTS = ("parameters", "returns")
OWN_TEXTS = frozenset({"title", "description", "default"})
"""Annotations of a use, which may stand beside a reference."""
EMPTY_NAMES = frozenset({"data", "item", "items", "result", "results", "value"})
"""Names of members that say nothing about what they hold."""


def share_models(tools: list[Schema], taken: frozenset[str]) -> tuple[list[Schema], Schema]:
    """Return tools whose equal objects are references, and the definitions behind these.

    An object is shared if two places have it, or if the original defines it by name. No definition has a *taken* name.
    """
    models = _Models(taken)
    inlined: list[Schema] = [
        {key: models.inline(tool[key], {}) if key in ROOTS else tool[key] for key in tool} for tool in tools
    ]
    for tool in inlined:
        for root in (key for key in ROOTS if key in tool):
            models.count(tool[root], noun_of(tool["name"]), is_root=root == "parameters")
    models.choose_names()
    shared = [
        {key: models.refer(tool[key], is_root=key == "parameters") if key in ROOTS else tool[key] for key in tool}
        for tool in inlined
    ]
    return shared, dict(sorted(models.schemas.items()))


@dataclass(slots=True)
class _Models:
    """The objects of a draft by what they admit, whatever their titles and descriptions are."""

    taken: frozenset[str]
    schemas: Schema = field(default_factory=dict)
    """The definitions, by name."""
    _defined: dict[str, str] = field(default_factory=dict)
    """Names that the original gives."""
    _wished: dict[str, Counter[str]] = field(default_factory=dict)
    """Names after the members that hold an object."""
    _uses: Counter[str] = field(default_factory=Counter)
    _names: dict[str, str] = field(default_factory=dict)

    def inline(self, schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
        """Return a schema with its definitions in the place of references; note their names."""
        known = {**definitions, **schema.get("$defs", {})}
        whole = {key: value for key, value in schema.items() if key not in {"$defs", "$ref"}}
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            found = self.inline(known[name], known)
            self._defined.setdefault(_key(found), name)
            whole = {**found, **whole}
        return {
            key: convert_children(key, value, lambda part: self.inline(part, known)) for key, value in whole.items()
        }

    def count(self, schema: Schema, noun: str, *, is_root: bool = False) -> None:
        """Count each object in a schema, for which *noun* is a name.

        Parts of an object count once, however often the object is used.
        """
        if not is_root and schema.get("properties"):
            key = _key(schema)
            self._uses[key] += 1
            self._wished.setdefault(key, Counter())[noun] += 1
            if self._uses[key] > 1:
                return
        for (keyword, *rest), part in child_schemas(schema):
            name = str(rest[0]) if keyword == "properties" else noun
            self.count(part, noun if name in EMPTY_NAMES else singular(name) if keyword == "items" else name)

    def choose_names(self) -> None:
        """Name each object that is shared."""
        for key, number in self._uses.items():
            if number == 1 and key not in self._defined:
                continue
            wished = self._defined.get(key) or self._wished[key].most_common(1)[0][0]
            self._names[key] = free_name(model_name(wished), self.taken)
            self.taken |= {self._names[key]}

    def refer(self, schema: Schema, *, is_root: bool = False) -> Schema:
        """Return a schema with references in the place of shared objects."""
        name = None if is_root or not schema.get("properties") else self._names.get(_key(schema))
        whole = {key: convert_children(key, value, self.refer) for key, value in schema.items()}
        if name is None:
            return whole
        defined = self.schemas.setdefault(name, {key: value for key, value in whole.items() if key != "default"})
        own = {key: whole[key] for key in OWN_TEXTS & whole.keys() if whole[key] != defined.get(key)}
        return {"$ref": f"#/$defs/{name}", **own}


def _key(schema: Schema) -> str:
    """Return the same text for schemas that admit the same."""
    return canonical_json({key: value for key, value in schema.items() if key not in OWN_TEXTS})
