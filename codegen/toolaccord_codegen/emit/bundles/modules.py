"""Modules that a server needs: those that its entry point imports, directly or not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from toolaccord_codegen.loading.regular_files import parse_python, read_regular_file

_SECRET_NAME = re.compile(
    r"(^|[._-])(env|netrc|pgpass|htpasswd|credentials?|secrets?|passwords?|tokens?)([._-]|$)"
    r"|^id_(rsa|dsa|ecdsa|ed25519)|\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)$",
    re.IGNORECASE,
)
_PRIVATE_KEY = b"PRIVATE KEY-----"
REQUIRED = frozenset({"toolaccord", "toolaccord_codegen"})
"""Packages that a bundle requires, also where a checkout has them beside the project's."""


@dataclass(slots=True)
class ImportedModules:
    """Modules of a project, and the names of the packages outside of it."""

    roots: Sequence[Path]
    """Folders that hold the project's packages."""
    files: dict[str, Path] = field(default_factory=dict)
    """The project's modules, by their path below a root, with slashes."""
    outside: set[str] = field(default_factory=set)
    """Import names of packages that are not the project's."""
    _seen: set[str] = field(default_factory=set)

    def follow(self, module: str) -> None:
        """Add a module, the packages around it, and everything that they import.

        Imports inside functions count too. A module that is named in a text is not found.
        Raises SyntaxError for a module that is not Python.
        """
        waiting = [module]
        while waiting:
            name = waiting.pop()
            if name in self._seen:
                continue
            self._seen.add(name)
            found = self._locate(name)
            if found is None:
                self.outside.add(name.partition(".")[0])
                continue
            path, is_package = found
            self.files[_relative_name(name, is_package=is_package)] = path
            if "." in name:
                waiting.append(name.rpartition(".")[0])
            waiting += self._list_imports(name, path, is_package=is_package)

    def _locate(self, module: str) -> tuple[Path, bool] | None:
        """Return the file of a module of the project, and True for a package; None for any other."""
        for root in self.roots if module.partition(".")[0] not in REQUIRED else ():
            place = root.joinpath(*module.split("."))
            for path, is_package in ((place / "__init__.py", True), (place.with_name(f"{place.name}.py"), False)):
                if path.is_file():
                    return path, is_package
        return None

    def _list_imports(self, module: str, path: Path, *, is_package: bool) -> Iterator[str]:
        """Yield the modules that a module imports; `from a import b` may mean the module a.b."""
        package = module if is_package else module.rpartition(".")[0]
        for node in ast.walk(parse_python(read_regular_file(path), path)):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
                base = ".".join([*parents, *([node.module] if node.module else [])])
                yield base
                yield from (name for alias in node.names if self._locate(name := f"{base}.{alias.name}"))


def _relative_name(module: str, *, is_package: bool) -> str:
    """Return the path of a module below its root."""
    place = module.replace(".", "/")
    return f"{place}/__init__.py" if is_package else f"{place}.py"


def list_data_files(folder: Path, root: Path) -> Iterator[tuple[str, Path]]:
    """Yield files of a package that are no modules, with their paths below a root.

    Hidden files, links and files for hosts are none of them.
    """
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder).parts
        is_skipped = any(part.startswith((".", "__pycache__")) or part == "hosts" for part in inside)
        if path.is_file() and not path.is_symlink() and path.suffix not in {".py", ".pyc"} and not is_skipped:
            yield path.relative_to(root).as_posix(), path


def find_rejection(name: str, content: bytes) -> str | None:
    """Return the reason for which a data file must not be published; None without one."""
    if "\\" in name:
        return "its name has a backslash, which separates folders on Windows"
    if _SECRET_NAME.search(name.rpartition("/")[2]) or _PRIVATE_KEY in content:
        return "it looks like a secret"
    return None
