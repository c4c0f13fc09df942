"""Rules for each tool: what its keys say about one another."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from codegen.documents import Document, member
from codegen.json_text import unescape
from codegen.problems import Problem
from codegen.references import DanglingReference, Library, as_array, as_object
from codegen.schema_rules import refusals

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
        """The schema of the argument that a pointer names; None where there is none."""
        schema: Any = self.parameters
        for token in pointer.split("/")[1:]:
            schema = as_object(as_object(schema).get("properties")).get(unescape(token))
        return schema if isinstance(schema, dict) else None

    @property
    def codes(self) -> list[str]:
        """The codes that the tool declares."""
        return [as_object(error).get("code", "") for error in as_array(self.tool.get("errors"))]


def views(library: Library, document: Document, dialects: Mapping[str, Any]) -> Iterator[ToolView]:
    """The tools of a contract, ready to be judged."""
    contract = as_object(document.value)
    dialect = contract.get("dialect")
    standard = as_object(as_object(dialects.get(dialect) if isinstance(dialect, str) else None).get("codes"))
    for index, tool in enumerate(as_array(contract.get("tools"))):
        if isinstance(tool, dict):
            schemas = [inlined(library, document, tool.get(key)) for key in ("parameters", "returns")]
            yield ToolView(document, member("", "tools", index), tool, contract, standard, *schemas)


def inlined(library: Library, document: Document, schema: Any) -> Mapping[str, Any]:
    """A schema written out; as it stands where a reference is broken."""
    try:
        return library.inlined(document, as_object(schema))
    except (DanglingReference, RecursionError):
        return as_object(schema)


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
    for index, error in enumerate(map(as_object, as_array(view.tool.get("errors")))):
        at, code = member("/errors", index), error.get("code", "")
        if code in view.codes[:index]:
            yield view.problem(f"{at}/code", "CODE_TWICE", f"{code} is declared twice; keep one")
        standard = as_object(view.standard.get(code))
        if "http" not in error and not standard:
            yield view.problem(
                at, "HTTP_MISSING", f'{code} is no standard code of the dialect; give it an "http" status'
            )
        elif standard and error.get("http", standard.get("http")) != standard.get("http"):
            yield view.problem(
                f"{at}/http", "HTTP_DIFFERS", f"the dialect answers {code} with {standard.get('http')}; remove this key"
            )
        yield from detail_faults(view, at, as_object(error.get("details")))
        for place, pointer in enumerate(as_array(as_object(error.get("when")).get("at"))):
            if isinstance(pointer, str) and view.argument(pointer) is None:
                yield view.problem(
                    member(at, "when", "at", place), "ARGUMENT_UNKNOWN", f"the tool has no argument {pointer}"
                )


def detail_faults(view: ToolView, at: str, details: Mapping[str, Any]) -> Iterator[Problem]:
    """Details whose names the error's constructor cannot have."""
    for name in details:
        if name in {"self", "message"} or keyword.iskeyword(name):
            yield view.problem(member(at, "details", name), "RESERVED_NAME", f'"{name}" is taken; choose another')


def condition_faults(view: ToolView) -> Iterator[Problem]:
    """Conditions on arguments that do not exist or cannot be compared, or with a code that is not declared."""
    for index, condition in enumerate(map(as_object, as_array(view.tool.get("conditions")))):
        at = member("/conditions", index)
        if condition.get("code") not in view.codes:
            yield view.problem(f"{at}/code", "CODE_UNDECLARED", "the condition's code is not among the tool's errors")
        key = "span" if "span" in condition else "ordered"
        comparable = {"date", "date-time"} if key == "span" else {"date", "date-time", "integer", "number"}
        kinds = set()
        for place, pointer in enumerate(as_array(condition.get(key))):
            schema = view.argument(pointer) if isinstance(pointer, str) else {}
            if schema is None:
                yield view.problem(member(at, key, place), "ARGUMENT_UNKNOWN", f"the tool has no argument {pointer}")
                continue
            kind = schema.get("format", schema.get("type"))
            kinds.add("number" if kind == "integer" else str(kind))
            if kind not in comparable:
                yield view.problem(
                    member(at, key, place),
                    "NOT_COMPARABLE",
                    f"{key} needs {' or '.join(sorted(comparable))}, not {kind}",
                )
        if len(kinds) > 1:
            yield view.problem(f"{at}/{key}", "NOT_COMPARABLE", f"{' and '.join(sorted(kinds))} cannot be compared")


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
    if isinstance(bypass, str) and (view.argument(f"/{bypass}") or {}).get("type") != "boolean":
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
            if example["error"] not in {*view.codes, *view.standard}:
                yield view.problem(f"{at}/error", "EXAMPLE_INVALID", f"{example['error']} is no code of the tool")
            continue
        for key, schema in (("arguments", view.parameters), ("returns", view.returns)):
            for sentence in refusals(schema, example.get(key)):
                yield view.problem(f"{at}/{key}", "EXAMPLE_INVALID", f"the example's {key}: {sentence}")
