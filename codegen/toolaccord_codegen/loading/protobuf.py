"""Protocol buffers: `.proto` files of a contracts folder, compiled to Python by protoc."""

from __future__ import annotations

import hashlib
import keyword
import os
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING, BinaryIO

from toolaccord_codegen.diagnostics import CommandError, Problem
from toolaccord_codegen.loading.documents import display_path
from toolaccord_codegen.loading.reading import check_size, read_contract_file
from toolaccord_codegen.naming import describe_reserved

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

NAME = re.compile(r"[a-z][a-z0-9_]*")
PROTOC_ERROR = re.compile(r"(?P<file>[^:\n]+\.proto):(?:(?P<line>\d+):(?P<column>\d+):)? ?(?P<text>.*)")
"""One line of protoc's error output."""
IMPORT = re.compile(r"^from (?P<package>[\w.]+) import (?P<module>\w+)_pb2", re.MULTILINE)
"""The import of another stub in protoc's output.

protoc assumes that the contracts folder is on Python's path.
"""


@dataclass(frozen=True, slots=True)
class ProtoFile:
    """One `.proto` file."""

    name: str
    """Its path below the contracts folder, with slashes; other files import it by this name."""
    display_path: str
    """Its path as problems show it."""
    text: str

    def digest(self) -> str:
        """Return a hash of the file's text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def read_proto_files(folder: Path, problems: list[Problem]) -> list[ProtoFile]:
    """Read the `.proto` files of a contracts folder, `<system>/<name>.proto`, sorted."""
    found = []
    for path in sorted(folder.glob("*/*.proto")):
        name = path.relative_to(folder).as_posix()
        content = read_contract_file(path, problems)
        if content is None or not check_size(content, display_path(path), problems):
            continue
        try:
            # Ends of lines do not count, so that a checkout on Windows gives the same stubs.
            text = content.decode().replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError as error:
            sentence = f"the file is not UTF-8 (byte {error.start}); save it as UTF-8"
            problems.append(Problem(display_path(path), 1, 1, "PROTO_ENCODING", sentence))
            continue
        for part in (path.parent.name, path.stem):
            if not NAME.fullmatch(part) or keyword.iskeyword(part):
                why = f'"{part}" becomes a Python name; use lower-case letters, digits and "_"'
                sentence = f"{describe_reserved(part)}; choose another name" if keyword.iskeyword(part) else why
                problems.append(Problem(display_path(path), 1, 1, "PATH_NAME", sentence))
        found.append(ProtoFile(name, display_path(path), text))
    return found


def compile_proto_files(files: Sequence[ProtoFile], problems: list[Problem]) -> dict[str, str]:
    """Return protoc's Python output by path: messages, types, clients and servers.

    Where protoc rejects a file, the problems are added and nothing is returned. Raises CommandError without protoc.
    """
    if not files:
        return {}
    _require_protoc(files[0].display_path)
    with TemporaryDirectory(prefix="toolaccord-") as folder:
        root, out = Path(folder) / "in", Path(folder) / "out"
        out.mkdir()
        for file in files:
            path = root / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text, encoding="utf-8", newline="\n")
        outs = [f"--{kind}_out={out}" for kind in ("python", "pyi", "grpc_python")]
        status, _ = _run_protoc(root, outs, [file.name for file in files])
        if status:
            # protoc stops at the first invalid file, so each file is compiled alone to find every error.
            output = [line for file in files for line in _run_protoc(root, outs, [file.name])[1].splitlines()]
            problems.extend(_parse_protoc_errors(output, {file.name: file.display_path for file in files}))
            return {}
        made = {path.relative_to(out).as_posix(): path.read_text(encoding="utf-8") for path in out.rglob("*.py*")}
    return {path: text for path, text in sorted(made.items()) if not _is_empty_service(path, text)}


def describe_proto_files(files: Mapping[str, bytes], names: Sequence[str]) -> list[FileDescriptorProto] | None:
    """Return the descriptors of some of the files, which may import others.

    None where protoc rejects them. Raises CommandError without protoc.
    """
    if not names:
        return []
    _require_protoc(names[0])
    from google.protobuf.descriptor_pb2 import FileDescriptorSet  # noqa: PLC0415 - as slow as protoc

    with TemporaryDirectory(prefix="toolaccord-") as folder:
        root, out = Path(folder) / "in", Path(folder) / "out"
        for name, content in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(content)
        status, _ = _run_protoc(root, [f"--descriptor_set_out={out}"], names)
        return None if status else [*FileDescriptorSet.FromString(out.read_bytes()).file]


def _require_protoc(shown: str) -> None:
    """Raise CommandError unless protoc is installed; *shown* is the file that needs it."""
    if find_spec("grpc_tools") is None:
        raise CommandError(f"{shown} needs grpcio-tools: install toolaccord-codegen with its extra grpc")


def _is_empty_service(path: str, text: str) -> bool:
    """Return True for a service file without services; protoc writes one per `.proto` file."""
    return path.endswith("_pb2_grpc.py") and "\nclass " not in text


def _run_protoc(root: Path, outs: Sequence[str], names: Sequence[str]) -> tuple[int, str]:
    """Run grpcio-tools' protoc in this process; return its status and its error output.

    Paths in the output are relative to `root`.
    """
    # Loading it takes a tenth of a second, which folders without such files need not wait for.
    from grpc_tools import protoc as compiler  # type: ignore[import-untyped]  # noqa: PLC0415

    own = Path(compiler.__file__).parent / "_proto"
    with TemporaryFile() as file:
        with _redirect_stderr(file):
            status = compiler.main(["protoc", f"--proto_path={root}", f"--proto_path={own}", *outs, *names])
        file.seek(0)
        return status, file.read().decode("utf-8", "replace").replace(f"{root}{os.sep}", "")


@contextmanager
def _redirect_stderr(file: BinaryIO) -> Iterator[None]:
    """Redirect this process's standard error, including C++ output, to a file."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        os.dup2(file.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _parse_protoc_errors(output: Sequence[str], shown: Mapping[str, str]) -> Iterator[Problem]:
    """Yield protoc's error output as problems.

    Warnings are dropped: they do not make it fail. A missing import is reported twice by protoc, once here.
    """
    errors = [line for line in dict.fromkeys(output) if line.strip() and "warning:" not in line]
    found = [match for match in map(PROTOC_ERROR.match, errors) if match and match["file"] in shown]
    for match in found:
        at = int(match["line"] or 1), int(match["column"] or 1)
        yield Problem(shown[match["file"]], *at, "PROTO_SYNTAX", match["text"].strip())
    if not found:
        yield Problem(next(iter(shown.values())), 1, 1, "PROTO_SYNTAX", "; ".join(errors) or "protoc rejects the files")


def move_imports(text: str, package: str, names: Collection[str]) -> str:
    """Return a stub that imports the stubs of `names` from a package."""

    def moved(match: re.Match[str]) -> str:
        source = f"{match['package'].replace('.', '/')}/{match['module']}.proto"
        return match[0].replace("from ", f"from {package}.", 1) if source in names else match[0]

    return IMPORT.sub(moved, text)
