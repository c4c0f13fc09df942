"""Classes that codegen writes, beside those that datamodel-code-generator makes of the same schemas."""

from __future__ import annotations

import importlib.util
import inspect
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent
from types import ModuleType
from typing import Any

import pytest
from pydantic import BaseModel

from codegen.emit.classes import CONFIG, module

Schemas = Mapping[str, Any]
"""By class name, as model_schemas.py prepares them."""


READ = CONFIG[: CONFIG.index("    defer_build")] + "    use_attribute_docstrings=True,\n)"
"""Our configuration of a class, but for Pydantic to read what stands below its fields, as it does in the library's classes."""


def differences(schemas: Schemas) -> dict[str, tuple[str | None, str | None]]:
    """By class and member, what ours and the library's classes are where they differ."""
    ours, theirs = described(schemas, read(module(schemas))), described(schemas, librarys(schemas))
    places = sorted(ours.keys() | theirs.keys())
    return {place: (ours.get(place), theirs.get(place)) for place in places if ours.get(place) != theirs.get(place)}


def read(text: str) -> str:
    """The text of a module of ours, its classes configured to be read."""
    for extra in ("allow", "forbid"):
        ours, reading = (indent(config.format(extra=extra), "    ") for config in (CONFIG, READ))
        text = text.replace(ours, reading)
    return text


def described(schemas: Schemas, text: str) -> dict[str, str]:
    """What Pydantic knows of the classes of a module, by class, and of their fields, by class and member."""
    found = {}
    for name, made in classes(schemas, text).items():
        fields = {field.alias or key: (key, field) for key, field in made.model_fields.items()}
        found[name] = f"{inspect.cleandoc(made.__doc__ or '')} {sorted(made.model_config.items())} {list(fields)}"
        found |= {f"{name}/{member}": f"{key}: {field!r}" for member, (key, field) in fields.items()}
    return found


def classes(schemas: Schemas, text: str) -> dict[str, type[BaseModel]]:
    """The classes that a module declares; those that it imports are stood in for by empty ones."""
    shared = {
        name: schema["x-python-import"]["module"] for name, schema in schemas.items() if "x-python-import" in schema
    }
    with TemporaryDirectory(prefix="toolpact-") as folder, pytest.MonkeyPatch.context() as patch:
        for home in set(shared.values()):
            stand_in = ModuleType(home)
            vars(stand_in).update({name: type(name, (BaseModel,), {}) for name in shared})
            patch.setitem(sys.modules, home, stand_in)
        path = Path(folder, "made.py")  # Pydantic reads the descriptions of fields from the file
        path.write_text(text, encoding="utf-8")
        made = loaded(path, patch)
    declared = {name: each for name, each in vars(made).items() if isinstance(each, type) and each.__module__ == "made"}
    return {name: each for name, each in declared.items() if issubclass(each, BaseModel)}


def loaded(path: Path, patch: pytest.MonkeyPatch) -> ModuleType:
    """The module of a file, under the name `made` as long as the patch holds."""
    spec = importlib.util.spec_from_file_location("made", path)
    assert spec
    assert spec.loader
    made = importlib.util.module_from_spec(spec)
    patch.setitem(sys.modules, "made", made)  # where Pydantic looks up what an annotation names
    spec.loader.exec_module(made)
    return made


def librarys(schemas: Schemas) -> str:
    """The module of classes that the library makes of schemas."""
    # Half a second that processes without these tests need not pay.
    from datamodel_code_generator import GenerateConfig, generate  # noqa: PLC0415
    from datamodel_code_generator.enums import DataModelType, InputFileType, NamingStrategy  # noqa: PLC0415
    from datamodel_code_generator.format import PythonVersion  # noqa: PLC0415
    from datamodel_code_generator.parser import LiteralType  # noqa: PLC0415

    config = GenerateConfig(
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.PydanticV2BaseModel,
        target_python_version=PythonVersion.PY_311,
        formatters=[],
        disable_timestamp=True,
        naming_strategy=NamingStrategy.ParentPrefixed,
        enum_field_as_literal=LiteralType.All,
        use_annotated=True,
        field_constraints=True,
        strict_nullable=True,
        use_schema_description=True,
        use_field_description=True,
        use_attribute_docstrings=True,
        use_standard_collections=True,
        use_union_operator=True,
        enable_faux_immutability=True,
        allow_population_by_field_name=True,
        skip_root_model=True,
        allow_remote_refs=False,
        strict_refs=True,
        field_extra_keys_without_x_prefix={"x-validate_default"},
    )
    document = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": with_exact_numbers(schemas)}
    return str(generate(json.dumps(document), config=config))


def with_exact_numbers(schema: Any) -> Any:
    """A schema whose numbers may be integers, which to the library are floats alone."""
    if isinstance(schema, list):
        return [with_exact_numbers(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    parts = {key: part if key in {"default", "enum"} else with_exact_numbers(part) for key, part in schema.items()}
    return parts | {"type": ["number", "integer"]} if parts.get("type") == "number" else parts
