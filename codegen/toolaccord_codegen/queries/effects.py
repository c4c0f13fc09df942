"""Effects of tools, compared with the queries that their handlers call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from toolaccord.contract.operations import Privilege
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.privileges import PRIVILEGES, split_table
from toolaccord_codegen.ir.tool import Tool
from toolaccord_codegen.queries.described import DescribedQuery, ServerQueries

_DEEDS: Mapping[str, str] = {"INSERT": "inserts into", "UPDATE": "changes or locks", "DELETE": "deletes from"}
_ADDING = frozenset({"SELECT", "INSERT"})


def check_effects(contract: Contract, queries: ServerQueries) -> Iterator[Problem]:
    """Yield effects and privileges that tools need for their queries, and do not declare."""
    source = find_database(contract)
    if source is None:
        return
    for index, tool in enumerate(contract.tools):
        at = join_pointer("/tools", index, "effects")
        for query in queries.used_by(tool.function):
            yield from _check_query(contract, at, tool, source, query)


def find_unused_privileges(contract: Contract, queries: ServerQueries) -> Iterator[Problem]:
    """Yield declared privileges that no query needs, unless handlers have SQL of their own."""
    source = find_database(contract)
    for index, tool in enumerate(contract.tools):
        declared = tool.effects.privileges.get(source or "", {})
        needed = _merge(queries.used_by(tool.function))
        for table, privileges in declared.items() if not queries.runs_own_sql else ():
            of_name = {each for name, of_table in needed.items() if split_table(name)[1] == table for each in of_table}
            if unused := [each for each in privileges if each not in of_name]:
                pointer = join_pointer("/tools", index, "effects", "privileges", str(source), table)
                sentence = (
                    f"no query of {tool.name} needs {' and '.join(unused)} on {table}; remove it, or the whole key"
                )
                yield contract.document.problem(pointer, "PRIVILEGE_UNUSED", sentence)


def derive_privileges(contract: Contract, queries: ServerQueries) -> Contract:
    """Return a contract with the privileges that its queries need, unless it declares its own."""
    source = find_database(contract)
    is_declared = any(each.effects and source in each.effects.privileges for each in contract.operations)
    if source is None or queries.runs_own_sql or not queries.queries or is_declared:
        return contract
    return replace(contract, derived_privileges={source: _merge(queries.queries)})


def find_database(contract: Contract) -> str | None:
    """Return the PostgreSQL source of a server; None where it has none or several."""
    names = [source.name for source in contract.sources if source.kind == "postgresql"]
    return names[0] if len(names) == 1 else None


def _check_query(contract: Contract, at: str, tool: Tool, source: str, query: DescribedQuery) -> Iterator[Problem]:
    place = query.query.problem("", "").position
    only_adds = source in tool.adds and source not in tool.effects.writes
    allowed = (
        frozenset(PRIVILEGES) if source in tool.effects.writes else _ADDING if only_adds else frozenset({"SELECT"})
    )
    declared = tool.effects.privileges.get(source)
    if source not in {*tool.reads, *tool.adds, *tool.effects.writes}:
        sentence = f'{tool.name} calls the query {query.query.name} ({place}), and does not name "{source}"; add it to its effects'
        yield contract.document.problem(at, "QUERY_EFFECT", sentence)
        return
    for table, privileges in query.description.privileges.items():
        if excess := [each for each in privileges if each not in allowed]:
            deed = f"only {'adds to' if only_adds else 'reads'}"
            cure = '"writes"' if only_adds or set(excess) != {"INSERT"} else '"adds" or "writes"'
            sentence = (
                f'{tool.name} {deed} "{source}", and its query {query.query.name} {_DEEDS[excess[0]]} {table} ({place}); '
                f"name the source in {cure}, or change the query"
            )
            yield contract.document.problem(at, "QUERY_EFFECT", sentence)
        elif declared is not None and (
            missing := [each for each in privileges if each not in declared.get(split_table(table)[1], ())]
        ):
            sentence = (
                f"{tool.name} lacks {' and '.join(missing)} on {table}, which its query {query.query.name} needs ({place}); "
                'add it, or leave out "privileges" of all tools, which are then derived'
            )
            yield contract.document.problem(join_pointer(at, "privileges", source), "PRIVILEGE_MISSING", sentence)


def _merge(queries: tuple[DescribedQuery, ...]) -> dict[str, tuple[Privilege, ...]]:
    """Return the privileges that queries need together, by table."""
    tables: dict[str, set[Privilege]] = {}
    for query in queries:
        for table, privileges in query.description.privileges.items():
            tables.setdefault(table, set()).update(privileges)
    return {table: tuple(sorted(tables[table], key=PRIVILEGES.index)) for table in sorted(tables)}
