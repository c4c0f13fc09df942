"""JSON Schemas from elsewhere in the subset of the contract language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.drafts.definitions import Definitions
from toolaccord_codegen.drafts.intersections import intersect
from toolaccord_codegen.drafts.keywords import ANNOTATIONS, drop_unfit, take_keywords
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.drafts.objects import admit_patterns, close_evaluated, require_known
from toolaccord_codegen.drafts.older_drafts import modernize
from toolaccord_codegen.loading.references import UNIONS, as_array, as_object
from toolaccord_codegen.rules.schema import violations

Schema = dict[str, Any]
OBJECTS = ("additionalProperties", "propertyNames")
RECURSIVE = "the schema leads back to itself, and a published one must end; any {} is admitted here"


@dataclass(frozen=True, slots=True)
class SchemaDrafter:
    """Drafts the schemas of one document, with the definitions that they refer to."""

    definitions: Definitions
    losses: Losses

    def draft(self, schema: Any, at: str) -> Schema:
        """Return a schema of the document in the subset; *at* is its JSON pointer."""
        if schema is True:
            return {}
        if not isinstance(schema, dict):
            reason = "it admits no value, which the language cannot express" if schema is False else "it is no schema"
            self.losses.drop(at, "false" if schema is False else "schema", Effect.WIDER, reason)
            return {}
        if isinstance(schema.get("$ref"), str) and _is_annotated(schema, "$ref"):
            return self._with_valid_default({**self._refer(schema["$ref"], at), **self._annotate(schema, at)}, at)
        alternatives = schema.get("allOf")
        if isinstance(alternatives, list) and len(alternatives) == 1 and _is_annotated(schema, "allOf"):
            self.losses.change(join_pointer(at, "allOf"), "allOf", Effect.SAME, "its only schema took its place")
            drafted = self.draft(alternatives[0], join_pointer(at, "allOf", 0))
            return self._with_valid_default({**drafted, **self._annotate(schema, at)}, at)
        return self._whole(schema, at)

    def _whole(self, schema: Mapping[str, Any], at: str) -> Schema:
        """Return a schema with its own keywords, and those of its `$ref` and `allOf` merged."""
        modern = modernize(schema, at, self.losses)
        drafted = take_keywords(modern, at, self.losses) | self._nested(modern, at)
        if isinstance(modern.get("$ref"), str):
            place = join_pointer(at, "$ref")
            self.losses.change(place, "$ref", Effect.SAME, "keywords beside a reference were merged with its schema")
            target = self._expand(self._refer(modern["$ref"], at))
            drafted = intersect(drafted, target, place, self.losses, self._expand)
        for index, branch in enumerate(as_array(modern.get("allOf"))):
            place = join_pointer(at, "allOf", index)
            self.losses.change(place, "allOf", Effect.SAME, "the schemas were merged into one")
            drafted = intersect(drafted, self._expand(self.draft(branch, place)), place, self.losses, self._expand)
        close_evaluated(drafted, modern, at, self.losses)
        require_known(drafted, at, self.losses)
        drop_unfit(drafted, at, self.losses)
        return self._with_valid_default(drafted, at)

    def _nested(self, schema: Mapping[str, Any], at: str) -> Schema:
        """Return the keywords of a schema that contain schemas."""
        nested: Schema = {}
        if isinstance(schema.get("properties"), dict):
            place = join_pointer(at, "properties")
            nested["properties"] = self._members(schema["properties"], place)
        for keyword in OBJECTS:
            self._take_schema(nested, schema, keyword, at)
        self._take_items(nested, schema, at)
        for keyword in UNIONS:
            branches = as_array(schema.get(keyword))
            drafted = [self.draft(branch, join_pointer(at, keyword, index)) for index, branch in enumerate(branches)]
            if drafted:
                nested[keyword] = drafted
            elif keyword in schema:
                self.losses.drop(join_pointer(at, keyword), keyword, Effect.WIDER, "it has no alternative")
        admit_patterns(nested, schema, at, self.losses, self.draft)
        return nested

    def _members(self, properties: Mapping[str, Any], at: str) -> Schema:
        """Return the members of an object; one that may not be there is left out."""
        drafted: Schema = {}
        for name, part in properties.items():
            place = join_pointer(at, name)
            if part is False:
                self.losses.drop(place, "properties", Effect.WIDER, "a member that may not be there was left out")
            else:
                drafted[name] = self.draft(part, place)
        return drafted

    def _take_schema(self, nested: Schema, schema: Mapping[str, Any], keyword: str, at: str) -> None:
        """Add a keyword whose value is a schema, or for `additionalProperties` a boolean."""
        value, place = schema.get(keyword), join_pointer(at, keyword)
        if keyword == "additionalProperties" and isinstance(value, bool):
            nested[keyword] = value
        elif isinstance(value, dict):
            nested[keyword] = self.draft(value, place)
            if keyword == "propertyNames":
                nested[keyword] = self._only_texts(self._expand(nested[keyword]), place)
        elif keyword in schema and value is not True:
            self.losses.drop(place, keyword, Effect.WIDER, "this is no schema, or one that admits nothing")

    def _only_texts(self, schema: Schema, at: str) -> Schema:
        """Return the schema of members' names without what cannot constrain a text."""
        textual = {"enum", "const", "format", "pattern", "minLength", "maxLength", *ANNOTATIONS}
        for keyword in schema.keys() - textual - {"type"}:
            reason = "names of members are constrained as texts alone"
            self.losses.drop(join_pointer(at, keyword), keyword, Effect.WIDER, reason)
        texts = {"type": "string", **{key: value for key, value in schema.items() if key in textual}}
        drop_unfit(texts, at, self.losses)
        return self._with_valid_default(texts, at)

    def _take_items(self, nested: Schema, schema: Mapping[str, Any], at: str) -> None:
        """Add the schema of an array's items; the schemas of a tuple become alternatives."""
        rest, place = schema.get("items"), join_pointer(at, "items")
        parts = [
            self.draft(part, join_pointer(at, "prefixItems", index))
            for index, part in enumerate(as_array(schema.get("prefixItems")))
        ]
        if parts:
            tuple_at = join_pointer(at, "prefixItems")
            self.losses.change(tuple_at, "prefixItems", Effect.WIDER, "each item may have any form of the tuple")
        if rest is False:
            most = schema.get("maxItems")
            nested["maxItems"] = min(len(parts), most) if type(most) is int and most >= 0 else len(parts)
            self.losses.change(place, "items", Effect.SAME, "it became the most items")
        elif isinstance(rest, dict) or (parts and rest is None):
            parts.append(self.draft(rest or {}, place))
        elif "items" in schema and rest is not True:
            self.losses.drop(place, "items", Effect.WIDER, "this is no schema")
        if parts and rest is not True:
            nested["items"] = parts[0] if len(parts) == 1 else {"anyOf": parts}

    def _annotate(self, schema: Mapping[str, Any], at: str) -> Schema:
        """Return the annotations beside a reference."""
        rest = {key: value for key, value in schema.items() if key not in {"$ref", "allOf"}}
        return take_keywords(rest, at, self.losses)

    def _refer(self, reference: str, at: str) -> Schema:
        """Return a reference to a definition, which is drafted at its first use."""
        place = join_pointer(at, "$ref")
        found = self.definitions.find(reference)
        if found is None:
            self.losses.drop(place, "$ref", Effect.WIDER, "it leads to no schema of the document")
            return {}
        if self.definitions.is_open(found.pointer):
            is_object = as_object(found.schema).get("type") == "object"
            self.losses.drop(place, "$ref", Effect.WIDER, RECURSIVE.format("object" if is_object else "value"))
            return {"type": "object", "additionalProperties": True} if is_object else {}
        return self.definitions.refer(found, lambda: self.draft(found.schema, found.pointer), self.losses)

    def _expand(self, schema: Schema) -> Schema:
        """Return a drafted schema with the definition in the place of a reference at its root."""
        return self.definitions.expand(schema)

    def _with_valid_default(self, drafted: Schema, at: str) -> Schema:
        """Return a drafted schema without a default that it rejects."""
        if "default" not in drafted or not any(violations(self.definitions.inline(drafted), drafted["default"])):
            return drafted
        self.losses.drop(join_pointer(at, "default"), "default", Effect.SAME, "its own schema rejects it")
        return {key: value for key, value in drafted.items() if key != "default"}


def _is_annotated(schema: Mapping[str, Any], keyword: str) -> bool:
    """Return True where nothing beside a keyword constrains values."""
    rest = schema.keys() - {keyword, *ANNOTATIONS, "example", "deprecated", "readOnly", "writeOnly", "externalDocs"}
    return all(key.startswith("x-") or key in {"$defs", "definitions", "$schema", "$id", "$comment"} for key in rest)
