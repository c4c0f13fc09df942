"""Rules for each tool and the relations between its keys."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord.contract.dialects import Dialect
from toolaccord.contract.operations import Error
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.references import as_array, as_object
from toolaccord_codegen.naming import describe_reserved
from toolaccord_codegen.rules.dialects import sends_jsonrpc_code
from toolaccord_codegen.rules.example import check_examples
from toolaccord_codegen.rules.stores.cache import check_cache
from toolaccord_codegen.rules.tool_view import AnyView, ToolView, place_items, property_names

COMPARABLE = {"span": ("date", "date-time"), "ordered": ("date", "date-time", "number")}
"""Types that each condition can compare."""
ROUTE_NAMES = ("list", "call")
"""Tool names that collide with the HTTP operations /mcp/tools/list and /mcp/tools/call."""
USING = ("reads", "adds", "writes")
"""Effects that name sources."""
PAGE_MEMBERS = ("offset", "limit", "total", "has_more")
UNPROCESSABLE = 422
"""HTTP status for arguments that fit the schema and break a rule."""
HOST_LIMIT = 64
"""Longest name of a tool in characters, with the host's prefix.

Claude's hosts reject longer ones.
"""


def check_tool(view: ToolView) -> Iterator[Problem]:
    """Yield the problems of one tool."""
    for check in (
        _check_roots,
        check_tool_name,
        check_errors,
        _check_conditions,
        check_deadline,
        check_effects,
        _check_additions,
        check_cache,
        _check_pagination,
        _check_content,
        check_examples,
    ):
        yield from check(view)


def _check_roots(view: ToolView) -> Iterator[Problem]:
    """Yield roots that are no object, and parameters that leave unknown arguments undecided.

    MCP sends arguments and results as objects.
    """
    for each in (view.newest, *view.older):
        for key, schema in (("parameters", each.parameters), ("returns", each.returns)):
            is_written = getattr(each.declared, key) is not None
            if is_written and key in each.resolved and schema.get("type") != "object":
                at = f"{each.pointer}/{key}"
                yield view.problem(at, "ROOT_NOT_OBJECT", f'the root of {key} must have "type": "object"')
        if each.parameters.get("type") == "object" and "additionalProperties" not in each.parameters:
            yield view.problem(
                f"{each.pointer}/parameters",
                "OPEN_PARAMETERS",
                'parameters must decide on unknown arguments; add "additionalProperties": false',
            )


def check_tool_name(view: ToolView) -> Iterator[Problem]:
    """Yield names that hosts would cut or reject, or that mean another HTTP operation."""
    name = view.declared.name
    if name in ROUTE_NAMES:
        sentence = f"over HTTP, /mcp/tools/{name} is another operation; choose another name"
        yield view.problem("/name", "RESERVED_NAME", sentence)
    shown = f"mcp__{view.contract.server.name}__{name}"
    if len(shown) > HOST_LIMIT:
        yield view.problem(
            "/name",
            "NAME_TOO_LONG",
            f"hosts show it as {shown}, {len(shown)} characters of {HOST_LIMIT} allowed; "
            "shorten the tool's or the server's name",
        )


def check_errors(view: AnyView) -> Iterator[Problem]:
    """Yield codes declared twice, without an HTTP status, or bound to unknown arguments."""
    seen: set[str] = set()
    for at, error in view.errors:
        if error.code in seen:
            yield view.problem(f"{at}/code", "CODE_TWICE", f"{error.code} is declared twice; keep one")
        seen.add(error.code)
        if view.dialect:
            yield from _check_standard(view, view.dialect, at, error)
        yield from _check_details(view, at, error.details)
        for place, pointer in place_items(f"{at}/when/at", error.when.at if error.when else ()):
            yield from _check_argument(view, place, pointer)


def _check_standard(view: AnyView, dialect: Dialect, at: str, error: Error) -> Iterator[Problem]:
    """Yield codes without facts that the dialect lacks, or with others than it has."""
    code, standard = error.code, dialect.codes.get(error.code)
    if standard is None:
        if error.http is None:
            sentence = f'{code} is no standard code of the dialect; give it an "http" status'
            yield view.problem(at, "HTTP_MISSING", sentence)
        if error.jsonrpc is None and sends_jsonrpc_code(dialect.failure):
            sentence = f'{code} is no standard code of the dialect; give it a "jsonrpc" number'
            yield view.problem(at, "JSONRPC_MISSING", sentence)
        return
    if error.http not in {None, standard.http}:
        sentence = f"the dialect answers {code} with {standard.http}; remove this key"
        yield view.problem(f"{at}/http", "HTTP_DIFFERS", sentence)
    if error.jsonrpc not in {None, standard.jsonrpc}:
        sentence = f"the number of {code} in JSON-RPC is the dialect's; remove this key"
        yield view.problem(f"{at}/jsonrpc", "JSONRPC_DIFFERS", sentence)
    if "retryable" in view.list_written(at):
        yield view.problem(f"{at}/retryable", "RETRYABLE_STANDARD", f"the dialect says this of {code}; remove this key")


def _check_details(view: AnyView, at: str, details: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield details whose names the error's constructor cannot have."""
    for name in details:
        if name in {"self", "message"} or keyword.iskeyword(name):
            yield view.problem(
                join_pointer(at, "details", name), "RESERVED_NAME", f"{describe_reserved(name)}; choose another"
            )


def _check_argument(view: AnyView, at: str, pointer: str) -> Iterator[Problem]:
    """Yield a pointer that leads to no argument."""
    if not view.is_resolved_object("parameters") or view.argument(pointer) is not None:
        return
    holder = pointer.rpartition("/")[0]
    while (schema := view.argument(holder)) is None:
        holder = holder.rpartition("/")[0]
    cure = suggest(pointer, [join_pointer(holder, name) for name in property_names(schema)])
    if "items" in schema:
        cure = f"{holder} is an array, and stands for everything in it"
    sentence = f"the tool has no argument {pointer}; {cure}"
    yield view.problem(at, "ARGUMENT_UNKNOWN", sentence)


def _check_conditions(view: ToolView) -> Iterator[Problem]:
    """Yield conditions with unknown or incomparable arguments, or with an undeclared code."""
    for at, condition in place_items("/conditions", view.declared.conditions):
        yield from _check_condition_code(view, f"{at}/code", condition.code)
        key = "span" if condition.span else "ordered"
        kinds = set()
        for place, pointer in place_items(f"{at}/{key}", condition.span or condition.ordered):
            yield from _check_argument(view, place, pointer)
            schema = view.argument(pointer) if view.is_resolved_object("parameters") else None
            if schema is not None:
                kind = _comparison_type(schema)
                kinds.add(kind)
                if kind not in COMPARABLE[key]:
                    sentence = f"{key} needs {' or '.join(COMPARABLE[key])}, not {kind}"
                    yield view.problem(place, "NOT_COMPARABLE", sentence)
        if len(kinds) > 1 and "number" in kinds:
            yield view.problem(f"{at}/{key}", "NOT_COMPARABLE", f"{' and '.join(sorted(kinds))} cannot be compared")


def _check_condition_code(view: ToolView, at: str, code: str) -> Iterator[Problem]:
    """Yield codes that are undeclared, or whose HTTP status means a broken schema."""
    if code not in view.codes:
        yield view.problem(at, "CODE_UNDECLARED", "the condition's code is not among the tool's errors")
        return
    error = next(error for error in view.declared.errors if error.code == code)
    standard = view.dialect.codes.get(code) if view.dialect else None
    status = error.http or (standard.http if standard else UNPROCESSABLE)
    if status != UNPROCESSABLE:
        sentence = f"arguments that break this rule fit the schema, so {code} needs the status 422, not {status}"
        yield view.problem(at, "CONDITION_STATUS", sentence)


def check_deadline(view: AnyView) -> Iterator[Problem]:
    """Yield p95 targets that every call within the deadline would meet."""
    deadline = view.declared.deadline
    if deadline and deadline.p95_ms and deadline.p95_ms >= deadline.timeout_ms:
        sentence = (
            f"the target {deadline.p95_ms} is not below timeout_ms, {deadline.timeout_ms}; every call would meet it"
        )
        yield view.problem("/deadline/p95_ms", "TARGET_TOO_LATE", sentence)


def _comparison_type(schema: Mapping[str, Any]) -> str:
    """Return the type that a value is compared as; null is left out, since it skips a condition."""
    types = schema.get("type")
    kinds = [kind for kind in (types if isinstance(types, list) else [types]) if kind != "null"]
    if kinds == ["string"]:
        return str(schema.get("format", "string"))
    is_number = all(isinstance(kind, str) and kind in {"integer", "number"} for kind in kinds)
    return "number" if is_number else " or ".join(map(str, kinds))


def check_read_effects(view: AnyView) -> Iterator[Problem]:
    """Yield undeclared sources of a resource or a prompt."""
    if view.declared.effects:
        yield from check_effects(view)


def check_effects(view: AnyView) -> Iterator[Problem]:
    """Yield undeclared sources."""
    known, effects = [source.name for source in view.contract.sources], view.declared.effects
    for key in USING:
        for place, source in place_items(f"/effects/{key}", getattr(effects, key, ())):
            if source not in known:
                sentence = f'"{source}" is not among the sources; {suggest(source, known)}'
                yield view.problem(place, "SOURCE_UNKNOWN", sentence)


def _check_additions(view: ToolView) -> Iterator[Problem]:
    """Yield sources to which a tool only adds and which it writes."""
    for place, source in place_items("/effects/adds", view.declared.effects.adds):
        if source in view.declared.effects.writes:
            sentence = f'the tool cannot only add to "{source}" if it also writes it; name it in "writes" or in "adds"'
            yield view.problem(place, "ADDS_AND_WRITES", sentence)


def _check_pagination(view: ToolView) -> Iterator[Problem]:
    """Yield paginated tools whose parameters or result lack the form of a page."""
    if view.declared.pagination is None:
        return
    if view.is_resolved_object("parameters"):
        yield from _check_page_arguments(view)
    if view.is_resolved_object("returns"):
        yield from _check_page_result(view)


def _check_page_arguments(view: ToolView) -> Iterator[Problem]:
    """Yield missing page parameters."""
    required = as_array(view.parameters.get("required"))
    for name in ("limit", "offset"):
        schema = view.argument(f"/{name}")
        if schema is None or schema.get("type") != "integer" or ("default" not in schema and name not in required):
            sentence = f'a paginated tool needs an integer "{name}", required or with a default'
            yield view.problem("/parameters", "PAGE_ARGUMENTS", sentence)


def _check_page_result(view: ToolView) -> Iterator[Problem]:
    """Yield a result that is no page."""
    parts = as_object(view.returns.get("properties"))
    items = as_object(parts.get("items"))
    if items.get("type") != "array" or "items" not in items:
        sentence = 'a paginated tool returns "items", an array with a schema of its items'
        yield view.problem("/returns", "PAGE_RESULT", sentence)
    elif set(as_object(as_object(parts.get("pagination")).get("properties"))) != set(PAGE_MEMBERS):
        yield view.problem(
            "/returns", "PAGE_RESULT", f'a paginated tool returns "pagination" with {", ".join(PAGE_MEMBERS)}'
        )


def _check_content(view: ToolView) -> Iterator[Problem]:
    """Yield media types beside the kind that stands for all of them."""
    kinds = view.declared.content
    for place, kind in place_items("/content", kinds):
        whole = kind.partition("/")[0]
        if whole != kind and whole in kinds:
            sentence = f'"{whole}" already stands for all its media types; remove it, or {kind}'
            yield view.problem(place, "CONTENT_COVERED", sentence)
