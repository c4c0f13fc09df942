"""Rules for each tool: what its keys say about one another."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from codegen.documents import Document, member
from codegen.json_text import unescape
from codegen.problems import Problem
from codegen.references import Library, as_array, as_object
from codegen.schema_rules import refusals

COMPARABLE = {"span": ("date", "date-time"), "ordered": ("date", "date-time", "number")}
"""What each condition compares."""
PAGE = ("offset", "limit", "total", "has_more")
HOST_LIMIT = 64
"""Characters a tool's name may have with the host's prefix; Claude's hosts refuse longer ones."""


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool as rules see it: of any shape, with its schemas written out as far as that is possible."""

    document: Document
    pointer: str
    tool: Mapping[str, Any]
    contract: Mapping[str, Any]
    standard: Mapping[str, Any]
    """The codes of the contract's dialect."""
    parameters: Mapping[str, Any]
    returns: Mapping[str, Any]

    def problem(self, pointer: str, rule: str, sentence: str) -> Problem:
        """A problem at a place in the tool."""
        return self.document.problem(self.pointer + pointer, rule, sentence)

    def argument(self, pointer: str) -> Mapping[str, Any] | None:
        """The schema of the argument that a pointer names, in whichever alternative; None where there is none."""
        found: list[Any] = [self.parameters]
        for token in pointer.split("/")[1:]:
            holders = [holder for schema in found for holder in alternatives(schema)]
            found = [as_object(holder.get("properties")).get(unescape(token)) for holder in holders]
            found = [schema for schema in found if isinstance(schema, dict)]
        return found[0] if found else None

    @property
    def codes(self) -> list[str]:
        """The codes that the tool declares."""
        codes = [as_object(error).get("code") for error in as_array(self.tool.get("errors"))]
        return [code for code in codes if isinstance(code, str)]


def alternatives(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A schema and the branches of its anyOf and oneOf."""
    yield schema
    for key in ("anyOf", "oneOf"):
        for branch in as_array(schema.get(key)):
            yield from alternatives(as_object(branch))


def views(library: Library, document: Document, dialects: Mapping[str, Any]) -> Iterator[ToolView]:
    """The tools of a contract, ready to be judged."""
    contract = as_object(document.value)
    dialect = contract.get("dialect")
    standard = as_object(as_object(dialects.get(dialect) if isinstance(dialect, str) else None).get("codes"))
    for index, tool in enumerate(as_array(contract.get("tools"))):
        if isinstance(tool, dict):
            schemas = [library.inlined(document, tool.get(key)) for key in ("parameters", "returns")]
            yield ToolView(document, member("", "tools", index), tool, contract, standard, *schemas)


def tool_faults(view: ToolView) -> Iterator[Problem]:
    """Faults of one tool."""
    for judge in (
        root_faults,
        name_fault,
        error_faults,
        condition_faults,
        effect_faults,
        cache_faults,
        pagination_faults,
        example_faults,
    ):
        yield from judge(view)


def root_faults(view: ToolView) -> Iterator[Problem]:
    """MCP sends arguments and results as objects; unknown arguments must be refused or admitted on purpose."""
    for key, schema in (("parameters", view.parameters), ("returns", view.returns)):
        if key in view.tool and schema.get("type") != "object":
            yield view.problem(f"/{key}", "ROOT_NOT_OBJECT", f'the root of {key} must say "type": "object"')
    if view.parameters.get("type") == "object" and "additionalProperties" not in view.parameters:
        yield view.problem(
            "/parameters",
            "OPEN_PARAMETERS",
            'parameters must say whether unknown arguments are refused; add "additionalProperties": false',
        )


def name_fault(view: ToolView) -> Iterator[Problem]:
    """A name that hosts would cut or refuse."""
    server, name = as_object(view.contract.get("server")).get("name"), view.tool.get("name")
    shown = f"mcp__{server}__{name}"
    if isinstance(server, str) and isinstance(name, str) and len(shown) > HOST_LIMIT:
        yield view.problem(
            "/name",
            "NAME_TOO_LONG",
            f"hosts show it as {shown}, {len(shown)} characters of {HOST_LIMIT} allowed; "
            "shorten the tool's or the server's name",
        )


def error_faults(view: ToolView) -> Iterator[Problem]:
    """Codes declared twice, without an HTTP status, or bound to arguments that do not exist."""
    seen: set[str] = set()
    for index, error in enumerate(map(as_object, as_array(view.tool.get("errors")))):
        at, code = member("/errors", index), error.get("code")
        if isinstance(code, str):
            if code in seen:
                yield view.problem(f"{at}/code", "CODE_TWICE", f"{code} is declared twice; keep one")
            seen.add(code)
            yield from http_fault(view, at, code, error)
        yield from detail_faults(view, at, as_object(error.get("details")))
        for place, pointer in enumerate(as_array(as_object(error.get("when")).get("at"))):
            yield from argument_fault(view, member(at, "when", "at", place), pointer)


def http_fault(view: ToolView, at: str, code: str, error: Mapping[str, Any]) -> Iterator[Problem]:
    """A code whose HTTP status nobody gives, or that the dialect answers with another."""
    standard = as_object(view.standard.get(code))
    if "http" not in error and not standard:
        yield view.problem(at, "HTTP_MISSING", f'{code} is no standard code of the dialect; give it an "http" status')
    elif standard and error.get("http", standard.get("http")) != standard.get("http"):
        sentence = f"the dialect answers {code} with {standard.get('http')}; remove this key"
        yield view.problem(f"{at}/http", "HTTP_DIFFERS", sentence)


def detail_faults(view: ToolView, at: str, details: Mapping[str, Any]) -> Iterator[Problem]:
    """Details whose names the error's constructor cannot have."""
    for name in details:
        if name in {"self", "message"} or keyword.iskeyword(name):
            yield view.problem(member(at, "details", name), "RESERVED_NAME", f'"{name}" is taken; choose another')


def argument_fault(view: ToolView, at: str, pointer: Any) -> Iterator[Problem]:
    """A pointer that leads to no argument."""
    if not isinstance(pointer, str) or view.argument(pointer) is not None:
        return
    holder = pointer
    while holder and (schema := view.argument(holder)) is None:
        holder = holder.rpartition("/")[0]
    sentence = f"the tool has no argument {pointer}"
    if holder and schema is not None and "items" in schema:
        sentence += f"; {holder} is an array, and stands for everything in it"
    yield view.problem(at, "ARGUMENT_UNKNOWN", sentence)


def condition_faults(view: ToolView) -> Iterator[Problem]:
    """Conditions on arguments that do not exist or cannot be compared, or with a code that is not declared."""
    for index, condition in enumerate(map(as_object, as_array(view.tool.get("conditions")))):
        at = member("/conditions", index)
        if condition.get("code") not in view.codes:
            yield view.problem(f"{at}/code", "CODE_UNDECLARED", "the condition's code is not among the tool's errors")
        key = "span" if "span" in condition else "ordered"
        kinds = set()
        for place, pointer in enumerate(as_array(condition.get(key))):
            yield from argument_fault(view, member(at, key, place), pointer)
            if isinstance(pointer, str) and (schema := view.argument(pointer)) is not None:
                kind = comparable_as(schema)
                kinds.add(kind)
                if kind not in COMPARABLE[key]:
                    sentence = f"{key} needs {' or '.join(COMPARABLE[key])}, not {kind}"
                    yield view.problem(member(at, key, place), "NOT_COMPARABLE", sentence)
        if len(kinds) > 1 and "number" in kinds:
            yield view.problem(f"{at}/{key}", "NOT_COMPARABLE", f"{' and '.join(sorted(kinds))} cannot be compared")


def comparable_as(schema: Mapping[str, Any]) -> str:
    """What a value is compared as; null, which skips a condition, aside."""
    types = schema.get("type")
    kinds = [kind for kind in (types if isinstance(types, list) else [types]) if kind != "null"]
    if kinds == ["string"]:
        return str(schema.get("format", "string"))
    return "number" if all(kind in {"integer", "number"} for kind in kinds) else " or ".join(map(str, kinds))


def effect_faults(view: ToolView) -> Iterator[Problem]:
    """Effects on sources that are not declared."""
    known = as_object(view.contract.get("sources"))
    for key in ("reads", "writes"):
        for index, source in enumerate(as_array(as_object(view.tool.get("effects")).get(key))):
            if isinstance(source, str) and source not in known:
                yield view.problem(
                    member("/effects", key, index),
                    "SOURCE_UNKNOWN",
                    f'"{source}" is not among the sources ({", ".join(known) or "there are none"})',
                )


def cache_faults(view: ToolView) -> Iterator[Problem]:
    """A cache on a tool that writes, or a bypass that is no switch."""
    cache = view.tool.get("cache")
    if cache is None:
        return
    if as_object(view.tool.get("effects")).get("writes"):
        yield view.problem("/cache", "CACHED_WRITE", "a tool that writes must run on every call; remove its cache")
    bypass = as_object(cache).get("bypass")
    if isinstance(bypass, str) and (view.argument(member("", bypass)) or {}).get("type") != "boolean":
        yield view.problem("/cache/bypass", "BYPASS_UNKNOWN", f'"{bypass}" is no boolean parameter of the tool')


def pagination_faults(view: ToolView) -> Iterator[Problem]:
    """A paginated tool whose parameters or result have not the shape of a page."""
    if "pagination" not in view.tool:
        return
    required = as_array(view.parameters.get("required"))
    for name in ("limit", "offset"):
        schema = view.argument(f"/{name}")
        if schema is None or schema.get("type") != "integer" or ("default" not in schema and name not in required):
            yield view.problem(
                "/parameters",
                "PAGE_ARGUMENTS",
                f'a paginated tool needs an integer "{name}", required or with a default',
            )
    properties = as_object(view.returns.get("properties"))
    if as_object(properties.get("items")).get("type") != "array" or "items" not in as_object(properties.get("items")):
        yield view.problem(
            "/returns", "PAGE_RESULT", 'a paginated tool returns "items", an array with a schema of its items'
        )
    elif set(as_object(as_object(properties.get("pagination")).get("properties"))) != set(PAGE):
        yield view.problem("/returns", "PAGE_RESULT", f'a paginated tool returns "pagination" with {", ".join(PAGE)}')


def example_faults(view: ToolView) -> Iterator[Problem]:
    """Examples that the tool would refuse, or answers it would not give."""
    for index, example in enumerate(map(as_object, as_array(view.tool.get("examples")))):
        at = member("/examples", index)
        if ("returns" in example) == ("error" in example):
            yield view.problem(at, "EXAMPLE_INVALID", 'an example has either "returns" or "error"')
            continue
        if "error" in example:
            if example["error"] not in [*view.codes, *view.standard]:
                yield view.problem(f"{at}/error", "EXAMPLE_INVALID", f"{example['error']} is no code of the tool")
            continue
        for key, said, schema in (("arguments", "parameters", view.parameters), ("returns", "returns", view.returns)):
            for place, why in refusals(schema, example.get(key)):
                yield view.problem(f"{at}/{key}{place}", "EXAMPLE_INVALID", f"the tool's {said} refuse this: {why}")
