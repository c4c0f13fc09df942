"""Drafts of databases: the contract, the queries, the handlers and the migration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from toolaccord_codegen.drafts.contract import Draft, Identity, as_text, describe_server
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.drafts.names import Names, free_name, model_name, plural, reserve_models, singular, snake_name
from toolaccord_codegen.drafts.postgresql.catalogue import Catalogue, Relation
from toolaccord_codegen.drafts.postgresql.members import draft_members
from toolaccord_codegen.drafts.postgresql.migration import MigrationWriter
from toolaccord_codegen.drafts.postgresql.selection import choose_relations, order_relations
from toolaccord_codegen.drafts.postgresql.tools import (
    SOURCE,
    DraftedTool,
    RelationTools,
    draft_pagination,
    draft_row,
)
from toolaccord_codegen.naming import end_sentence

Record = dict[str, Any]
SETTINGS = {
    "database_url": {
        "env": "DATABASE_URL",
        "description": "PostgreSQL, postgresql://user:password@host:port/database",
        "required": True,
        "secret": True,
    }
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The parts of a database that are drafted."""

    tables: Sequence[str] = ()
    """Names of tables and views; empty for all of the usual schema."""
    takes_keys: bool = False
    """True if new rows may have primary keys of the caller's, in the place of a default."""


def draft_database(catalogue: Catalogue, identity: Identity, choice: Choice) -> Draft:
    """Return the draft of a server on tables and views.

    Raises ValueError for a name that the database lacks, and where it has nothing to draft.
    """
    losses = Losses()
    relations = choose_relations(catalogue, choice.tables, losses)
    drafter = _Drafter(catalogue, identity, choice, losses)
    for relation in relations:
        drafter.add(relation)
    migration = MigrationWriter(
        catalogue=catalogue, relations=order_relations(catalogue, relations), losses=losses
    ).write()
    server = describe_server(identity, None, "0.1.0", catalogue.comment, losses)
    contract = {
        "$schema": "../contract.schema.json",
        "contract": 1,
        "server": server,
        "dialect": "plain",
        "settings": SETTINGS,
        "sources": {SOURCE: {"kind": "postgresql", "url": {"setting": "database_url"}}},
        "tools": [each.tool for each in drafter.tools],
        "$defs": dict(sorted(drafter.definitions.items())),
    }
    header = f"-- The queries of {identity.mcp_name}.\n"
    return Draft(
        contract=contract,
        losses=tuple(losses.found),
        forwards={each.tool["name"]: each.forward for each in drafter.tools},
        queries="\n".join([header, *(each.query for each in drafter.tools)]),
        migration=migration,
    )


class _Drafter:
    """Drafts relation after relation."""

    def __init__(self, catalogue: Catalogue, identity: Identity, choice: Choice, losses: Losses) -> None:
        self._catalogue = catalogue
        self._choice = choice
        self._losses = losses
        self._names = Names(identity.mcp_name, losses, renaming=Effect.SAME)
        self._taken = identity.taken
        self.tools: list[DraftedTool] = []
        self.definitions: Record = {}
        self._page = self._define("Pagination", draft_pagination())

    def add(self, relation: Relation) -> None:
        """Draft the tools of one relation."""
        with self._losses.of(relation.label):
            word, number = snake_name(relation.name, "row"), _find_number(relation.name)
            noun = f"{singular(word)}{number}"
            members = draft_members(self._catalogue, relation, noun, self._losses)
            words = noun.replace("_", " ")
            description = as_text(relation.comment, f"{'An' if words[0] in {*'aeio'} else 'A'} {words}")
            tools = (f"search_{plural(word)}{number}", f"get_{noun}", f"add_{noun}")
            self._taken |= reserve_models(tools)
            drafter = RelationTools(
                catalogue=self._catalogue,
                relation=relation,
                members=members,
                noun=noun,
                model=self._define(model_name(noun), draft_row(members, end_sentence(description))),
                definitions=self.definitions,
                losses=self._losses,
                takes_keys=self._choice.takes_keys,
            )
            self.tools += self._draft(drafter, tools)

    def _draft(self, drafter: RelationTools, wished: Sequence[str]) -> Iterator[DraftedTool]:
        """Yield the tools that the relation can have."""
        search, get, add = wished
        yield drafter.search(self._names.tool(search), self._page)
        if drafter.can_get:
            yield drafter.get(self._names.tool(get))
        if drafter.can_add():
            yield drafter.add(self._names.tool(add))

    def _define(self, wished: str, schema: Record) -> str:
        """Return the name of a definition."""
        name = free_name(wished, self._taken | {*self.definitions})
        self.definitions[name] = schema
        return name


def _find_number(name: str) -> str:
    """Return the number at the end of a name, which tells it from others; empty without one."""
    found = re.fullmatch(r".*?[A-Za-z](_?[0-9]{1,8})", name, re.DOTALL)
    return found[1] if found else ""
