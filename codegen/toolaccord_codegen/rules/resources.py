"""Rules for the resources of a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord.semantics.uri_templates import admits_uri, are_adjacent, list_variables
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import SchemaLibrary, as_array, as_object, list_items
from toolaccord_codegen.naming import Identifier
from toolaccord_codegen.rules.completions import check_completions, completed_members
from toolaccord_codegen.rules.stores.rate_limit import check_rate_limit
from toolaccord_codegen.rules.tool import check_deadline, check_effects, check_errors
from toolaccord_codegen.rules.tool_view import ToolView, view_tools

HANDLER_KEYS = ("effects", "deadline", "errors", "rate_limit", "subscribe", "asks", "uri_template")
"""Keys that only such a resource can have."""


def check_resources(library: SchemaLibrary, document: Document, dialects: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the problems of a contract's resources."""
    for view in view_tools(library, document, dialects, "resources"):
        for check in (_check_keys, _check_variables, check_errors, check_effects, check_deadline, check_rate_limit):
            yield from check(view)
    yield from _check_names(document)
    yield from _check_uris(document)


def _check_keys(view: ToolView) -> Iterator[Problem]:
    """Yield keys that are missing beside others, and keys that others exclude."""
    resource = view.tool
    yield from check_completions(view, "RESOURCE_KEYS")
    if ("uri" in resource) == ("uri_template" in resource):
        yield view.problem("", "RESOURCE_KEYS", 'a resource has either a "uri" or a "uri_template"')
    if ("parameters" in resource) != ("uri_template" in resource):
        sentence = '"parameters" are the variables of a "uri_template"; add the other one, or remove this'
        yield view.problem("/parameters" if "parameters" in resource else "/uri_template", "RESOURCE_KEYS", sentence)
    is_json = resource.get("content") == "json"
    if is_json and "returns" not in resource:
        yield view.problem("/content", "RESOURCE_KEYS", 'the content "json" needs "returns", the schema of the content')
    elif "returns" in resource and not is_json:
        yield view.problem("/returns", "RESOURCE_KEYS", '"returns" is for the content "json" alone; remove it')
    elif is_json and "returns" in view.newest.resolved and not view.is_resolved_object("returns"):
        yield view.problem("/returns", "ROOT_NOT_OBJECT", 'the root of returns must have "type": "object"')
    yield from _check_static_keys(view)


def _check_static_keys(view: ToolView) -> Iterator[Problem]:
    """Yield keys that a static resource excludes, and those that any other needs."""
    resource = view.tool
    if "static" not in resource:
        if "effects" not in resource:
            sentence = 'a handler reads this resource, which needs "effects"; add it, or make the content "static"'
            yield view.problem("", "RESOURCE_KEYS", sentence)
        return
    for key in HANDLER_KEYS:
        if key in resource:
            sentence = f'no handler reads a static resource, so "{key}" has no effect; remove it'
            yield view.problem(f"/{key}", "RESOURCE_KEYS", sentence)
    static, content = as_object(resource["static"]), resource.get("content")
    if content == "json":
        sentence = 'a handler gives the record of a "json" content; make a static one "text"'
        yield view.problem("/content", "RESOURCE_KEYS", sentence)
    elif content == "binary" and "text" in static:
        yield view.problem("/static/text", "RESOURCE_KEYS", 'the content "binary" needs a "file", not a "text"')


def _check_variables(view: ToolView) -> Iterator[Problem]:
    """Yield variables and parameters without the other one, and ambiguous variables."""
    template, parameters = view.tool.get("uri_template"), as_object(view.tool.get("parameters"))
    if not isinstance(template, str) or not parameters:
        return
    variables, members = list_variables(template), as_object(parameters.get("properties"))
    required = as_array(parameters.get("required"))
    for name in dict.fromkeys(variables):
        if name not in members:
            sentence = f'the variable "{name}" is not among the parameters; {suggest(name, members)}'
            yield view.problem("/uri_template", "URI_VARIABLE", sentence)
        elif name not in required:
            sentence = f'every URI has a "{name}"; add it to "required"'
            yield view.problem("/parameters", "URI_VARIABLE", sentence)
    for name in members:
        if name not in variables:
            sentence = f"the template has no variable {{{name}}}; add it, or remove the parameter"
            yield view.problem(f"/parameters/properties/{name}", "URI_VARIABLE", sentence)
    if len({*variables}) < len(variables) or are_adjacent(template):
        sentence = "a client's URI must tell each variable once; put a character between variables, and repeat none"
        yield view.problem("/uri_template", "URI_VARIABLE", sentence)


def _check_names(document: Document) -> Iterator[Problem]:
    """Yield resources whose handlers have the names of others."""
    functions = {
        Identifier(tool["name"]): f'the tool "{tool["name"]}"'
        for _, tool in list_items(document.value, "tools")
        if isinstance(tool.get("name"), str)
    }
    for at, resource in list_items(document.value, "resources"):
        name = resource.get("name")
        if not isinstance(name, str):
            continue
        completed = completed_members(resource)
        for function in (f"read_{name}", *(f"complete_{name}_{member}" for member in completed)):
            if (taken := Identifier(function)) in functions:
                sentence = f"{functions[taken]} has the handler {taken} too; rename one"
                yield document.problem(f"{at}/name", "NAME_COLLISION", sentence)
            functions[taken] = f'the resource "{name}"'


def _check_uris(document: Document) -> Iterator[Problem]:
    """Yield URIs and templates that belong to two resources."""
    published = "contracts_as_resources" in as_object(document.value)
    taken = ["contract://{server}/{tool}"] if published else []
    for at, resource in list_items(document.value, "resources"):
        for key in ("uri", "uri_template"):
            address = resource.get(key)
            if not isinstance(address, str):
                continue
            for other in taken:
                if admits_uri(other, address) or admits_uri(address, other):
                    sentence = f"{other} and {address} are one URI, or one takes the other's; change one"
                    yield document.problem(f"{at}/{key}", "URI_TAKEN", sentence)
            taken.append(address)
