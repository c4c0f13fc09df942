"""Lint rules for the resources of a contract."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord_codegen.lint.issues import Addition, Issue
from toolaccord_codegen.loading.schema_nodes import ContractValue


def check_resource(resource: ContractValue) -> Iterator[Issue]:
    """Yield static contents without advice on caching, and listed values that complete nothing."""
    name = resource.at("name").value
    if resource.at("static").value is not None and resource.at("cache").value is None:
        message = f'{name} never changes, and clients read it again each time; add a "cache" with its ttl_s and scope'
        yield Issue("STATIC_WITHOUT_CACHE", resource.place.key_place(), message)
    yield from check_completion(resource)


def check_completion(owner: ContractValue) -> Iterator[Issue]:
    """Yield the listed values of a resource or a prompt that complete nothing."""
    name, parameters = owner.at("name").value, owner.node("parameters")
    for member in parameters.properties:
        node = parameters.child("properties", member)
        if isinstance(node.value("enum"), list) and node.value("complete") is None:
            message = f'people type the {member} of {name} without help; add "complete": true'
            addition = Addition(node.place, "complete", True)
            yield Issue("ENUM_WITHOUT_COMPLETION", node.place.key_place(), message, additions=(addition,))
