"""Templates and their filters, through which all text of a contract enters generated files."""

from __future__ import annotations

import json
import sys
import textwrap
from contextlib import suppress
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import jinja2
import yaml
from jinja2 import Environment, FileSystemBytecodeCache, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket

from toolaccord.contract.asks import Sampling
from toolaccord.contract.documents import Ask
from toolaccord.semantics.effects import may_change
from toolaccord.semantics.releases import VERSION, release_of
from toolaccord_codegen.diagnostics import escape_unprintable
from toolaccord_codegen.emit.declarations.literals import list_imports
from toolaccord_codegen.emit.declarations.parts import declare_errors
from toolaccord_codegen.emit.model_schemas import SCALARS, has_nullable_member
from toolaccord_codegen.ir.contract import Form
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.ir.privileges import collect_privileges, quote_table, quote_table_as_text
from toolaccord_codegen.ir.resources import Resource
from toolaccord_codegen.ir.tool import Tool
from toolaccord_codegen.loading.json_layout import format_json
from toolaccord_codegen.naming import (
    ConstantName,
    Identifier,
    end_sentence,
    format_docstring,
    format_literal,
    host_tool_name,
)

_COMPILED = f"%s.jinja.{sys.implementation.cache_tag}.cache"
"""The pattern of the names of compiled templates."""


class CompiledTemplates(FileSystemBytecodeCache):
    """Templates that earlier runs compiled, which lie beside the compiled modules of Python."""

    def get_source_checksum(self, source: str) -> str:
        """Return a digest of a template and of what compiles it: jinja2 with its options."""
        return sha256(f"{jinja2.__version__}\0{_read_own_text()}\0{source}".encode()).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a compiled template, if there is a whole one."""
        try:
            super().load_bytecode(bucket)
        except Exception:
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store a compiled template, unless Python stores no compiled modules either."""
        if not sys.dont_write_bytecode:
            with suppress(OSError):  # the folder is missing or read-only, so each run compiles its own
                super().dump_bytecode(bucket)


def render_template(template: str, layout: Layout | None = None, **values: Any) -> str:
    """Render `{template}.jinja`; the text of a JSON file gets the usual indentation."""
    text = _load_templates().get_template(f"{template}.jinja").render(layout=layout, **values)
    return format_json(json.loads(text)) if template.endswith(".json") else text


@cache
def _read_own_text() -> str:
    return Path(__file__).read_text("utf-8")


@cache
def _load_templates() -> Environment:
    """Load the templates with their filters."""
    environment = Environment(
        loader=PackageLoader("toolaccord_codegen.emit"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        bytecode_cache=CompiledTemplates(str(Path(__file__).with_name("__pycache__")), _COMPILED),
        autoescape=False,  # noqa: S701 - no HTML: `literal`, `docstring`, `json` and `yaml` escape
    )
    environment.tests["changing"] = may_change
    environment.globals["release"] = release_of(VERSION)
    environment.filters |= {
        "admits_null": has_nullable_member,
        "answer_type": _annotate_answer,
        "annotation": {**SCALARS, "array": "list[dict[str, Any]]"}.__getitem__,
        "comment": _format_comment,
        "constant": ConstantName,
        "content_type": annotate_resource,
        "declared_errors": declare_errors,
        "docstring": format_docstring,
        "end_sentence": end_sentence,
        "host_name": host_tool_name,
        "identifier": Identifier,
        "imports": list_imports,
        "json": json.dumps,
        "literal": format_literal,
        "method_description": _describe_method,
        "shorten": partial(textwrap.shorten, placeholder=" …"),
        "privileges": collect_privileges,
        "sql_name": quote_table,
        "sql_text": quote_table_as_text,
        "yaml": _format_yaml,
    }
    return environment


def _annotate_answer(ask: Ask) -> str:
    """Annotate the answer to an ask."""
    if isinstance(ask, Form):
        return f"Accepted[models.{ask.class_name}] | Declined | Cancelled"
    return "Sampled | Declined" if isinstance(ask, Sampling) else "tuple[Root, ...] | Declined"


def annotate_resource(resource: Resource) -> str:
    """Annotate the content of a resource."""
    return {"text": "str", "binary": "bytes"}.get(resource.content, f"models.{resource.class_name}Result")


def _describe_method(tool: Tool | Resource) -> str:
    """Write the docstring of a client's method: the description and the declared errors."""
    errors = [f"* {error.class_name}: {end_sentence(' '.join(error.description.split()))}" for error in tool.errors]
    return "\n\n".join([tool.description, *(["\n".join(["May raise:", *errors])] if errors else [])])


def _format_comment(text: str) -> str:
    """Format text as the rest of a line, which ends nowhere else."""
    return escape_unprintable(" ".join(text.split()))


def _format_yaml(text: str) -> str:
    """Format text as a YAML scalar on one line, in quotes only if it needs them."""
    return yaml.safe_dump(text, width=float("inf"), allow_unicode=True).partition("\n")[0]
