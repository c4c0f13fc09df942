"""Lists of prompts and resources, which the contract of a server alone decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from toolaccord.declarations.prompts import Prompt
from toolaccord.declarations.resources import Resource
from toolaccord.declarations.tool import Server
from toolaccord.json_values import JsonObject
from toolaccord.resources.static_content import static_size
from toolaccord.transports.mcp.capabilities import LISTS, ListMethod, server_capabilities


class ContractList(NamedTuple):
    """A list as the result of a method; it has one page."""

    noun: str
    """Plural for the items of the list."""
    page: Callable[[Server[Any]], JsonObject]
    """Returns the page of a server."""


def contract_lists(server: Server[Any]) -> dict[ListMethod, ContractList]:
    """Return the lists that *server* has, by method."""
    capabilities = server_capabilities(server)
    return {method: each for method, each in _LISTS.items() if LISTS[method] in capabilities}


def _list_prompts(server: Server[Any]) -> JsonObject:
    return {"prompts": [*map(_describe_prompt, server.prompts)]}


def _list_resources(server: Server[Any]) -> JsonObject:
    """Return the resources that have one URI."""
    return {"resources": [_describe_resource(each, {"uri": each.uri}) for each in server.resources if each.uri]}


def _list_templates(server: Server[Any]) -> JsonObject:
    """Return the templates of the other resources."""
    return {
        "resourceTemplates": [
            _describe_resource(each, {"uriTemplate": each.uri_template})
            for each in server.resources
            if each.uri_template
        ]
    }


def _describe_prompt(prompt: Prompt[Any]) -> JsonObject:
    required = prompt.parameters.get("required", ())
    arguments = [
        {"name": name}
        | {key: member[key] for key in ("title", "description") if key in member}
        | {"required": name in required}
        for name, member in prompt.parameters["properties"].items()
    ]
    return {"name": prompt.name, **_title(prompt), "description": prompt.description, "arguments": arguments}


def _describe_resource(resource: Resource[Any], address: JsonObject) -> JsonObject:
    size = static_size(resource)
    return {
        **address,
        "name": resource.name,
        **_title(resource),
        "description": resource.description,
        "mimeType": resource.mime_type,
        **({} if size is None else {"size": size}),
    }


def _title(named: Prompt[Any] | Resource[Any]) -> JsonObject:
    return {} if named.title is None else {"title": named.title}


_LISTS: Mapping[ListMethod, ContractList] = {
    "prompts/list": ContractList("prompts", _list_prompts),
    "resources/list": ContractList("resources", _list_resources),
    "resources/templates/list": ContractList("resource templates", _list_templates),
}
