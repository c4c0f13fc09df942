"""Generated files of agents: modules, schemas, a folder for OpenCode and Prometheus rules."""

from __future__ import annotations

from toolaccord_codegen.compiler import Contracts
from toolaccord_codegen.emit.declarations.agents import declare_agent
from toolaccord_codegen.emit.hosts import format_configuration
from toolaccord_codegen.emit.models import ModelCache, annotate, annotate_payload, collect_agent_schemas
from toolaccord_codegen.emit.output_tree import Tree
from toolaccord_codegen.emit.schema_modules import render_agent_schemas
from toolaccord_codegen.emit.templating import render_template
from toolaccord_codegen.ir.agent import Agent
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.loading.json_layout import format_json
from toolaccord_codegen.naming import Identifier, format_docstring


def render_agent(contracts: Contracts, agent: Agent, layout: Layout, models: ModelCache) -> Tree:
    """Render the Python modules of one agent."""
    folder, names = f"{agent.system}/{agent.module}", agent.document.name
    schemas = collect_agent_schemas(contracts.library, agent, layout.package)

    roots = {
        "request": ("Request", agent.declared.input, f"Request to {agent.name}."),
        "result": ("Result", agent.declared.output, f"Result of {agent.name}."),
    }
    values = {
        key: annotate(schemas, agent.document, {"description": description, **schema}, agent.class_name + suffix)
        for key, (suffix, schema, description) in roots.items()
    }
    payloads = {event.name: annotate_payload(schemas, agent.document, event) for event in agent.events}
    about = {"agent": agent, "names": names}
    title = format_docstring(f"Requests and results of {agent.name}.\n\n{layout.header(names)}")
    handlers = f"{layout.handlers}.{agent.system}.{agent.module}"
    return {
        f"{folder}/__init__.py": render_template(
            "package.py", layout, title=f"{agent.name}: {agent.title}.", names=names
        ),
        f"{folder}/models.py": models.render_module(f"{folder}/models.py", title, schemas.classes),
        f"{folder}/schemas.py": render_agent_schemas(agent, layout),
        f"{folder}/agent.py": render_template(
            "agent.py",
            layout,
            declaration=declare_agent(agent, contracts.kinds, values["request"], values["result"]),
            handlers=handlers,
            payloads=payloads,
            kinds=contracts.kinds,
            **about,
            **values,
        ),
        f"{folder}/__main__.py": render_template("agent_main.py", layout, **about),
    }


def build_agent_files(agent: Agent, layout: Layout) -> Tree:
    """Build the files of one agent that are no Python."""
    folder = f"{agent.system}/{agent.module}"
    files: Tree = {
        f"{folder}/schemas/input.json": format_json(agent.input),
        f"{folder}/schemas/output.json": format_json(agent.output),
        **{f"{folder}/schemas/events/{event.name}.json": format_json(event.payload) for event in agent.events},
        f"{folder}/prometheus.rules.yml": render_template(
            "agent.rules.yml", layout, agent=agent, prefix=Identifier(agent.name)
        ),
    }
    if agent.batch:
        files[f"{folder}/schemas/batch_result.json"] = format_json(agent.batch.result)
    return files | _build_opencode_files(agent, layout, f"{folder}/opencode")


def _build_opencode_files(agent: Agent, layout: Layout, folder: str) -> Tree:
    """Build the folder in which OpenCode is the agent."""
    servers = [use.server for use in agent.uses]
    about = {"agent": agent, "note": layout.header(agent.document.name)}
    return {
        f"{folder}/opencode.json": format_configuration("opencode.json", servers, layout, agent),
        f"{folder}/.opencode/agent/{agent.name}.md": render_template(
            "opencode/agent.md", layout, output=format_json(agent.output).rstrip(), **about
        ),
        **{
            f"{folder}/.opencode/skills/{skill.name}/SKILL.md": render_template(
                "opencode/SKILL.md", layout, skill=skill, **about
            )
            for skill in agent.declared.agent.skills
        },
    }
