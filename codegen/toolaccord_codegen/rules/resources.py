"""Rules for the resources of a server."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.resources import Resource
from toolaccord.contract.server_contracts import ServerContract
from toolaccord.semantics.uri_templates import admits_uri, are_adjacent, list_variables
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.naming import Identifier
from toolaccord_codegen.rules.completions import check_completions, completed_members
from toolaccord_codegen.rules.stores.rate_limit import check_rate_limit
from toolaccord_codegen.rules.tool import check_deadline, check_errors, check_read_effects
from toolaccord_codegen.rules.tool_view import OwnerView, Viewer, place_items

HANDLER_KEYS = ("effects", "deadline", "errors", "rate_limit", "subscribe", "asks", "uri_template")
"""Keys that only such a resource can have."""


def check_resources(viewer: Viewer) -> Iterator[Problem]:
    """Yield the problems of a contract's resources."""
    for view in viewer.view_resources():
        for check in (
            _check_keys,
            _check_variables,
            check_errors,
            check_read_effects,
            check_deadline,
            check_rate_limit,
        ):
            yield from check(view)
    yield from _check_names(viewer.document, viewer.contract)
    yield from _check_uris(viewer.document, viewer.contract)


def _check_keys(view: OwnerView[Resource]) -> Iterator[Problem]:
    """Yield keys that are missing beside others, and keys that others exclude."""
    resource = view.declared
    yield from check_completions(view, "RESOURCE_KEYS")
    if (resource.uri is None) == (resource.uri_template is None):
        yield view.problem("", "RESOURCE_KEYS", 'a resource has either a "uri" or a "uri_template"')
    if (resource.parameters is None) != (resource.uri_template is None):
        sentence = '"parameters" are the variables of a "uri_template"; add the other one, or remove this'
        yield view.problem("/parameters" if resource.parameters else "/uri_template", "RESOURCE_KEYS", sentence)
    is_json, has_returns = resource.content == "json", resource.returns is not None
    if is_json and not has_returns:
        yield view.problem("/content", "RESOURCE_KEYS", 'the content "json" needs "returns", the schema of the content')
    elif has_returns and not is_json:
        yield view.problem("/returns", "RESOURCE_KEYS", '"returns" is for the content "json" alone; remove it')
    elif is_json and "returns" in view.newest.resolved and not view.is_resolved_object("returns"):
        yield view.problem("/returns", "ROOT_NOT_OBJECT", 'the root of returns must have "type": "object"')
    yield from _check_static_keys(view)


def _check_static_keys(view: OwnerView[Resource]) -> Iterator[Problem]:
    """Yield keys that a static resource excludes, and those that any other needs."""
    static, content, written = view.declared.static, view.declared.content, view.list_written()
    if static is None:
        if view.declared.effects is None:
            sentence = 'a handler reads this resource, which needs "effects"; add it, or make the content "static"'
            yield view.problem("", "RESOURCE_KEYS", sentence)
        return
    for key in HANDLER_KEYS:
        if key in written:
            sentence = f'no handler reads a static resource, so "{key}" has no effect; remove it'
            yield view.problem(f"/{key}", "RESOURCE_KEYS", sentence)
    if content == "json":
        sentence = 'a handler gives the record of a "json" content; make a static one "text"'
        yield view.problem("/content", "RESOURCE_KEYS", sentence)
    elif content == "binary" and static.text is not None:
        yield view.problem("/static/text", "RESOURCE_KEYS", 'the content "binary" needs a "file", not a "text"')


def _check_variables(view: OwnerView[Resource]) -> Iterator[Problem]:
    """Yield variables and parameters without the other one, and ambiguous variables."""
    template, parameters = view.declared.uri_template, view.declared.parameters
    if template is None or parameters is None:
        return
    variables, members, required = list_variables(template), parameters["properties"], parameters.get("required", ())
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


def _check_names(document: Document, contract: ServerContract) -> Iterator[Problem]:
    """Yield resources whose handlers have the names of others."""
    functions = {str(Identifier(tool.name)): f'the tool "{tool.name}"' for tool in contract.tools}
    for at, resource in place_items("/resources", contract.resources):
        name, completed = resource.name, completed_members(resource)
        for function in (f"read_{name}", *(f"complete_{name}_{member}" for member in completed)):
            if (taken := Identifier(function)) in functions:
                sentence = f"{functions[taken]} has the handler {taken} too; rename one"
                yield document.problem(f"{at}/name", "NAME_COLLISION", sentence)
            functions[taken] = f'the resource "{name}"'


def _check_uris(document: Document, contract: ServerContract) -> Iterator[Problem]:
    """Yield URIs and templates that belong to two resources."""
    taken = ["contract://{server}/{tool}"] if contract.contracts_as_resources else []
    for at, resource in place_items("/resources", contract.resources):
        for key, address in (("uri", resource.uri), ("uri_template", resource.uri_template)):
            for other in taken if address else ():
                if admits_uri(other, address) or admits_uri(address, other):
                    sentence = f"{other} and {address} are one URI, or one takes the other's; change one"
                    yield document.problem(f"{at}/{key}", "URI_TAKEN", sentence)
            taken += [address] if address else []
