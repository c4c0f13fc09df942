"""Resources of a server by the URIs that clients send."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcp.shared.uri_template import UriTemplate

from toolaccord.declarations.resources import Resource
from toolaccord.json_values import JsonObject
from toolaccord.schema.string_values import parse_strings

_MAX_URI_CHARACTERS = 8000
"""Longest URI of a template, by RFC 9110, section 4.1; subscriptions hold many of them."""


class ResourceLookup:
    """Finds resources by URIs, those with one URI before those with a template."""

    def __init__(self, resources: Sequence[Resource[Any]]) -> None:
        self._by_uri = {resource.uri: resource for resource in resources if resource.uri}
        self._templates = [(UriTemplate.parse(each.uri_template), each) for each in resources if each.uri_template]

    def find(self, uri: str) -> tuple[Resource[Any], JsonObject] | None:
        """Return the resource of a URI and the values in it; None if there is none."""
        if uri in self._by_uri:
            return self._by_uri[uri], {}
        for template, resource in self._templates:
            # A template of level 1 has texts alone.
            texts: Any = template.match(uri, max_uri_length=_MAX_URI_CHARACTERS)
            if texts is not None and resource.read:
                return resource, parse_strings(resource.read.parameters, texts)
        return None
