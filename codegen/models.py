"""Pydantic models of a server's schemas, by datamodel-code-generator.

Models are for types: a handler's editor and type checker. The gate is the contract itself, so what a model cannot
say as JSON Schema says it (patterns, exact multiples) is left out of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from codegen.contract import Contract, Schema, Tool
from codegen.documents import Document
from codegen.naming import printable, sentence, wrapped
from codegen.references import Library, Target, as_object

LEFT_OUT = frozenset({"$schema", "title", "examples", "pattern", "multipleOf"})
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
WIDTH = 110


@dataclass(slots=True)
class ModelSchemas:
    """Collects the schemas that become classes of one module, by class name."""

    library: Library
    shared_module: str | None
    """The module that has the models of shared files; None when that module itself is made."""
    found: dict[str, Any] = field(default_factory=dict)

    def add(self, name: str, document: Document, schema: Schema) -> None:
        """Take a schema, and the schemas it refers to."""
        self.found[name] = {}
        self.found[name] = self.converted(document, schema)

    def converted(self, document: Document, schema: Schema) -> dict[str, Any]:
        """A schema as the generator takes it: references to models kept, all others written out."""
        if "$ref" in schema:
            target = self.library.target(document, schema["$ref"])
            if target.name and target.is_model and self.is_class(document, target):
                return self.reference(target, schema)
            return self.converted(target.document, {**target.schema, **without_reference(schema)})
        kept = {key: part for key, part in schema.items() if key not in LEFT_OUT and not key.startswith("x-")}
        result = {key: self.converted_keyword(document, key, part) for key, part in kept.items()}
        if "properties" in result:
            result.setdefault("additionalProperties", True)
            if "description" in result:
                result["description"] = sentence(result["description"])
        return result

    def converted_keyword(self, document: Document, key: str, part: Any) -> Any:
        """One keyword of a schema as the generator takes it."""
        if key == "properties":
            return {name: self.converted(document, value) for name, value in part.items()}
        if key in {"anyOf", "oneOf"}:
            return [self.converted(document, value) for value in part]
        if key == "items" or (key == "additionalProperties" and isinstance(part, dict)):
            return self.converted(document, part)
        if key == "description":
            return "\n".join(wrapped(printable(part), WIDTH))
        return part

    def is_class(self, document: Document, target: Target) -> bool:
        """Whether a target has a class here: of this contract, or of a shared file. Another server's is written out."""
        return target.document is document or "/" not in target.document.name

    def reference(self, target: Target, schema: Schema) -> dict[str, Any]:
        """A reference to a class, of this module or of the shared one."""
        name = str(target.name)
        is_shared = "/" not in target.document.name and self.shared_module is not None
        if is_shared:
            self.found[name] = {"x-python-import": {"module": self.shared_module, "name": name}}
        elif name not in self.found:
            self.add(name, target.document, target.schema)
        description = schema.get("description")
        beside = (
            {}
            if description is None
            else {"description": self.converted_keyword(target.document, "description", description)}
        )
        return {"$ref": f"#/$defs/{name}", **beside}


def server_models(library: Library, contract: Contract, package: str) -> str:
    """The text of a server's models.py, without its header."""
    schemas = ModelSchemas(library, f"{package}.shared")
    for tool in contract.tools:
        parameters = described(root(library, contract.document, tool.raw_parameters), f"What {tool.name} takes.")
        schemas.add(f"{tool.class_name}Request", contract.document, parameters)
        returns = described(root(library, contract.document, tool.raw_returns), f"What {tool.name} gives.")
        if tool.paginated and page_item(library, contract, tool).startswith("models."):
            returns = with_named_item(schemas, library, contract, tool, returns)
        schemas.add(f"{tool.class_name}Result", contract.document, returns)
    return classes(schemas.found)


def shared_models(library: Library, documents: list[Document]) -> str:
    """The text of shared.py, without its header; empty where no shared schema is a model."""
    schemas = ModelSchemas(library, None)
    for document in documents:
        for name, schema in document.value["$defs"].items():
            if Target(document, f"/$defs/{name}", schema).is_model and name not in schemas.found:
                schemas.add(name, document, schema)
    return classes(schemas.found) if schemas.found else ""


def described(schema: Schema, description: str) -> Schema:
    """A schema with a description, so that its class has a docstring."""
    return {"description": description, **schema}


def without_reference(schema: Schema) -> Schema:
    """What stands beside a schema's `$ref`."""
    return {key: part for key, part in schema.items() if key != "$ref"}


def root(library: Library, document: Document, schema: Schema) -> Schema:
    """A tool's own schema: a reference at the very root is followed, so that the class bears the tool's name."""
    while "$ref" in schema:
        target = library.target(document, schema["$ref"])
        if target.document is not document:
            return library.inlined(document, schema)
        schema = {**target.schema, **without_reference(schema)}
    return schema


def item_schema(library: Library, contract: Contract, tool: Tool) -> tuple[Document, Schema]:
    """The schema of a paginated tool's items as it is written, and the document it stands in."""
    document = contract.document
    schema: Schema = root(library, document, tool.raw_returns)["properties"]["items"]
    while "$ref" in schema:
        target = library.target(document, schema["$ref"])
        document, schema = target.document, target.schema
    return document, schema["items"]


def page_item(library: Library, contract: Contract, tool: Tool) -> str:
    """What a page of a tool holds, as an annotation in server.py."""
    document, schema = item_schema(library, contract, tool)
    if "$ref" in schema:
        target = library.target(document, schema["$ref"])
        if target.is_model and target.name:
            return f"{'models' if '/' in target.document.name else 'shared'}.{target.name}"
        schema = library.inlined(document, schema)
    if schema.get("type") == "object" and "properties" in schema:
        return f"models.{tool.class_name}ResultItem"
    if schema.get("type") == "object":
        return "dict[str, Any]"
    return SCALARS.get(str(schema.get("type")), "Any") if "format" not in schema else "Any"


def with_named_item(schemas: ModelSchemas, library: Library, contract: Contract, tool: Tool, returns: Schema) -> Schema:
    """A page's schema whose items, where they are written in place, are a class with a name that handlers can say."""
    document, item = item_schema(library, contract, tool)
    if "$ref" in item:
        return returns
    name = f"{tool.class_name}ResultItem"
    schemas.add(name, document, item)
    hoisted = {"type": "array", "items": {"$ref": f"#/$defs/{name}"}}
    schemas.found[f"{tool.class_name}Result"] = {}
    return {**returns, "properties": {**as_object(returns.get("properties")), "items": hoisted}}


def classes(schemas: Mapping[str, Any]) -> str:
    """Run the generator once over schemas by class name."""
    # Half a second of imports that an unchanged or faulty contract need not pay.
    from datamodel_code_generator import GenerateConfig, generate  # noqa: PLC0415
    from datamodel_code_generator.enums import DataModelType, InputFileType, NamingStrategy  # noqa: PLC0415
    from datamodel_code_generator.format import Formatter, PythonVersion  # noqa: PLC0415
    from datamodel_code_generator.parser import LiteralType  # noqa: PLC0415

    config = GenerateConfig(
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.PydanticV2BaseModel,
        target_python_version=PythonVersion.PY_311,
        formatters=[Formatter.BUILTIN],
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
    )
    document = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": dict(schemas)}
    text = generate(json.dumps(document), config=config)
    if not isinstance(text, str):
        raise TypeError("the model generator returned several modules for one document")
    return text.partition("# models")[2].lstrip()
