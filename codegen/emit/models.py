"""Pydantic models of a server's schemas, and of the files that several servers share, by datamodel-code-generator."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias
from unicodedata import normalize

from codegen.emit.model_schemas import ModelSchemas, annotation
from codegen.emit.output_tree import Tree, current, digest
from codegen.ir.contract import Contract, Schema, Tool
from codegen.loading.documents import Document
from codegen.loading.references import ReferenceTarget, SchemaLibrary

Schemas: TypeAlias = Mapping[str, Mapping[str, Any]]
"""By class name: an object's schema, or where a class of this name is imported from."""
TEMPLATES = Path(__file__).with_name("templates")
PROTECTED = ("model_dump", "model_validate")
"""What no field's name may begin with: Pydantic warns of it whenever the module is loaded."""


@dataclass(frozen=True, slots=True)
class Models:
    """Modules of models: as they lie in the output folder where their schemas are what they were, else made anew."""

    folder: Path = Path()
    """The output folder."""
    known: Mapping[str, str] = field(default_factory=dict)
    """Digests of modules that this compiler made, with what it made them of, by path."""
    sources: dict[str, str] = field(default_factory=dict)
    """Digests of what the modules of this run are made of, by path; it grows."""

    def text(self, path: str, header: str, schemas: Schemas) -> str:
        """A module below the output folder that begins with *header*, as text."""
        # The order of the schemas is that of the classes: it counts.
        self.sources[path] = digest(json.dumps([header, schemas]))
        found = current(self.folder / path) if path in self.known else None
        return found if found is not None and self.made(path, found) == self.known[path] else module(header, schemas)

    def made(self, path: str, text: str) -> str:
        """A digest of a module and of what it is made of."""
        return digest(self.sources[path] + digest(text))

    def remembered(self, tree: Tree) -> dict[str, str]:
        """The digests of this run's modules, by path, as the next run needs to know them."""
        return {path: self.made(path, tree[path]) for path in self.sources}


def server_schemas(library: SchemaLibrary, contract: Contract, package: str) -> ModelSchemas:
    """The schemas that become the classes of a server's models.py."""
    pages = {
        f"{tool.class_name}ResultItemsItem": f"{tool.class_name}ResultItem" for tool in contract.tools if tool.paginated
    }
    tools = {f"{tool.class_name}{suffix}" for tool in contract.tools for suffix in ("Request", "Result")}
    documents = [contract.document, *shared_documents(library)]
    named = {name for document in documents for name in document.value.get("$defs", {})}
    reserved = frozenset({*tools, *pages.values(), *named})
    schemas = ModelSchemas(library, contract.document, f"{package}.shared", reserved, pages)
    for tool in contract.tools:
        add_root(schemas, contract, f"{tool.class_name}Request", tool.raw_parameters, f"What {tool.name} takes.")
        add_root(schemas, contract, f"{tool.class_name}Result", tool.raw_returns, f"What {tool.name} gives.")
    return schemas


def add_root(schemas: ModelSchemas, contract: Contract, name: str, schema: Schema, description: str) -> None:
    """Take a tool's own schema; a reference at its root is followed, so that the class bears the tool's name."""
    document, whole = schemas.written_out(contract.document, schema)
    schemas.add(name, document, {"description": description, **whole})


def shared_schemas(library: SchemaLibrary) -> ModelSchemas:
    """The schemas that become the classes of shared.py; none where no shared schema is a model."""
    documents = shared_documents(library)
    reserved = frozenset(name for document in documents for name in document.value["$defs"])
    schemas = ModelSchemas(library, None, None, reserved)
    for document in documents:
        for name, schema in document.value["$defs"].items():
            if ReferenceTarget(document, f"/$defs/{name}", schema).is_model and name not in schemas.found:
                schemas.add(name, document, schema)
    return schemas


def shared_documents(library: SchemaLibrary) -> list[Document]:
    """The files whose schemas several servers use."""
    return [document for name, document in library.documents.items() if "/" not in name]


def page_item(schemas: ModelSchemas, tool: Tool) -> str:
    """What a page of a tool holds, as an annotation in server.py: records, or the rows that they would be made of."""
    items = schemas.found[f"{tool.class_name}Result"]["properties"]["items"]["items"]
    name = items.get("$ref", "").rpartition("/")[2]
    item = annotation(items, "shared" if "x-python-import" in schemas.found.get(name, {}) else "models")
    return f"{item} | Row" if name else item


def module(header: str, schemas: Schemas) -> str:
    """The text of a module that begins with *header* and has the classes of *schemas*.

    Raises RuntimeError where the generator calls a class other than it was asked to: server.py calls it so.
    """
    # Half a second of imports that nobody waits for whose schemas are as they were.
    from datamodel_code_generator import GenerateConfig, generate  # noqa: PLC0415
    from datamodel_code_generator.enums import DataModelType, InputFileType  # noqa: PLC0415
    from datamodel_code_generator.format import PythonVersion  # noqa: PLC0415
    from datamodel_code_generator.parser import LiteralType  # noqa: PLC0415

    config = GenerateConfig(
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.PydanticV2BaseModel,
        target_python_version=PythonVersion.PY_311,
        custom_file_header=header,
        custom_template_dir=TEMPLATES,
        formatters=[],  # all files are formatted at once
        custom_class_name_generator=str,  # names are given: a new tool renames no class of another
        aliases=field_names(schemas),
        skip_root_model=True,
        enum_field_as_literal=LiteralType.All,
        field_constraints=True,
        use_annotated=True,
        strict_nullable=True,
        field_extra_keys_without_x_prefix={"x-validate_default"},
        use_schema_description=True,
        use_field_description=True,
        use_single_line_docstring=True,
        enable_faux_immutability=True,
        allow_population_by_field_name=True,
        allow_remote_refs=False,
        strict_refs=True,
    )
    document = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": schemas}
    text = str(generate(json.dumps(document), config=config))
    wanted = {name for name, schema in schemas.items() if "x-python-import" not in schema}
    if (found := set(re.findall(r"(?m)^class (\w+)", text))) != wanted:
        raise RuntimeError(f"the model generator made other classes than it was asked for: {sorted(found ^ wanted)}")
    return with_converted_defaults(text)


def field_names(schemas: Schemas) -> dict[str, str]:
    """By class and member, names for fields that would have none: Pydantic keeps some, and Python reads some as others."""
    members = ((name, member) for name, schema in schemas.items() for member in schema.get("properties", ()))
    names = ((name, member, normalize("NFKC", member)) for name, member in members)
    return {
        f"{name}.{member}": "field_" + re.sub(r"\W", "_", plain)
        for name, member, plain in names
        if member.startswith(PROTECTED) or plain != member
    }


def with_converted_defaults(text: str) -> str:
    """A module in which every default that Pydantic converts to a date, a UUID or a class stands in its `Field(...)`.

    The generator writes `day: Annotated[date, Field(validate_default=True)] = "2026-01-31"`, which is a string to the
    type checker where a date is expected.
    """
    if "validate_default" not in text:
        return text
    lines = text.split("\n")
    fields = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.AnnAssign)]
    for declared in reversed(fields):
        value = declared.value
        call = next((node for node in ast.walk(declared.annotation) if isinstance(node, ast.Call)), None)
        if value and call and call.keywords[-1].arg == "validate_default":
            call.keywords.insert(-1, ast.keyword("default", value))
            declared.value = None
            lines[declared.lineno - 1 : declared.end_lineno] = [f"    {ast.unparse(declared)}"]
    return "\n".join(lines)
