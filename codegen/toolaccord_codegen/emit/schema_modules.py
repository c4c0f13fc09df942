"""The module schemas.py of a server or an agent: each JSON Schema as a constant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from toolaccord_codegen.emit.schema_parts import PartStyle, share_parts
from toolaccord_codegen.emit.templating import render_template
from toolaccord_codegen.ir.agent import Agent
from toolaccord_codegen.ir.contract import Contract, Event
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.ir.tool import Schema, Tool
from toolaccord_codegen.naming import ConstantName, NameReference

CONSTANTS = PartStyle(join=lambda words: f"_{ConstantName('_'.join(words))}", refer=NameReference)
"""Names and references of the schemas of a module; those of repeated parts are private."""


class _Constant(NamedTuple):
    """Schema that other modules import."""

    name: str
    schema: Mapping[str, Any]
    docstring: str


def render_server_schemas(contract: Contract, layout: Layout) -> str:
    """Render the schemas of a server."""
    return _render(contract.name, contract.document.name, _list_server_constants(contract), layout)


def render_agent_schemas(agent: Agent, layout: Layout) -> str:
    """Render the schemas of an agent."""
    return _render(f"the agent {agent.name}", agent.document.name, _list_agent_constants(agent), layout)


def _render(owner: str, names: str, constants: Iterable[_Constant], layout: Layout) -> str:
    """Render a module of constants."""
    roots = {each.name: each for each in constants}
    schemas = share_parts({name: each.schema for name, each in roots.items()}, CONSTANTS)
    return render_template("schemas.py", layout, owner=owner, names=names, roots=roots, schemas=schemas)


def _list_server_constants(contract: Contract) -> Iterator[_Constant]:
    for tool in contract.tools:
        yield from _list_tool_constants(tool)
    for each in contract.read_resources:
        yield _Constant(
            f"{each.constant}_PARAMETERS", each.parameters, f"Schema of the variables in the URI of {each.name}."
        )
        if each.returns is not None:
            yield _Constant(f"{each.constant}_RETURNS", each.returns, f"Schema of the content of {each.name}.")
    for prompt in contract.prompts:
        docstring = f"Schema of the arguments of the prompt {prompt.name}."
        yield _Constant(f"{prompt.constant}_PARAMETERS", prompt.parameters, docstring)
    for form in contract.forms:
        docstring = f"Schema of the form of the ask {form.name}."
        yield _Constant(f"{form.constant}_FORM", _publish_form(form.schema), docstring)
    yield from _list_payloads(contract.events)


def _list_tool_constants(tool: Tool) -> Iterator[_Constant]:
    """List the schemas of a tool: the newest version's, then those of the older ones."""
    name = tool.constant
    yield _Constant(f"{name}_PARAMETERS", tool.parameters, f"Schema of the arguments of {tool.name}.")
    if tool.has_result:
        yield _Constant(f"{name}_RETURNS", tool.returns, "Schema of the handler's result.")
    for each in tool.versions:
        end = f"of version {each.version}."
        yield _Constant(f"{name}_PARAMETERS_{each.constant}", each.parameters, f"Schema of the arguments {end}")
        if tool.has_result:
            yield _Constant(f"{name}_RETURNS_{each.constant}", each.returns, f"Schema of the result {end}")


def _list_agent_constants(agent: Agent) -> Iterator[_Constant]:
    yield _Constant("INPUT", agent.input, "Schema of a request.")
    yield _Constant("OUTPUT", agent.output, "Schema of a result.")
    if agent.batch:
        yield _Constant("BATCH_RESULT", agent.batch.result, "Schema of a batch's result.")
    yield from _list_payloads(agent.events)


def _list_payloads(events: Iterable[Event]) -> Iterator[_Constant]:
    for event in events:
        yield _Constant(f"{event.constant}_PAYLOAD", event.payload, f"Schema of the payload of the event {event.name}.")


def _publish_form(form: Schema) -> Schema:
    """Return a form as MCP publishes it; titles of an enum are its `enumNames`."""
    members = {
        name: {{"x-enum-names": "enumNames"}.get(key, key): part for key, part in member.items()}
        for name, member in form["properties"].items()
    }
    return {key: part for key, part in {**form, "properties": members}.items() if key != "additionalProperties"}
