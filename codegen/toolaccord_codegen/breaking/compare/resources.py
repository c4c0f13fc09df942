"""Compare the resources of a server.

A URI is a name, variables are arguments, and a content is a result.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.resources import Resource
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.asks import asking_changes
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.fields import field_changes
from toolaccord_codegen.breaking.compare.rate_limits import rate_limit_changes
from toolaccord_codegen.breaking.compare.schemas.comparison import schema_changes
from toolaccord_codegen.breaking.compare.schemas.schema_pair import Topic
from toolaccord_codegen.breaking.compare.schemas.texts import text_schema_changes
from toolaccord_codegen.breaking.compare.tools.errors import error_changes
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.loading.schema_nodes import ContractValue

ADDRESS = ("uri", "uri_template")
"""Keys of which each resource has one."""


def resource_changes(contract: ContractPair) -> Iterator[Change]:
    """Yield changes of the resources of a server."""
    before, after = (side.listed_by("resources", "name") for side in (contract.old, contract.new))
    renamed = {_address(value): name for name, value in after.items() if name not in before}
    for name, value in before.items():
        found = name if name in after else renamed.get(_address(value))
        if found is None:
            place, message = value.place.at("name"), f"the resource {name} was removed"
            yield contract.change("RESOURCE_REMOVED", message, "resources", old=place, subject=name)
            continue
        resource = contract.pair(value, after[found], label=f"resource {name}")
        if found != name:
            yield resource.change("RESOURCE_RENAMED", f"the name is now {found}", "name")
        yield from _one_resource_changes(resource)
    kept = {_address(value) for value in before.values()}
    for name, value in after.items():
        if name not in before and _address(value) not in kept:
            place, message = value.place.at("name"), f"the resource {name} is new"
            yield contract.change("RESOURCE_ADDED", message, "resources", new=place, subject=name)


def _address(resource: ContractValue) -> str:
    """Return the URI of a resource, or its template."""
    return str(next((resource.at(key).value for key in ADDRESS if resource.at(key).value is not None), None))


def _one_resource_changes(resource: ContractPair) -> Iterator[Change]:
    """Yield the changes of one resource."""
    before, after = _address(resource.old), _address(resource.new)
    if before != after:
        yield resource.change("RESOURCE_URI_CHANGED", f"the URI changed from {before} to {after}")
    yield from field_changes(resource, Resource)
    yield from _schema_changes(resource)
    yield from completion_changes(resource)
    yield from error_changes(resource)
    yield from rate_limit_changes(resource)
    yield from asking_changes(resource, "resource")


def _schema_changes(resource: ContractPair) -> Iterator[Change]:
    """Yield changes of the variables and of a JSON content that both sides have."""
    for key, direction, noun in (
        ("parameters", Direction.INPUT, "variable"),
        ("returns", Direction.OUTPUT, "content"),
    ):
        if None not in resource.values(key):
            whole = f"{resource.label}, {noun}"
            topic = Topic(direction=direction, noun=whole, whole=whole, subject=whole)
            compare = text_schema_changes if key == "parameters" else schema_changes
            yield from compare(topic, resource.old.node(key), resource.new.node(key))


def completion_changes(resource: ContractPair) -> Iterator[Change]:
    """Yield the variables, or the arguments of a prompt, that gained or lost completion."""
    keys = ("parameters", "properties")
    before, after = (
        {name for name, member in as_object(side).items() if "complete" in as_object(member)}
        for side in resource.values(*keys)
    )
    for name in sorted(after - before):
        yield resource.change("COMPLETION_ADDED", f"{name} has completions", *keys, name, detail=name)
    for name in sorted(before - after):
        yield resource.change("COMPLETION_REMOVED", f"{name} has no completions any more", *keys, name, detail=name)
