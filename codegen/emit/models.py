"""Which schemas become classes: of a server, and of the files that several servers share."""

from __future__ import annotations

from codegen.emit.model_schemas import ModelSchemas, annotation
from codegen.ir.contract import Contract, Schema, Tool
from codegen.loading.documents import Document
from codegen.loading.references import ReferenceTarget, SchemaLibrary


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
