"""Compile the contracts of the test servers: `python -m tests.toolaccord.compilation`.

It writes `generated/`, which is not committed: the tests and `./run types` write it where it is not current. mypy then
checks handlers and tests against it, and a test server starts as a process without the compiler.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
COMMAND = "python -m tests.toolaccord.compilation"
STAMP = FOLDER / "generated/.current"
"""Holds the digest of what the package was compiled from, and with."""


def compile_servers() -> bool:
    """Write the package of the test servers, unless it is current; return True if it was not."""
    state = digest_state(FOLDER / "contracts", ROOT / "codegen/toolaccord_codegen", ROOT / "toolaccord/semantics")
    if STAMP.exists() and STAMP.read_text(encoding="ascii") == state:
        return False
    _write_package()
    STAMP.write_text(state, encoding="ascii")
    return True


def digest_state(*folders: Path) -> str:
    """Return a digest of names, sizes and times of the files in *folders*."""
    files = sorted(path for folder in folders for path in folder.rglob("*") if "__pycache__" not in path.parts)
    states = ((path, path.stat()) for path in files if path.is_file())
    found = [(path.as_posix(), state.st_size, state.st_mtime_ns) for path, state in states]
    return sha256(repr(found).encode()).hexdigest()


def _write_package() -> None:
    """Write the modules and static contents of the test servers.

    The test servers have entry points of their own, which configure faults.
    """
    from toolaccord_codegen.compiler import compile_folder  # noqa: PLC0415 - most runs compile nothing
    from toolaccord_codegen.emit.output_tree import add_manifest, write_tree  # noqa: PLC0415
    from toolaccord_codegen.emit.render import render_tree  # noqa: PLC0415
    from toolaccord_codegen.ir.layout import Layout  # noqa: PLC0415

    layout = Layout(
        package="tests.toolaccord.generated",
        handlers="tests.toolaccord",
        sandbox=None,
        contracts="tests/toolaccord/contracts",
        command=COMMAND,
    )
    contracts = compile_folder(FOLDER / "contracts")
    files = {path: text for path, text in render_tree(contracts, layout).items() if _is_needed(path)}
    write_tree(FOLDER / "generated", add_manifest(files, contracts.inputs, layout.contracts))


def _is_needed(path: str) -> bool:
    return (path.endswith(".py") and not path.endswith("__main__.py")) or any(
        each in path for each in ("/static/", "/views/")
    )


if __name__ == "__main__":
    compile_servers()
