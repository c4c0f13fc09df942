"""Tools on the rows of one relation: a search, one row by its key, and a new row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.drafts.contract import as_text
from toolaccord_codegen.drafts.definitions import Definitions
from toolaccord_codegen.drafts.forwards import QueryForward
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.drafts.postgresql.catalogue import Catalogue, Relation
from toolaccord_codegen.drafts.postgresql.descriptions import explain
from toolaccord_codegen.drafts.postgresql.filters import Order, draft_filters, draft_orders
from toolaccord_codegen.drafts.postgresql.members import POSTGRES, Member, MemberNames
from toolaccord_codegen.drafts.postgresql.statements import (
    Parameter,
    is_repeatable,
    write_add,
    write_get,
    write_search,
)
from toolaccord_codegen.drafts.roots import find_example
from toolaccord_codegen.drafts.server_listing import complete_example
from toolaccord_codegen.naming import Identifier, end_sentence

Record = dict[str, Any]
SOURCE = "postgres"
VERSION = "1.0.0"
LARGEST_PAGE, USUAL_PAGE, LAST_OFFSET = 100, 20, 1_000_000
KEY_WINDOW_S = 86_400
"""Seconds for which a drafted tool stores an idempotency key."""
NOT_FOUND = {"code": "NOT_FOUND", "description": "There is no such row", "http": 404}
ALREADY_EXISTS = {"code": "ALREADY_EXISTS", "description": "A row with these values exists already", "http": 409}
REFERENCE_NOT_FOUND = {
    "code": "REFERENCE_NOT_FOUND",
    "description": "A row that the values refer to does not exist",
    "http": 409,
}
VALUE_REJECTED = {
    "code": "VALUE_REJECTED",
    "description": "A type or a constraint of the table does not admit a value",
    "http": 422,
}
SET_BY_DEFAULT = "its default cannot stand in a query, so PostgreSQL always sets it"


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedTool:
    """A tool with its query and the way to call it."""

    tool: Record
    query: str
    forward: QueryForward


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationTools:
    """Drafts the tools of one relation."""

    catalogue: Catalogue
    relation: Relation
    members: Sequence[Member]
    noun: str
    """The name of one row."""
    model: str
    """The definition of a row."""
    definitions: Mapping[str, Any]
    losses: Losses
    takes_keys: bool = False
    """True if a new row may have a primary key of the caller's, in the place of a default."""

    def search(self, name: str, page: str) -> DraftedTool:
        """Return the search; *page* is the definition of a pagination."""
        filters = draft_filters(self.relation, self.members, self.noun)
        orders = draft_orders(self.relation, self.members)
        properties = {each.name: each.schema for each in filters} | _page_arguments(orders)
        items = {"type": "array", "maxItems": LARGEST_PAGE, "items": {"$ref": f"#/$defs/{self.model}"}}
        returns = {
            "type": "object",
            "properties": {
                "items": {**items, "description": "The rows of this page, in order"},
                "pagination": {"$ref": f"#/$defs/{page}"},
            },
            "required": ["items", "pagination"],
            "additionalProperties": False,
        }
        refuses = any(_is_text(each.schema) for each in filters)
        tool = self._tool(name, f"Search {self._plural(name)}", properties, [], returns, {"reads": [SOURCE]})
        tool |= {"pagination": "offset", **({"errors": [VALUE_REJECTED]} if refuses else {})}
        names = [*properties]
        query = write_search(name, self.relation, self.members, filters, orders)
        return self._drafted(tool, query, "page", names, refuses=refuses)

    @property
    def can_get(self) -> bool:
        """Return True for a relation whose rows have a key."""
        known = {member.column.name for member in self.members}
        return bool(self.relation.key) and {*self.relation.key} <= known

    def get(self, name: str) -> DraftedTool:
        """Return the tool for one row by its primary key."""
        by_name = {member.column.name: member for member in self.members}
        names = MemberNames(self.noun, {Identifier(POSTGRES)})
        key = [(names.take(by_name[column].name), by_name[column]) for column in self.relation.key]
        properties = {each: _known_key(member) for each, member in key}
        returns = {"$ref": f"#/$defs/{self.model}"}
        article = self.noun.replace("_", " ")
        summary = f"Get the {article} with this {' and '.join(each.replace('_', ' ') for each, _ in key)}"
        refuses = any(map(_is_text, properties.values()))
        tool = self._tool(name, summary, properties, [*properties], returns, {"reads": [SOURCE]})
        tool["errors"] = [NOT_FOUND, *([VALUE_REJECTED] if refuses else [])]
        query = write_get(name, self.relation, self.members, key)
        missing = f"There is no such {article}"
        return self._drafted(tool, query, "get", [*properties], missing=missing, refuses=refuses)

    def can_add(self) -> bool:
        """Return True for a table whose columns all can be set; note one that cannot."""
        if not self.relation.is_table:
            return False
        known = {member.column.name for member in self.members}
        unset = [
            each.name
            for each in self.relation.columns
            if each.name not in known and each.is_not_null and not each.has_default and not each.generated
        ]
        if unset:
            reason = f"a row needs {unset[0]}, for which the draft has no place"
            self.losses.drop("", "INSERT", Effect.NARROWER, reason)
        return not unset

    def add(self, name: str) -> DraftedTool:
        """Return the tool that adds a row."""
        parameters = [*self._list_parameters()]
        properties = {each.name: _argument(each) for each in parameters}
        required = [each.name for each in parameters if each.is_required]
        summary = f"Add {_article(self.noun)} {self.noun.replace('_', ' ')}"
        tool = self._tool(name, summary, properties, required, {"$ref": f"#/$defs/{self.model}"}, {"adds": [SOURCE]})
        tool["errors"] = [*self._list_refusals(parameters)]
        tool["idempotency"] = {"key_from": ["request"], "window_s": KEY_WINDOW_S}
        query = write_add(name, self.relation, self.members, parameters)
        return self._drafted(tool, query, "add", [*properties], refuses=True)

    def _list_parameters(self) -> Iterator[Parameter]:
        """Yield the values that a new row takes."""
        names = MemberNames(self.noun, {Identifier(POSTGRES)})
        for member in self.members:
            column, at = member.column, join_pointer("/columns", member.column.name)
            is_given_key = column.name in self.relation.key and column.has_default
            if column.is_automatic or column.identity or (is_given_key and not self.takes_keys):
                continue
            is_default_known = column.default is None or (
                is_repeatable(column.default) and self.catalogue.find_lack("pg_attrdef", column.default_oid) is None
            )
            if not is_default_known and member.default is None:
                self.losses.drop(at, "DEFAULT", Effect.NARROWER, SET_BY_DEFAULT)
                continue
            is_not_null = column.is_not_null or any(each.is_not_null for each in self.catalogue.domains(column.type))
            is_required = is_not_null and column.default is None
            yield Parameter(name=names.take(member.name), member=member, is_required=is_required)

    def _list_refusals(self, parameters: Sequence[Parameter]) -> Iterator[Record]:
        """Yield the errors of a new row."""
        given = {each.member.column.name for each in parameters}
        unique = [each.columns for each in self.relation.constraints if each.kind in {"p", "u", "x"}]
        unique += [each.columns for each in self.relation.indexes if each.is_unique]
        if any(given & {*columns} or not columns for columns in unique):
            yield ALREADY_EXISTS
        if any(each.kind == "f" for each in self.relation.constraints):
            yield REFERENCE_NOT_FOUND
        yield VALUE_REJECTED

    def _tool(
        self, name: str, summary: str, properties: Record, required: Sequence[str], returns: Record, effects: Record
    ) -> Record:
        """Return a tool without its errors."""
        parameters = {
            "type": "object",
            "properties": {each: explain(schema) for each, schema in properties.items()},
            **({"required": [*required]} if required else {}),
            "additionalProperties": False,
        }
        example = {
            "arguments": find_example(parameters, Definitions(None)),
            "returns": find_example(returns, Definitions(None, schemas=dict(self.definitions))),
        }
        comment = as_text(self.relation.comment, "")
        return {
            "name": name,
            "version": VERSION,
            "description": f"{end_sentence(summary)} {comment}" if comment else summary,
            "effects": effects,
            "parameters": parameters,
            "returns": returns,
            "examples": [complete_example(example)],
        }

    def _drafted(
        self, tool: Record, query: str, kind: str, names: Sequence[str], missing: str = "", *, refuses: bool
    ) -> DraftedTool:
        """Return a tool with its query."""
        only = self.members[0].name if len(self.members) == 1 else None
        forward = QueryForward(
            query=Identifier(tool["name"]),
            arguments=tuple((Identifier(name), name) for name in names),
            kind=kind,
            model=self.model,
            member=only,
            missing=missing,
            is_nullable=only is not None and not self.members[0].is_required,
            refuses=refuses,
        )
        return DraftedTool(tool=tool, query=query, forward=forward)

    def _plural(self, name: str) -> str:
        """Return the rows of the search *name* in words."""
        return name.partition("_")[2].replace("_", " ") or "rows"


def draft_row(members: Sequence[Member], description: str) -> Record:
    """Return the schema of a row."""
    required = [member.name for member in members if member.is_required]
    return {
        "type": "object",
        "description": description,
        "properties": {member.name: member.result for member in members},
        "required": required,
        "additionalProperties": False,
    }


def draft_pagination() -> Record:
    """Return the schema of the position of a page."""
    return {
        "type": "object",
        "description": "Position of a page in the whole list.",
        "properties": {
            "offset": {"type": "integer", "minimum": 0, "description": "Number of skipped items"},
            "limit": {"type": "integer", "minimum": 1, "description": "Maximum number of items in a page"},
            "total": {"type": "integer", "minimum": 0, "description": "Number of items in the whole list"},
            "has_more": {"type": "boolean", "description": "True if items follow this page"},
        },
        "required": ["offset", "limit", "total", "has_more"],
        "additionalProperties": False,
    }


def _page_arguments(orders: Sequence[Order]) -> Record:
    """Return the arguments of every search."""
    names = [order.name for order in orders]
    sort = {
        "type": "string",
        "enum": names,
        "default": names[0],
        "description": "Order of the rows, from last to first with _desc",
    }
    return {
        **({"sort": sort} if len(names) > 1 else {}),
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": LARGEST_PAGE,
            "default": USUAL_PAGE,
            "description": "Rows of a page",
        },
        "offset": {
            "type": "integer",
            "minimum": 0,
            "maximum": LAST_OFFSET,
            "default": 0,
            "description": "Rows to skip before the page",
        },
    }


def _known_key(member: Member) -> Record:
    """Return the argument of a key, whose row may be older than a constraint."""
    limits = {key: value for key, value in member.form.limits.items() if key != "maxLength"}
    return {**member.form.schema, **limits, "description": member.argument["description"]}


def _argument(parameter: Parameter) -> Record:
    """Return the argument of a value, with the default of the table."""
    default = parameter.member.default
    return {**parameter.member.argument, **({} if default is None else {"default": default})}


def _is_text(schema: Record) -> bool:
    """Return True for a text that PostgreSQL may reject, such as one with a zero byte."""
    return schema.get("type") == "string" and not schema.keys() & {"format", "enum"}


def _article(noun: str) -> str:
    return "an" if noun[:1] in {*"aeio"} else "a"
