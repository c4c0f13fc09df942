"""Templates and their filters, through which all text of a contract enters generated files."""

from __future__ import annotations

import json
import textwrap
from datetime import date
from functools import cache, partial
from typing import Any

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined

from toolaccord.contract.asks import Ask, Sampling
from toolaccord.contract.operations import When
from toolaccord.semantics.effects import may_change
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord.semantics.releases import VERSION, release_of
from toolaccord.semantics.version_steps import ABSENT, Step
from toolaccord_codegen.diagnostics import escape_unprintable
from toolaccord_codegen.emit.model_schemas import SCALARS
from toolaccord_codegen.ir.contract import Form
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.ir.privileges import collect_privileges, quote_table, quote_table_as_text
from toolaccord_codegen.ir.resources import Resource
from toolaccord_codegen.ir.tool import Schema, Tool
from toolaccord_codegen.loading.json_layout import format_json
from toolaccord_codegen.loading.references import subschemas
from toolaccord_codegen.naming import (
    Identifier,
    end_sentence,
    format_docstring,
    format_literal,
    host_tool_name,
)


def render_template(template: str, layout: Layout | None = None, **values: Any) -> str:
    """Render `{template}.jinja`; the text of a JSON file gets the usual indentation."""
    text = _load_templates().get_template(f"{template}.jinja").render(layout=layout, **values)
    return format_json(json.loads(text)) if template.endswith(".json") else text


@cache
def _load_templates() -> Environment:
    """Load the templates with their filters."""
    environment = Environment(
        loader=PackageLoader("toolaccord_codegen.emit"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - no HTML: `literal`, `docstring`, `json` and `yaml` escape
    )
    environment.tests["changing"] = may_change
    environment.globals["release"] = release_of(VERSION)
    environment.filters |= {
        "admits_null": has_nullable_member,
        "answer_type": _annotate_answer,
        "annotation": {**SCALARS, "array": "list[dict[str, Any]]"}.__getitem__,
        "binding": _format_binding,
        "comment": _format_comment,
        "content_type": annotate_resource,
        "day": _format_day,
        "docstring": format_docstring,
        "end_sentence": end_sentence,
        "host_name": host_tool_name,
        "identifier": Identifier,
        "json": json.dumps,
        "literal": format_literal,
        "method_description": _describe_method,
        "shorten": partial(textwrap.shorten, placeholder=" …"),
        "privileges": collect_privileges,
        "sql_name": quote_table,
        "sql_text": quote_table_as_text,
        "step": _format_step,
        "yaml": _format_yaml,
    }
    return environment


def has_nullable_member(schema: Schema, *, required: bool = False) -> bool:
    """Tell if some member may be null.

    With *required*, only a required one counts, or one of the outermost object that may be any JSON.
    """
    return any(
        (not required or name in part.get("required", ()) or (not pointer and _admits_any_json(member)))
        and _admits_null(member)
        for pointer, part in subschemas(schema, "")
        for name, member in part.get("properties", {}).items()
    )


def _admits_any_json(schema: Schema) -> bool:
    """Tell if a schema does not restrict the type, so that null is a value like any other."""
    return schema.keys().isdisjoint(("type", "anyOf", "oneOf", "enum", "const"))


def _admits_null(schema: Schema) -> bool:
    """Tell if a schema admits null."""
    types = schema.get("type")
    if types is not None:
        return "null" in ([types] if isinstance(types, str) else types)
    branches = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    return any(map(_admits_null, branches)) if branches else None in schema.get("enum", [schema.get("const")])


def _annotate_answer(ask: Ask) -> str:
    """Annotate the answer to an ask."""
    if isinstance(ask, Form):
        return f"Accepted[models.{ask.class_name}] | Declined | Cancelled"
    return "Sampled | Declined" if isinstance(ask, Sampling) else "tuple[Root, ...] | Declined"


def _format_binding(when: When | None) -> str:
    """Format an error's `when` as an argument of DeclaredError; empty if it has none."""
    if when is None:
        return ""
    if when.occasion:
        return f", when=On({format_literal(when.occasion)})"
    keyword = f", keyword={format_literal(when.keyword)}" if when.keyword else ""
    return f", when=At({format_literal(when.at)}{keyword})"


def _format_day(day: str | None) -> str:
    """Format a day as a Python expression."""
    return format_literal(day and date.fromisoformat(day))


def annotate_resource(resource: Resource) -> str:
    """Annotate the content of a resource."""
    return {"text": "str", "binary": "bytes"}.get(resource.content, f"models.{resource.class_name}Result")


def _describe_method(tool: Tool | Resource) -> str:
    """Write the docstring of a client's method: the description and the declared errors."""
    errors = [f"* {error.class_name}: {end_sentence(' '.join(error.description.split()))}" for error in tool.errors]
    return "\n\n".join([tool.description, *(["\n".join(["May raise:", *errors])] if errors else [])])


def _format_step(step: Step, suffix: str) -> str:
    """Format a step as a Python expression; *suffix* ends the name of a lookup function."""
    arguments = [format_literal(join_pointer("", *path)) for path in (step.source, step.target) if path]
    if step.constant is not ABSENT:
        arguments.append(format_literal(step.constant))
    if step.values:
        arguments.append(f"values={step.values!r}")
    if step.lookup:
        arguments.append(f"lookup=handlers.{step.lookup}{suffix}")
    function = "add" if not step.source else "move" if step.target else "drop"
    return f"{function}({', '.join(arguments)})"


def _format_comment(text: str) -> str:
    """Format text as the rest of a line, which ends nowhere else."""
    return escape_unprintable(" ".join(text.split()))


def _format_yaml(text: str) -> str:
    """Format text as a YAML scalar on one line, in quotes only if it needs them."""
    return yaml.safe_dump(text, width=float("inf"), allow_unicode=True).partition("\n")[0]
