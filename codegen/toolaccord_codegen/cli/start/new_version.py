"""The command `new version`: a tool's old promise as an older version, with drafted steps."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolaccord.contract.server_contracts import ServerContract
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord.semantics.versions import parse_version
from toolaccord_codegen.breaking.baseline import read_base
from toolaccord_codegen.cli.options.arguments import program_name
from toolaccord_codegen.cli.options.new import NewVersionOptions
from toolaccord_codegen.cli.start.stubs import Server
from toolaccord_codegen.diagnostics import CommandError, Problem, suggest
from toolaccord_codegen.loading.documents import Document, display_path
from toolaccord_codegen.loading.json_edits import Edit, apply_edits, end_of_value, indentation, reindent
from toolaccord_codegen.loading.records import read_record
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.loading.regular_files import read_utf8
from toolaccord_codegen.rules.tool_view import ToolView, Viewer
from toolaccord_codegen.snapshots import Snapshot, build_snapshot, read_snapshot, require_valid
from toolaccord_codegen.versions.drafts import draft_mapping
from toolaccord_codegen.versions.rules import check_versions

NOTHING: Mapping[str, list[Any]] = {"parameters": [], "returns": []}
PROMISE = ("parameters", "returns")


@dataclass(frozen=True, slots=True)
class _Tool:
    """A tool in one state of the contracts."""

    state: Snapshot
    view: ToolView

    @property
    def document(self) -> Document:
        """Return its contract."""
        return self.view.document

    @property
    def written(self) -> Mapping[str, Any]:
        """Return its object in the contract."""
        tool: Mapping[str, Any] = self.document.value_at(self.view.pointer)
        return tool

    @property
    def version(self) -> str:
        """Return its newest version."""
        return self.view.newest.version


def run(options: NewVersionOptions) -> int:
    """Write the old version and the steps from it into the contract; print what comes next.

    Returns 1 where the drafted steps need their author. Raises CommandError for an unknown tool and an impossible
    version, ContractProblems, and NoBase.
    """
    server = Server.locate(options.folders, options.server)
    state = require_valid(read_snapshot(options.folders.contracts))
    now = _find_tool(state, server, options.tool)
    was = now
    if options.against:
        base = read_base(options.folders.contracts, options.against, state)
        was = _find_tool(base, server, options.tool)
    if any(older.version == was.version for older in now.view.older):
        raise CommandError(f"{options.tool} has {was.version} among its older versions already")
    version = _choose_version(options.to, was.version, now.version)
    mapping = NOTHING if was is now else draft_mapping(now.view, was.view.newest)
    text = _write_version(options, was, now, version, mapping)
    problems = _judge(state, server, options.tool, text)
    server.contract.write_bytes(text.encode())
    print(f"wrote   {display_path(server.contract)}: {options.tool} {version} answers callers of {was.version}")
    _print_next(options, was, now, mapping)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def _find_tool(state: Snapshot, server: Server, name: str) -> _Tool:
    """Return a tool of a server. Raises CommandError where there is none."""
    document = state.contracts.get(server.contract_name)
    if document is None:
        known = suggest(f"{server.system}/{server.name}", (name.removesuffix(".json") for name in state.contracts))
        raise CommandError(f"{state.name} has no server {server.system}/{server.name}; {known}")
    contract = read_record(ServerContract, document.value)
    tools = {view.declared.name: view for view in Viewer(state.library, document, contract, {}).view_tools()}
    if name not in tools:
        raise CommandError(f'{document.display_path} has no tool "{name}"; {suggest(name, tools)}')
    return _Tool(state, tools[name])


def _choose_version(given: str | None, was: str, now: str) -> str:
    """Return the tool's version after the change. Raises CommandError unless it is newer."""
    before, after = parse_version(was), parse_version(given or now)
    if before is None or after is None:
        raise CommandError(f"{given or now} is no version, e.g. 2.0.0")
    if after > before:
        return given or now
    if given:
        raise CommandError(f"{given} is not newer than {was}")
    major, minor, _ = before
    return f"{major + 1}.0.0" if major else f"0.{minor + 1}.0"


def _write_version(
    options: NewVersionOptions, was: _Tool, now: _Tool, version: str, mapping: Mapping[str, list[Any]]
) -> str:
    """Return the text of the contract with the older version; every other byte stays."""
    path = options.folders.contracts / now.document.name
    at = now.view.pointer
    edits = [_replace(now.document, f"{at}/version", version)]
    if now.view.declared.released_on and now.view.declared.released_on == was.view.declared.released_on:
        edits.append(_replace(now.document, f"{at}/released_on", options.today.isoformat()))
    edits.append(_insert_older(now, _OlderVersion(was, now, mapping)))
    return apply_edits(read_utf8(path), edits)


def _replace(document: Document, pointer: str, value: str) -> Edit:
    """Return the edit that replaces a text."""
    start = document.places.value(pointer)
    return Edit(start, end_of_value(document.text, start), json.dumps(value))


@dataclass(frozen=True, slots=True)
class _OlderVersion:
    """The entry of a version that the present one replaces."""

    was: _Tool
    now: _Tool
    mapping: Mapping[str, list[Any]]

    def format(self, indent: str, step: str) -> str:
        """Return its text; lines after the first begin with an indentation."""
        declared, inner = self.was.written, indent + step
        members = {key: json.dumps(declared[key]) for key in ("version", "released_on") if key in declared}
        members |= {key: self._format_schema(key, inner) for key in PROMISE if key in declared}
        members["to_next"] = self._format_mapping(inner, step)
        lines = ",\n".join(f"{inner}{json.dumps(key)}: {text}" for key, text in members.items())
        return f"{{\n{lines}\n{indent}}}"

    def _format_mapping(self, indent: str, step: str) -> str:
        """Return the text of the steps, one a line."""
        lists = []
        for key in (key for key in PROMISE if key in self.was.written):
            steps = [
                f"{indent}{step}{step}{json.dumps(each, ensure_ascii=False)}" for each in self.mapping.get(key, [])
            ]
            body = ",\n".join(steps)
            lists.append(f'{indent}{step}"{key}": ' + (f"[\n{body}\n{indent}{step}]" if steps else "[]"))
        return "{\n" + ",\n".join(lists) + f"\n{indent}}}"

    def _format_schema(self, key: str, indent: str) -> str:
        """Return a schema as it was written; definitions that have changed since are inlined."""
        declared, document = self.was.written[key], self.was.document
        frozen = self._freeze(declared)
        if frozen != declared:
            return json.dumps(frozen, ensure_ascii=False)
        start = document.places.value(join_pointer(self.was.view.pointer, key))
        raw = document.text[start : end_of_value(document.text, start)]
        return reindent(raw, indentation(document.text, start), indent)

    def _freeze(self, node: Any) -> Any:
        """Return a part of a schema without references to definitions that have changed since."""
        if isinstance(node, list):
            return [self._freeze(each) for each in node]
        if not isinstance(node, dict):
            return node
        if isinstance(node.get("$ref"), str):
            before = self.was.state.library.inline(self.was.document, node)
            if before != self.now.state.library.inline(self.now.document, node):
                return before
        return {key: self._freeze(part) for key, part in node.items()}


def _insert_older(now: _Tool, older: _OlderVersion) -> Edit:
    """Return the edit that puts a version before a tool's other older ones."""
    document, at = now.document, now.view.pointer
    if now.view.declared.versions:
        start = document.places.value(f"{at}/versions/0")
        indent = indentation(document.text, start)
        return Edit(start, start, f"{older.format(indent, '  ')},\n{indent}")
    last = list(now.written)[-1]
    end = end_of_value(document.text, document.places.value(join_pointer(at, last)))
    indent = indentation(document.text, document.places.key(join_pointer(at, last)))
    body = f',\n{indent}"versions": [\n{indent}  {older.format(indent + "  ", "  ")}\n{indent}]'
    return Edit(end, end, body)


def _judge(state: Snapshot, server: Server, tool: str, text: str) -> list[Problem]:
    """Return the problems of the tool's versions in the text of its contract."""
    files = {**state.files, server.contract_name: text.encode()}
    edited = build_snapshot(state.name, files, lambda name: state.documents[name].display_path, state)
    return sorted(check_versions(_find_tool(edited, server, tool).view))


def _print_next(options: NewVersionOptions, was: _Tool, now: _Tool, mapping: Mapping[str, list[Any]]) -> None:
    """Print what the author has to do."""
    generate = options.folders.generate_command(program_name())
    if was is now:
        print(f"Next: edit the schemas of the newest version and the steps in to_next, then `{generate}`.")
        return
    print("Next: read the steps in to_next, where values are examples.")
    for verb, path, value in _list_guesses(mapping):
        print(f"      Choose the value of {path}, which {verb} {was.version}: {json.dumps(value)} is a guess.")
    for name, suffix in _list_lookups(mapping):
        print(f"      Write `async def {name}{suffix}(value, call)` beside the handlers.")
    print(f"      Then `{generate}`, and `{program_name()} breaking --against {options.against}`.")


def _list_guesses(mapping: Mapping[str, list[Any]]) -> Iterator[tuple[str, str, Any]]:
    """Yield each drafted value: its reason, the path of its member, and the value."""
    for key, steps in mapping.items():
        for step in map(as_object, steps):
            if "add" in step and key == "parameters":
                yield "handlers get from callers of", step["add"], step["value"]
            elif "default" in step:
                yield "results have for callers of", step["drop"], step["default"]


def _list_lookups(mapping: Mapping[str, list[Any]]) -> Iterator[tuple[str, str]]:
    """Yield the names of functions that steps need, with the suffix for results."""
    for key, suffix in (("parameters", ""), ("returns", "_back")):
        for step in mapping.get(key, []):
            if lookup := as_object(step).get("lookup"):
                yield lookup, suffix
