"""Pydantic models of a server's schemas, by datamodel-code-generator."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from codegen.contract import Contract, Schema, Tool
from codegen.documents import Document
from codegen.model_schemas import ModelSchemas, annotation
from codegen.references import Library, Target


def server_schemas(library: Library, contract: Contract, package: str) -> ModelSchemas:
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


def shared_models(library: Library, models: Models) -> str:
    """The text of shared.py, without its header; empty where no shared schema is a model."""
    documents = shared_documents(library)
    reserved = frozenset(name for document in documents for name in document.value["$defs"])
    schemas = ModelSchemas(library, None, None, reserved)
    for document in documents:
        for name, schema in document.value["$defs"].items():
            if Target(document, f"/$defs/{name}", schema).is_model and name not in schemas.found:
                schemas.add(name, document, schema)
    return models.classes(schemas.found) if schemas.found else ""


def shared_documents(library: Library) -> list[Document]:
    """The files whose schemas several servers use."""
    return [document for name, document in library.documents.items() if "/" not in name]


def page_item(schemas: ModelSchemas, tool: Tool) -> str:
    """What a page of a tool holds, as an annotation in server.py."""
    items = schemas.found[f"{tool.class_name}Result"]["properties"]["items"]["items"]
    name = items.get("$ref", "").rpartition("/")[2]
    return annotation(items, "shared" if "x-python-import" in schemas.found.get(name, {}) else "models")


@dataclass(frozen=True, slots=True)
class Models:
    """Texts of classes, made once: the model generator takes longer than all the rest of the compiler."""

    known: Mapping[str, str]
    """What an earlier run made, by a digest of the schemas."""
    used: dict[str, str] = field(default_factory=dict)
    """What this run needed, by the same."""

    def classes(self, schemas: Mapping[str, Any]) -> str:
        """The classes of schemas, by class name."""
        # The order of the schemas is that of the classes: it counts.
        key = hashlib.sha256(json.dumps(schemas).encode()).hexdigest()
        self.used[key] = self.known.get(key) or generated(schemas)
        return self.used[key]


def generated(schemas: Mapping[str, Any]) -> str:
    """Run the generator once over schemas by class name."""
    # Half a second of imports that an unchanged or faulty contract need not pay.
    from datamodel_code_generator import GenerateConfig, generate  # noqa: PLC0415
    from datamodel_code_generator.enums import DataModelType, InputFileType, NamingStrategy  # noqa: PLC0415
    from datamodel_code_generator.format import PythonVersion  # noqa: PLC0415
    from datamodel_code_generator.parser import LiteralType  # noqa: PLC0415

    config = GenerateConfig(
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.PydanticV2BaseModel,
        target_python_version=PythonVersion.PY_311,
        formatters=[],  # the renderer formats
        disable_timestamp=True,
        custom_file_header="# models",  # replaced by the renderer; without it the generator names its own version
        use_double_quotes=True,
        # Names made from the parents' names: adding a tool renames no class of another.
        naming_strategy=NamingStrategy.ParentPrefixed,
        enum_field_as_literal=LiteralType.All,
        use_annotated=True,
        field_constraints=True,
        strict_nullable=True,
        use_schema_description=True,
        use_field_description=True,
        use_attribute_docstrings=True,
        use_single_line_docstring=True,
        use_standard_collections=True,
        use_union_operator=True,
        enable_faux_immutability=True,
        allow_population_by_field_name=True,
        skip_root_model=True,
        allow_remote_refs=False,
        strict_refs=True,
        field_extra_keys_without_x_prefix={"x-validate_default"},
        aliases=field_names(schemas),
    )
    document = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": with_exact_numbers(dict(schemas))}
    text = generate(json.dumps(document), config=config)
    if not isinstance(text, str):
        raise TypeError("the model generator returned several modules for one document")
    module = text.partition("# models")[2].lstrip()
    wanted = {name for name, schema in schemas.items() if "x-python-import" not in schema}
    made = {node.name for node in ast.parse(module).body if isinstance(node, ast.ClassDef)}
    if made != wanted:
        raise RuntimeError(f"the model generator made other classes than it was asked for: {sorted(made ^ wanted)}")
    return with_validated_defaults(module)


def with_exact_numbers(schema: Any) -> Any:
    """The schema with every number an integer or a float: `float` alone makes 270.0 of 270, and rounds beyond 2**53."""
    if isinstance(schema, list):
        return [with_exact_numbers(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: part if key in {"default", "enum"} else with_exact_numbers(part) for key, part in schema.items()}
    return parts | {"type": ["integer", "number"]} if parts.get("type") == "number" else parts


def field_names(schemas: Mapping[str, Any]) -> dict[str, str]:
    """Names of our own for the members whose names Pydantic keeps for itself, with whatever the generator adds."""
    members = [name for schema in schemas.values() for name in schema.get("properties", {})]
    plain = {name: re.sub(r"\W", "_", name) for name in members}
    return {name: f"field_{text}" for name, text in plain.items() if text.startswith(("model_dump", "model_validate"))}


def with_validated_defaults(module: str) -> str:
    """The module with every default that must become a date, a UUID or a class moved to where Pydantic makes it one.

    As `name: Annotated[date, Field(validate_default=True)] = "2026-01-01"` it would be a string to the type checker.
    """
    text = module.encode()
    starts = [0, *(match.end() for match in re.finditer(rb"\n", text))]
    for declared in reversed(list(validated(ast.parse(module)))):
        begin = starts[declared.lineno - 1] + declared.col_offset
        end = starts[(declared.end_lineno or declared.lineno) - 1] + (declared.end_col_offset or 0)
        text = text[:begin] + moved(module, declared).encode() + text[end:]
    return text.decode()


def validated(module: ast.Module) -> Iterator[ast.AnnAssign]:
    """The fields of all classes whose default Pydantic validates."""
    for node in ast.walk(module):
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            keywords = (part.arg for part in ast.walk(node.annotation) if isinstance(part, ast.keyword))
            if "validate_default" in keywords:
                yield node


def moved(module: str, field: ast.AnnAssign) -> str:
    """A field with its default inside its `Field(...)`, before `validate_default=True`, which stands last."""
    name, annotated, value = (
        ast.get_source_segment(module, part) for part in (field.target, field.annotation, field.value) if part
    )
    before, marker, after = str(annotated).rpartition("validate_default=True")
    return f"{name}: {before}default={value}, {marker}{after}"
