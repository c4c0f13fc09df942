"""Proof that the rows of a query fit what a tool returns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Position, Problem, suggest
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.tool import Schema, Tool
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import SchemaLibrary, list_branches
from toolaccord_codegen.queries.described import DescribedQuery
from toolaccord_codegen.queries.descriptions import Column, SqlType

_JSON_TYPES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("smallint", "integer", "bigint", "oid"), ("integer", "number")),
    **dict.fromkeys(("real", "double precision", "numeric"), ("number",)),
    "boolean": ("boolean",),
    **dict.fromkeys(("json", "jsonb"), ()),
}
"""The types of JSON that a column's values have, the first one for people.

There are none if only its values tell.
"""
_TEXT = ("string",)
_NAIVE = "timestamp without time zone"
_FORMATS: Mapping[str, str] = {"date": "date", "timestamp with time zone": "date-time", "uuid": "uuid"}
"""The formats in which JSON has values of a type; a contract may promise no other of them."""
_BYTES = "bytea"
_EXACT = 15
"""Decimal digits that a double keeps."""

_Place: TypeAlias = tuple[Document, str]


@dataclass(frozen=True, slots=True)
class Proof:
    """The comparison of a query with the tool that it feeds."""

    described: DescribedQuery
    contract: Contract
    library: SchemaLibrary

    def check(self) -> Iterator[Problem]:
        """Yield what is disproved."""
        query, tool = self.described.query, self._tool
        if tool is None:
            sentence = f"`returns:` names no tool of {self.contract.name}; {suggest(str(query.returns), self._tools)}"
            yield query.problem("QUERY_RETURNS", sentence)
        elif tool.pagination and query.kind not in {"page", "many"}:
            yield query.problem("QUERY_RETURNS", f"{tool.name} returns pages; declare the query as :page")
        elif not tool.pagination and query.kind not in {"one", "single"}:
            yield query.problem("QUERY_RETURNS", f"{tool.name} returns one result; declare the query as :one")
        else:
            yield from self._check_members(tool)
            yield from self._check_columns(tool)

    def find_doubts(self) -> Iterator[Problem]:
        """Yield what is neither proved nor disproved."""
        tool = self._tool
        members = _row_schema(tool).get("properties", {}) if tool else {}
        for column in self.described.description.columns:
            if sentence := _find_doubt(column, members.get(column.name, {})):
                yield self._problem_at(column, *sentence)

    @property
    def _tools(self) -> list[str]:
        return [tool.name for tool in self.contract.tools]

    @property
    def _tool(self) -> Tool | None:
        """Return the tool that the query feeds; None where there is none of its name."""
        name = self.described.query.returns
        return next((tool for tool in self.contract.tools if tool.name == name), None)

    def _check_members(self, tool: Tool) -> Iterator[Problem]:
        """Yield the required members for which there is no column."""
        columns = {column.name for column in self.described.description.columns}
        for name in _row_schema(tool).get("required", ()):
            if name not in columns:
                place = _show(self._locate(tool, name))
                sentence = f"{tool.name} returns {name} ({place}), and no column has this name; select it, or take it out of `required`"
                yield self.described.query.problem("QUERY_RESULT", sentence)

    def _check_columns(self, tool: Tool) -> Iterator[Problem]:
        """Yield the columns that do not fit."""
        schema = _row_schema(tool)
        members, required = schema.get("properties", {}), schema.get("required", ())
        for column in self.described.description.columns:
            member = members.get(column.name)
            if member is not None:
                if fault := _find_fault(column, _Member(member, is_required=column.name in required)):
                    yield self._problem_at(
                        column, "QUERY_RESULT", f"{fault} ({_show(self._locate(tool, column.name))})"
                    )
            elif not schema.get("additionalProperties", True):
                sentence = f"{tool.name} returns no member {column.name} ({_show(self._locate(tool))}); leave the column out, or name it as a member"
                yield self._problem_at(column, "QUERY_RESULT", sentence)

    def _problem_at(self, column: Column, rule: str, sentence: str) -> Problem:
        """Return a problem at the expression of a column."""
        return self.described.query.problem(rule, sentence, column.place)

    def _locate(self, tool: Tool, member: str | None = None) -> _Place:
        """Return the place of what a tool returns for a row, or of a member of it."""
        place = (self.contract.document, f"/tools/{self._tools.index(tool.name)}/returns")
        if tool.pagination:
            place = self._enter(self._enter(place, "properties", "items"), "items")
        return place if member is None else self._enter(place, "properties", member)

    def _enter(self, place: _Place, *tokens: str) -> _Place:
        """Return the place of a part of a schema, behind the references to it."""
        document, pointer = place
        value = document.value_at(pointer)
        while isinstance(value, dict) and "$ref" in value:
            target = self.library.target(document, value["$ref"])
            document, pointer, value = target.document, target.pointer, target.schema
        return document, join_pointer(pointer, *tokens)


def _row_schema(tool: Tool) -> Schema:
    """Return the schema of a row: of an item of a page, or of the result."""
    row: Schema = tool.returns["properties"]["items"]["items"] if tool.pagination else tool.returns
    return row


def _find_doubt(column: Column, member: Schema) -> tuple[str, str] | None:
    """Return the rule and the sentence on what nothing proves about a column."""
    values = _list_enum(member)
    if values and not column.values and _json_types(column.type) == _TEXT:
        shown = ", ".join(map(str, values))
        sentence = f"{column.name} is {column.type.name}, and the contract lists {shown}; a CHECK that lists them, or an enum type, proves it"
        return "QUERY_ENUM", sentence
    if column.type.name == "numeric" and "number" in _types(member):
        sentence = f"{column.name} is numeric, of which a number of JSON keeps about {_EXACT} digits; cast it to double precision if that is meant"
        return "QUERY_PRECISION", sentence
    return None


class _Member(NamedTuple):
    schema: Schema
    is_required: bool


def _show(place: _Place) -> str:
    """Return the file, line and column of a place."""
    document, pointer = place
    return str(Position(document.display_path, *document.position(pointer, key=True)))


def _find_fault(column: Column, member: _Member) -> str | None:
    """Return the reason for which a column does not fit a member; None if it may."""
    rules = (_find_null, _find_wrong_format, _find_wrong_type, _find_foreign_value, _find_wrong_item)
    return next((fault for rule in rules if (fault := rule(column, member))), None)


def _find_null(column: Column, member: _Member) -> str | None:
    allowed = _types(member.schema)
    if column.is_nullable and member.is_required and allowed and "null" not in allowed:
        return (
            f"{column.name} may be null, and the contract requires a value; "
            "declare the column NOT NULL, give a default with coalesce, or take the member out of `required`"
        )
    return None


def _find_wrong_format(column: Column, member: _Member) -> str | None:
    name, promised = column.name, member.schema.get("format")
    if column.type.name == _NAIVE and promised == "date-time":
        return f"{name} is a timestamp without a time zone, and the contract promises a date-time with one; cast it to timestamptz"
    if promised in _FORMATS.values() and _FORMATS.get(column.type.name, promised) != promised:
        return f"{name} is {column.type}, and the contract promises a {promised}; cast the column, or change the member"
    return None


def _find_wrong_type(column: Column, member: _Member) -> str | None:
    if column.type.name == _BYTES and not column.type.is_array and _types(member.schema):
        return f"{column.name} is bytea, and JSON has no type for bytes; write it as text, such as with encode(…, 'base64')"
    own, allowed = ("array",) if column.type.is_array else _json_types(column.type), _types(member.schema)
    if own and allowed and allowed.isdisjoint(own):
        promised = " or ".join(sorted(allowed - {"null"})) or "null"
        return f"{column.name} is {column.type}, which is {own[0]} in JSON, and the contract promises {promised}; cast the column, or change the member"
    return None


def _find_foreign_value(column: Column, member: _Member) -> str | None:
    values = _list_enum(member.schema)
    if values and (foreign := [value for value in column.values if value not in values]):
        shown = ", ".join(map(json.dumps, foreign))
        return f"{column.name} may be {shown}, which the contract does not list; add it there, or leave such rows out"
    return None


def _find_wrong_item(column: Column, member: _Member) -> str | None:
    items = member.schema.get("items")
    if not column.type.is_array or not isinstance(items, dict):
        return None
    kind = SqlType(column.type.name, values=column.type.values)
    item = Column(f"an item of {column.name}", kind, is_nullable=False, values=column.values)
    return _find_fault(item, _Member(items, is_required=True))


def _json_types(kind: SqlType) -> tuple[str, ...]:
    return _JSON_TYPES.get(kind.name, _TEXT)


def _types(schema: Schema) -> set[str]:
    """Return the types of JSON that a schema admits; none where it admits all."""
    if (stated := schema.get("type")) is not None:
        return {stated} if isinstance(stated, str) else {*stated}
    if branches := list_branches(schema):
        found = [_types(branch) for branch in branches]
        return set().union(*found) if all(found) else set()
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    return {_type_of(value) for value in values}


def _type_of(value: Any) -> str:
    names = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null", list: "array"}
    return names.get(type(value), "object")


def _list_enum(schema: Schema) -> list[Any]:
    """Return the values that a schema lists; none where it lists no values."""
    if branches := list_branches(schema):
        listed = [_list_enum(branch) for branch in branches if branch != {"type": "null"}]
        return [value for values in listed for value in values] if all(listed) else []
    return [*schema.get("enum", [schema["const"]] if "const" in schema else [])]
