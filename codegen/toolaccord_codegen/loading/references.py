"""`$ref` resolution, and schemas with every reference inlined."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import inf
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer, split_pointer
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.documents import Document, is_shared_file, split_reference

ANNOTATIONS = frozenset({"$ref", "$defs", "title", "description", "default", "examples", "complete"})
"""Keywords allowed beside a `$ref`; any other would silently override or be overridden."""

HOLDERS = frozenset({"properties", "items", "additionalProperties", "propertyNames", "anyOf", "oneOf"})
"""Keywords with schemas inside; most schemas have none."""
UNIONS = ("anyOf", "oneOf")
"""Keywords with alternatives."""
LARGEST = 5000
"""Most subschemas of a schema with its references inlined."""
DEEPEST = 60
"""Most levels of a schema with its references inlined; the library reads values of 64."""

Extent = tuple[float, float]
Place = tuple[str, str]
"""A schema: the name of its document, and its pointer."""
Trail = tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class ReferenceTarget:
    """The schema that a reference leads to."""

    document: Document
    pointer: str
    schema: Mapping[str, Any]

    @property
    def name(self) -> str | None:
        """Return its name among the file's `$defs`; None for a part of one."""
        found = split_pointer(self.pointer)
        return found[1] if len(found) == 2 else None

    @property
    def is_model(self) -> bool:
        """Return True for an object that becomes a class; other schemas are inlined."""
        return self.name is not None and _becomes_class(self.schema)


class DanglingReference(LookupError):
    """A `$ref` that leads to no schema; its text gives the reason."""


@dataclass(frozen=True, slots=True)
class SchemaLibrary:
    """The documents of a contracts folder that references may reach, by name."""

    documents: Mapping[str, Document]
    _extents: dict[Place, Extent] = field(default_factory=dict)
    """Measured extents, by document and pointer."""
    _targets: dict[Place, ReferenceTarget] = field(default_factory=dict)
    """Resolved references, by document and pointer."""
    _reached: dict[str, set[Place]] = field(default_factory=dict)
    """The schemas that the resolved references of a document lead to."""

    def target(self, document: Document, reference: str) -> ReferenceTarget:
        """Resolve a `$ref` of a document.

        Raises DanglingReference.
        """
        name, pointer = split_reference(document, reference)
        if (name, pointer) not in self._targets:
            self._targets[name, pointer] = self._found(document, reference, name, pointer)
        self._reached.setdefault(document.name, set()).add((name, pointer))
        return self._targets[name, pointer]

    def list_reached(self, document: str) -> set[str]:
        """List the schemas of other documents to which the references of a document lead.

        Each is `name#pointer`, and references count that were resolved.
        """
        found, todo = set[Place](), [*self._reached.get(document, ())]
        while todo:
            place = todo.pop()
            if place not in found:
                found.add(place)
                target = self._targets[place]
                inside = (part.get("$ref") for _, part in subschemas(target.schema, ""))
                todo += [split_reference(target.document, each) for each in inside if isinstance(each, str)]
        return {f"{name}#{pointer}" for name, pointer in found if name != document}

    def _found(self, document: Document, reference: str, name: str, pointer: str) -> ReferenceTarget:
        if name not in self.documents:
            hint = _suggest_file(document, reference.partition("#")[0], self.documents)
            raise DanglingReference(f'"{reference}" names no file of the contracts folder; {hint}')
        found = self.documents[name]
        owner, separator, _ = pointer.partition("/$defs/")
        if not separator:
            hint = _suggest_definition(reference, found)
            raise DanglingReference(f'"{reference}" must lead to a schema under #/$defs/{hint}')
        first = split_pointer(pointer.removeprefix(owner))[1]
        schemas = _definitions(found, owner)
        inside = dict(subschemas(schemas.get(first), join_pointer(f"{owner}/$defs", first)))
        if pointer not in inside:
            lacks = f'"{reference}" names a schema that {found.display_path} does not have'
            raise DanglingReference(f"{lacks}; {suggest(first, schemas)}")
        return ReferenceTarget(found, pointer, inside[pointer])

    def extent(self, document: Document, schema: Any, trail: Trail = ()) -> Extent:
        """Return the number of subschemas and levels that a schema has with its references inlined.

        Both are infinite for a circular reference.
        """
        found = [self.extent(document, part, trail) for _, part in child_schemas(schema)]
        if isinstance(as_object(schema).get("$ref"), str):
            found.append(self._extent_behind(document, schema["$ref"], trail))
        return 1 + sum(size for size, _ in found), 1 + max((levels for _, levels in found), default=0)

    def _extent_behind(self, document: Document, reference: str, trail: Trail) -> Extent:
        try:
            target = self.target(document, reference)
        except DanglingReference:
            return 0, 0
        step = (target.document.name, target.pointer)
        if step in trail:
            return inf, inf
        if len(trail) > DEEPEST:
            return LARGEST + 1, DEEPEST + 1
        if step not in self._extents:
            self._extents[step] = self.extent(target.document, target.schema, (*trail, step))
        return self._extents[step]

    def inline(self, document: Document, schema: Any) -> dict[str, Any]:
        """Return a copy of a schema with every reference inlined; keywords beside a reference win.

        Dangling and circular references, which are problems of their own, are left out.
        """
        size, levels = self.extent(document, schema)
        return self._inlined(document, schema, follow=size <= LARGEST and levels <= DEEPEST)

    def is_resolvable(self, document: Document, schema: Any) -> bool:
        """Return True where `inline` leaves nothing out."""
        size, levels = self.extent(document, schema)
        return size <= LARGEST and levels <= DEEPEST and self._leads(document, schema)

    def _leads(self, document: Document, schema: Any) -> bool:
        references = (part["$ref"] for _, part in subschemas(schema, "") if isinstance(part.get("$ref"), str))
        try:
            targets = [self.target(document, reference) for reference in references]
        except DanglingReference:
            return False
        return all(self._leads(target.document, target.schema) for target in targets)

    def _inlined(self, document: Document, schema: Any, *, follow: bool) -> dict[str, Any]:
        def inlined(part: Any) -> dict[str, Any]:
            return self._inlined(document, part, follow=follow)

        known = as_object(schema)
        kept = {key: value for key, value in known.items() if key not in {"$ref", "$defs"}}
        beside = {key: convert_children(key, value, inlined) for key, value in kept.items()}
        if not follow or not isinstance(known.get("$ref"), str):
            return beside
        try:
            target = self.target(document, known["$ref"])
        except DanglingReference:
            return beside
        return {**self._inlined(target.document, target.schema, follow=follow), **beside}


def list_definitions(document: Document) -> dict[str, bool]:
    """List the names of a file's `$defs`, each with True for a schema that becomes a class."""
    schemas = as_object(as_object(document.value).get("$defs"))
    return {name: _becomes_class(as_object(schema)) for name, schema in schemas.items()}


def _becomes_class(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "object" and "properties" in schema


def _definitions(document: Document, owner: str) -> dict[str, Any]:
    """Return the `$defs` of a file, or of the schema at a pointer into it."""
    try:
        return as_object(as_object(document.value_at(owner)).get("$defs"))
    except (LookupError, ValueError, TypeError):
        return {}


def link_definitions(document: Document) -> None:
    """Let references in a schema with `$defs` of its own lead to those.

    Servers publish such a schema as a document of its own. A name that its `$defs` lack leads to those of the file.
    """
    for root, schema in schema_roots(document):
        own = as_object(as_object(schema).get("$defs"))
        for _, part in subschemas(schema, root) if own else ():
            reference = part.get("$ref")
            if (
                isinstance(reference, str)
                and reference.startswith("#/$defs/")
                and split_pointer(reference[1:])[1] in own
            ):
                part["$ref"] = f"#{root}{reference[1:]}"


def _as_written(reference: str) -> str:
    """Return a reference as its author wrote it, before `link_definitions`."""
    return reference[:1] + reference[reference.index("/$defs/") :] if reference.startswith("#/") else reference


def convert_children(key: str, value: Any, convert: Callable[[Any], dict[str, Any]]) -> Any:
    """Return the value of a keyword with every schema directly inside it converted."""
    if key == "properties":
        return {name: convert(part) for name, part in as_object(value).items()}
    if key in UNIONS:
        return list(map(convert, as_array(value)))
    if key in {"items", "propertyNames"} or (key == "additionalProperties" and isinstance(value, dict)):
        return convert(value)
    return value


def subschemas(schema: Any, pointer: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a schema and every schema inside it with its pointer; references are not followed."""
    if isinstance(schema, dict):
        yield pointer, schema
        for way, part in child_schemas(schema):
            yield from subschemas(part, join_pointer(pointer, *way))
        for name, part in as_object(schema.get("$defs")).items():
            yield from subschemas(part, join_pointer(pointer, "$defs", name))


def child_schemas(schema: Any) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    """Yield the schemas directly inside a schema, with their tokens."""
    known = as_object(schema)
    return iter(()) if HOLDERS.isdisjoint(known) else _children(known)


def _children(known: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    for name, part in as_object(known.get("properties")).items():
        if isinstance(part, dict):
            yield ("properties", name), part
    for key in ("items", "additionalProperties", "propertyNames"):
        if isinstance(known.get(key), dict):
            yield (key,), known[key]
    for key in UNIONS:
        for index, part in enumerate(as_array(known.get(key))):
            if isinstance(part, dict):
                yield (key, index), part


def list_branches(schema: Mapping[str, Any]) -> list[Any]:
    """Return the alternatives of a schema's unions; none without one."""
    return [branch for key in UNIONS for branch in as_array(schema.get(key))]


def walk_branches(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a schema and the alternatives of its unions, and theirs."""
    yield schema
    for branch in list_branches(schema):
        yield from walk_branches(as_object(branch))


def as_object(value: Any) -> dict[str, Any]:
    """Return a JSON object, or an empty one for any other value: rules also see invalid files."""
    return value if isinstance(value, dict) else {}


def _suggest_file(document: Document, path: str, names: Iterable[str]) -> str:
    """Return a hint for a wrong path: the nearest one, else the files that share schemas."""
    folder = posixpath.dirname(document.name)
    paths = [posixpath.relpath(name, folder or ".") for name in names if name != document.name]
    shared = [posixpath.relpath(name, folder or ".") for name in names if is_shared_file(name)]
    hint = suggest(path, paths)
    if hint.startswith("did") or not shared:
        return hint if hint.startswith("did") else "it has no file of shared schemas"
    return suggest("", shared)


def _suggest_definition(reference: str, document: Document) -> str:
    """Return a hint for a pointer that leads elsewhere; empty without a definition like it."""
    file, _, pointer = reference.partition("#")
    close = get_close_matches(pointer.rpartition("/")[2], as_object(as_object(document.value).get("$defs")), 1)
    return f'; did you mean "{file}#/$defs/{close[0]}"?' if close else ""


def as_array(value: Any) -> list[Any]:
    """Return a JSON array, or an empty one for any other value."""
    return value if isinstance(value, list) else []


def list_items(holder: Any, key: str, pointer: str = "") -> list[tuple[str, dict[str, Any]]]:
    """Return the objects in an array below a key, with pointers that begin with *pointer*."""
    items = enumerate(as_array(as_object(holder).get(key)))
    return [(join_pointer(pointer, key, index), item) for index, item in items if isinstance(item, dict)]


def schema_roots(document: Document) -> Iterator[tuple[str, Any]]:
    """Yield the outermost schemas of a contract or of a shared file, with their pointers."""
    for owner in (each for key in ("tools", "resources", "prompts") for each in list_items(document.value, key)):
        for at, version in (owner, *list_items(owner[1], "versions", owner[0])):
            yield from ((f"{at}/{key}", version[key]) for key in ("parameters", "returns") if key in version)
    contract = as_object(document.value)
    yield from _declared_schemas(contract, "events", "payload")
    yield from _declared_schemas(contract, "asks", "schema")
    for at, holder, key in (
        ("", contract, "input"),
        ("", contract, "output"),
        ("/batch", contract.get("batch"), "result"),
    ):
        if key in as_object(holder):
            yield f"{at}/{key}", as_object(holder)[key]
    for name, schema in as_object(contract.get("$defs")).items():
        yield join_pointer("", "$defs", name), schema


def _declared_schemas(contract: Mapping[str, Any], part: str, key: str) -> Iterator[tuple[str, Any]]:
    """Yield the schemas below *key* in a part of a contract, with their pointers."""
    for name, declared in as_object(contract.get(part)).items():
        if key in as_object(declared):
            yield join_pointer("", part, name, key), declared[key]


def check_references(library: SchemaLibrary, document: Document) -> Iterator[Problem]:
    """Yield dangling and circular references, their siblings, and schemas that are too large."""
    circles: dict[str, Problem] = {}
    for root, schema in schema_roots(document):
        size, levels = library.extent(document, schema)
        if LARGEST < size < inf or DEEPEST < levels < inf:
            sentence = (
                f"with its references inlined, it has more than {LARGEST} schemas or {DEEPEST} levels, and hosts show all of it to "
                "a model; make it smaller"
            )
            yield document.problem(root, "SCHEMA_TOO_LARGE", sentence)
        for pointer, part in subschemas(schema, root):
            if isinstance(part.get("$ref"), str):
                yield from _check_reference(library, document, pointer, part)
                if library.extent(document, {"$ref": part["$ref"]})[0] == inf:  # the last place is that in $defs
                    circles[part["$ref"]] = _describe_circle(document, pointer, part["$ref"])
    yield from circles.values()


def _describe_circle(document: Document, pointer: str, reference: str) -> Problem:
    sentence = f'"{_as_written(reference)}" leads back to itself; a published schema must end, so cut the circle'
    return document.problem(join_pointer(pointer, "$ref"), "RECURSIVE_REF", sentence)


def _check_reference(
    library: SchemaLibrary, document: Document, pointer: str, schema: Mapping[str, Any]
) -> Iterator[Problem]:
    """Yield a dangling reference, and the siblings of one."""
    reference = schema["$ref"]
    try:
        library.target(document, reference)
    except DanglingReference as error:
        yield document.problem(join_pointer(pointer, "$ref"), "DANGLING_REF", str(error))
    for key in schema:
        if key not in ANNOTATIONS and not key.startswith("x-"):
            sentence = f'"{key}" beside "$ref" would silently win over the referenced schema; move it there'
            yield document.problem(join_pointer(pointer, key), "REF_SIBLING", sentence, key=True)
