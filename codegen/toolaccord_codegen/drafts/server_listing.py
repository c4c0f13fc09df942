"""Drafts of what a running MCP server lists: tools, resources and prompts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolaccord_codegen.drafts.contract import (
    TIMEOUT_MS,
    Draft,
    Identity,
    as_text,
    assemble,
    describe_mcp_server,
    describe_server,
)
from toolaccord_codegen.drafts.definitions import Definitions
from toolaccord_codegen.drafts.effects import draft_effects
from toolaccord_codegen.drafts.forwards import ForwardedTool
from toolaccord_codegen.drafts.json_values import clean_json
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.drafts.names import Names, reserve_models
from toolaccord_codegen.drafts.prompts import draft_prompts
from toolaccord_codegen.drafts.resources import draft_resources
from toolaccord_codegen.drafts.roots import draft_parameters, draft_returns, find_example
from toolaccord_codegen.drafts.shared_models import share_models
from toolaccord_codegen.loading.references import as_array, as_object

Record = dict[str, Any]
KINDS = ("text", "image", "audio", "resource", "resource_link")
"""The kinds of content."""
KNOWN_KEYS = frozenset({"name", "title", "description", "inputSchema", "outputSchema", "annotations"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The lists of a server, as JSON of MCP."""

    server: Mapping[str, Any]
    """Its `serverInfo`, and its `instructions`."""
    tools: list[Any]
    resources: list[Any]
    templates: list[Any]
    prompts: list[Any]
    address: str | None = None
    """Its URL, or the command that starts it; None if unknown."""
    unreadable: Mapping[str, str] = field(default_factory=dict)
    """Lists that it did not send, with the reasons."""


def draft_listing(listing: Listing, identity: Identity) -> Draft:
    """Return the contract of a server that lists the same, and the differences.

    Any JSON is taken, also a listing that breaks MCP.
    """
    losses = Losses()
    names = Names(identity.mcp_name, losses)
    info = as_object(clean_json(dict(listing.server), losses, "/server"))
    server = describe_server(
        identity, info.get("title") or info.get("name"), info.get("version"), info.get("description"), losses
    )
    if as_text(info.get("instructions"), ""):
        server["instructions"] = info["instructions"]
    for key, reason in listing.unreadable.items():
        losses.drop(f"/{key}", key, Effect.NARROWER, f"the server does not send this list: {reason}")
    drafted = [*_draft_tools(listing, names, losses)]
    resources = draft_resources(listing.resources, listing.templates, names, losses)
    prompts = draft_prompts(listing.prompts, names, losses)
    functions = [each["name"] for each in drafted]
    functions += [f"read_{each['name']}" for each in resources] + [f"prompt_{each['name']}" for each in prompts]
    tools, models = share_models(drafted, identity.taken | reserve_models(functions))
    parts = {"tools": tools, "resources": resources, "prompts": prompts, "$defs": models}
    original = describe_mcp_server(identity, listing.address) if listing.address else None
    contract = assemble(identity, server, parts, original=original)
    originals = filter(None, map(_original_name, listing.tools)) if original else ()
    forwards = {tool["name"]: ForwardedTool(original=name) for tool, name in zip(drafted, originals, strict=False)}
    return Draft(contract=contract, losses=tuple(losses.found), forwards=forwards)


def _original_name(tool: Any) -> str | None:
    """Return the name of a tool; None without one."""
    name = as_object(tool).get("name")
    return name if isinstance(name, str) and name else None


def _draft_tools(listing: Listing, names: Names, losses: Losses) -> Iterator[Record]:
    """Yield each tool that has a name."""
    for index, each in enumerate(listing.tools):
        original = _original_name(each)
        if original is None:
            losses.drop(f"/tools/{index}", "tool", Effect.NARROWER, "it has no name")
            continue
        with losses.of(f"tool {original}"):
            yield _draft_tool(clean_json(each, losses), names, losses, forwards=listing.address is not None)


def _draft_tool(tool: Record, names: Names, losses: Losses, *, forwards: bool) -> Record:
    """Return the contract of one tool; one that *forwards* returns content of every kind."""
    name = names.tool(tool["name"])
    annotations = as_object(tool.get("annotations"))
    title = as_text(tool.get("title"), as_text(annotations.get("title"), ""))
    arguments = Definitions(tool.get("inputSchema"), "/inputSchema")
    parameters = draft_parameters(tool.get("inputSchema"), "/inputSchema", arguments, losses)
    example: Record = {"arguments": find_example(parameters, arguments)}
    drafted: Record = {"name": name, **({"title": title} if title else {}), "version": "1.0.0"}
    drafted["description"] = as_text(tool.get("description"), title or name)
    drafted |= {"effects": draft_effects(annotations, losses, forwards=forwards), "parameters": parameters}
    if isinstance(tool.get("outputSchema"), dict):
        results = Definitions(tool["outputSchema"], "/outputSchema")
        drafted["returns"] = draft_returns(tool["outputSchema"], "/outputSchema", results, losses)
        example["returns"] = find_example(drafted["returns"], results)
    else:
        drafted["content"] = [*KINDS] if forwards else ["text"]
    for key in tool.keys() - KNOWN_KEYS:
        losses.drop(f"/{key}", key, Effect.SAME, "the language has no such key of a tool")
    return drafted | {"deadline": {"timeout_ms": TIMEOUT_MS}, "examples": [complete_example(example)]}


def complete_example(example: Record) -> Record:
    """Return an example, or one of invalid arguments where no valid value was found."""
    if None in example.values():
        return {"arguments": as_object(example["arguments"]), "error": "INVALID_ARGUMENTS"}
    return example


def read_listing(document: Any) -> Listing:
    """Return the listing in a JSON document: an array of tools, or a result of MCP.

    Raises ValueError for any other document.
    """
    known = {"tools": document} if isinstance(document, list) else as_object(document)
    known = as_object(known.get("result")) or known
    if not as_array(known.get("tools")) and not as_array(known.get("prompts")):
        raise ValueError('it holds no tools: an array of them, or an object with the array "tools", is expected')
    return Listing(
        server=as_object(known.get("serverInfo")) | {k: v for k, v in known.items() if k == "instructions"},
        tools=as_array(known.get("tools")),
        resources=as_array(known.get("resources")),
        templates=as_array(known.get("resourceTemplates")),
        prompts=as_array(known.get("prompts")),
        unreadable={key: str(reason) for key, reason in as_object(known.get("unreadable")).items()},
    )
