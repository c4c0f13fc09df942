"""Pydantic classes, written from schemas as model_schemas.py makes them: every class is named, every type plain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, count
from textwrap import indent
from typing import Any

from codegen.emit.model_schemas import BOUNDS, COUNTS, SCALARS
from codegen.naming import FieldName, literal, verbatim

Schemas = Mapping[str, Mapping[str, Any]]
"""By class name: an object's schema, or where a class of this name is imported from."""

HOMES = {
    **dict.fromkeys(("bool", "dict", "float", "int", "list", "str"), "builtins"),
    "date": "datetime",
    **dict.fromkeys(("Annotated", "Any", "Literal"), "typing"),
    "UUID": "uuid",
    **dict.fromkeys(("AwareDatetime", "BaseModel", "ConfigDict", "Field"), "pydantic"),
}
"""Where the names come from that classes are written with."""
FORMATS = {"date": "date", "date-time": "AwareDatetime", "uuid": "UUID"}
LIMITS = {
    **dict(zip(BOUNDS, ("ge", "le", "gt", "lt"), strict=True)),
    **dict(zip(COUNTS, ("min_length", "max_length", "min_length", "max_length"), strict=True)),
}
"""Pydantic's words for the bounds of a schema."""
CONFIG = """model_config = ConfigDict(
    extra="{extra}",
    populate_by_name=True,
    frozen=True,
    defer_build=True,
    ser_json_inf_nan="constants",
)"""
"""A validator is built when it is first needed, which at the start of a server is not; a number that is not finite is no null."""


def module(schemas: Schemas) -> str:
    """The text of a module that has these classes, with its imports, each class after those that it needs."""
    own = {name: schema for name, schema in schemas.items() if "x-python-import" not in schema}
    others = {name: schema["x-python-import"]["module"] for name, schema in schemas.items() if name not in own}
    used = {("BaseModel", "BaseModel"), ("ConfigDict", "ConfigDict")}
    writers = [Writer(name, own[name], field_names(own[name]["properties"], own), used) for name in in_order(own)]
    classes = [writer.text() for writer in writers]
    return "\n\n".join([imports(used, others), *classes])


def in_order(schemas: Schemas) -> Iterator[str]:
    """The names of classes, each after those that it needs, and otherwise as they come."""
    waiting = {name: set(references(schema)) for name, schema in schemas.items()}
    while waiting:
        for name in list(waiting):
            if waiting.keys().isdisjoint(waiting[name]):
                del waiting[name]
                yield name


def references(schema: Mapping[str, Any]) -> Iterator[str]:
    """The names of the classes that a schema names; what its defaults say does not count."""
    if "$ref" in schema:
        yield class_name(schema)
    inner = (schema.get("items"), schema.get("additionalProperties"))
    for part in (*schema.get("properties", {}).values(), *schema.get("anyOf", ()), *inner):
        if isinstance(part, Mapping):
            yield from references(part)


def class_name(schema: Mapping[str, Any]) -> str:
    """The name of the class that a reference names."""
    return str(schema["$ref"]).rpartition("/")[2]


def field_names(members: Iterable[str], classes: Schemas) -> dict[str, str]:
    """By member, the name that its field has in Python: unlike any other, and unlike any class."""
    names: dict[str, str] = {}
    for member in members:
        name = FieldName(member)
        numbered = chain([name], (f"{name}_{number}" for number in count(1)))
        names[member] = next(each for each in numbered if each not in classes and each not in names.values())
    return names


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes one class."""

    name: str
    schema: Mapping[str, Any]
    fields: Mapping[str, str]
    """The names of its fields, by member."""
    used: set[tuple[str, str]]
    """Every name that has to be imported, with what it is called here; it grows."""

    def text(self) -> str:
        """The class."""
        about = [verbatim(self.schema["description"]), ""] if "description" in self.schema else []
        lines = [*about, CONFIG.format(extra="allow" if self.schema["additionalProperties"] else "forbid")]
        for member, part in self.schema["properties"].items():
            lines.append(self.field(member, part))
            if "description" in part:
                lines.append(verbatim(part["description"]))
        return "\n".join([f"class {self.name}(BaseModel):", *(indent(line, "    ") for line in lines), ""])

    def field(self, member: str, schema: Mapping[str, Any]) -> str:
        """A field: its name, its type, what Pydantic holds its values against, and its default."""
        name, kinds, value = self.fields[member], self.kinds(schema), ""
        rules: dict[str, Any] = {} if name == member else {"alias": member}
        rules |= dict(sorted((LIMITS[key], limit(schema, key)) for key in LIMITS if key in schema))
        is_optional = member not in self.schema["required"]  # a required member has no default, whatever it says
        if is_optional and "default" not in schema:
            kinds, value = [*kinds, "None"], " = None"
        elif is_optional and "x-validate_default" in schema:
            # Beside the field it would be a string to the type checker where a date is asked for.
            rules |= {"default": schema["default"], "validate_default": True}
        elif is_optional:
            value = f" = {literal(schema['default'])}"
        return f"{name}: {self.annotated(union(kinds), rules)}{value}"

    def annotated(self, kind: str, rules: Mapping[str, Any]) -> str:
        """A type with what Pydantic holds its values against."""
        said = ", ".join(f"{name}={literal(value)}" for name, value in rules.items())
        return f"{self.called('Annotated')}[{kind}, {self.called('Field')}({said})]" if rules else kind

    def kinds(self, schema: Mapping[str, Any]) -> list[str]:
        """The types that a value can have."""
        if "$ref" in schema:
            return [class_name(schema)]
        if "anyOf" in schema:
            return [kind for branch in schema["anyOf"] for kind in self.kinds(branch)]
        if "enum" in schema:
            values = ", ".join(literal(value) for value in schema["enum"] if value is not None)
            return [f"{self.called('Literal')}[{values}]", *(["None"] if None in schema["enum"] else [])]
        match schema.get("type"):
            case "null":
                return ["None"]
            case "number":  # `float` alone makes 270.0 of 270, and rounds beyond 2**53; most are floats: tried first
                return [self.called("float"), self.called("int")]
            case _:
                return [self.kind(schema)]

    def kind(self, schema: Mapping[str, Any]) -> str:
        """The one type that stands for what a schema says."""
        match schema.get("type"):
            case None:
                return self.called("Any")
            case "array":
                return f"{self.called('list')}[{union(self.kinds(schema['items']))}]"
            case "object":
                others = schema["additionalProperties"]
                values = union(self.kinds(others if isinstance(others, Mapping) else {}))
                return f"{self.called('dict')}[{self.called('str')}, {values}]"
            case scalar:
                return self.called(FORMATS[schema["format"]] if "format" in schema else SCALARS[scalar])

    def called(self, name: str) -> str:
        """What a name is called here: a field hides in its class what else has its name."""
        said = f"{name}_aliased" if name in self.fields.values() else name
        self.used.add((name, said))
        return said


def imports(used: Iterable[tuple[str, str]], others: Mapping[str, str]) -> str:
    """The imports of the names that are used, and of classes by their modules, in any order."""
    lines = ["from __future__ import annotations"]
    for name, said in sorted(used):
        if name != said:
            lines.append(f"from {HOMES[name]} import {name} as {said}")
        elif HOMES[name] != "builtins":
            lines.append(f"from {HOMES[name]} import {name}")
    return "\n".join([*lines, *(f"from {home} import {name}" for name, home in others.items()), ""])


def union(kinds: Iterable[str]) -> str:
    """One of several types: each once, None last."""
    return " | ".join(sorted(dict.fromkeys(kinds), key="None".__eq__))


def limit(schema: Mapping[str, Any], key: str) -> float:
    """A bound of integers or lengths, as a number of their kind: 5.0 is an integer to JSON Schema."""
    value: float = schema[key]
    return int(value) if value == int(value) else value
