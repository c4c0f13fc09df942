"""Compare `.proto` files by what a server and a service read of their messages.

A reader knows a field by its number and wire type, and a method by its path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.attachments import list_protos
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.loading.protobuf import describe_proto_files
from toolaccord_codegen.snapshots import PROTO_SUFFIX, Snapshot

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto

WIRES = {
    **dict.fromkeys(("int32", "int64", "uint32", "uint64", "bool", "enum"), "varint"),
    **dict.fromkeys(("sint32", "sint64"), "zigzag"),
    **dict.fromkeys(("fixed32", "sfixed32"), "32 bits"),
    **dict.fromkeys(("fixed64", "sfixed64"), "64 bits"),
}
"""The form of types on the wire (protobuf.dev, "Updating A Message Type")."""

Members: TypeAlias = Mapping[str, tuple[str, str]]
"""The number of a field, or the path of a method, with its form, by name."""


def proto_changes(contract: ContractPair, old: Snapshot, new: Snapshot) -> Iterator[Change]:
    """Yield changes of the messages that a server with a gRPC source exchanges."""
    sources = [name for name, source in contract.new.items("sources").items() if source.at("kind").value == "grpc"]
    name = contract.new.place.document.name
    texts = [{each: state.attachments[each] for each in list_protos(state, name)} for state in (old, new)]
    if not sources or texts[0] == texts[1]:
        return
    before, after = (_describe(state, name) for state in (old, new))
    if before is None or after is None:
        text = "protoc rejects the .proto files of a state, so their messages cannot be compared"
        yield contract.change("PROTO_WIRE_CHANGED", text, "sources", sources[0])
        return
    for owner in [each for each in before if each in after]:
        for text, is_read_otherwise in _member_changes(before[owner], after[owner]):
            rule = "PROTO_WIRE_CHANGED" if is_read_otherwise else "PROTO_CHANGED"
            yield contract.change(rule, f"{owner}: {text}", "sources", sources[0], detail=f"{owner}: {text}")
    for owner in sorted(before.keys() ^ after.keys()):
        text = f"{owner} {'came' if owner in after else 'went'}"
        yield contract.change("PROTO_CHANGED", text, "sources", sources[0], detail=text)


def _member_changes(before: Members, after: Members) -> Iterator[tuple[str, bool]]:
    """Yield changed members as texts, with True where another state reads something else."""
    old_names, new_names = ({number: name for name, (number, _) in side.items()} for side in (before, after))
    for name, (number, form) in before.items():
        if name in after:
            other, now = after[name]
            if number != other:
                yield f"{name} is {other} instead of {number}", True
            elif form != now:
                yield f"{name} is {now} instead of {form}", _on_wire(form) != _on_wire(now)
        elif number in new_names:
            yield f"{name} is called {new_names[number]} now", _on_wire(form) != _on_wire(after[new_names[number]][1])
        else:
            yield f"{name} went", False
    for name in [each for each, (number, _) in after.items() if each not in before and number not in old_names]:
        yield f"{name} came", False


def _on_wire(form: str) -> str:
    """Return the form of a field on the wire."""
    *repeated, kind = form.split(" ")
    return " ".join([*repeated, WIRES.get(kind, kind)])


def _describe(state: Snapshot, contract: str) -> dict[str, Members] | None:
    """Return the members of each message, enum and service by its name without the package.

    None where protoc rejects the files.
    """
    files = {name: content for name, content in state.attachments.items() if name.endswith(PROTO_SUFFIX)}
    described = describe_proto_files(files, list_protos(state, contract))
    return None if described is None else dict(part for file in described for part in _describe_file(file))


def _describe_file(file: FileDescriptorProto) -> Iterator[tuple[str, Members]]:
    """Yield the messages, enums and services of a file."""
    prefix = f".{file.package}." if file.package else "."
    for message in file.message_type:
        yield from _describe_message(message, message.name, prefix)
    for enum in file.enum_type:
        yield f"enum {enum.name}", {value.name: (str(value.number), "") for value in enum.value}
    for service in file.service:
        yield (
            f"service {service.name}",
            {
                method.name: (
                    f"{prefix[1:]}{service.name}/{method.name}",
                    " → ".join(
                        "stream of " * is_stream + kind.removeprefix(prefix)
                        for is_stream, kind in (
                            (method.client_streaming, method.input_type),
                            (method.server_streaming, method.output_type),
                        )
                    ),
                )
                for method in service.method
            },
        )


def _describe_message(message: DescriptorProto, name: str, prefix: str) -> Iterator[tuple[str, Members]]:
    """Yield the fields of a message and of those inside it."""
    yield (
        f"message {name}",
        {
            field.name: (
                str(field.number),
                "repeated " * (field.label == field.LABEL_REPEATED)
                + (field.type_name.removeprefix(prefix) if field.type == field.TYPE_MESSAGE else _name_type(field)),
            )
            for field in message.field
        },
    )
    for inner in message.nested_type:
        yield from _describe_message(inner, f"{name}.{inner.name}", prefix)
    for enum in message.enum_type:
        yield f"enum {name}.{enum.name}", {value.name: (str(value.number), "") for value in enum.value}


def _name_type(field: FieldDescriptorProto) -> str:
    """Return the name of a field's type as `.proto` files have it."""
    return field.Type.Name(field.type).removeprefix("TYPE_").lower()
