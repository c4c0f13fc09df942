"""Compile the contracts of the test servers: `python -m tests.toolaccord.compilation`.

It writes `generated/`, which is committed instead of compiled by each test run. mypy then checks handlers and tests
against it, and a test server starts as a process without the compiler. `test_compilation.py` proves that it is current.
"""

from pathlib import Path

from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.emit.output_tree import write_tree
from toolaccord_codegen.emit.render import render_tree
from toolaccord_codegen.ir.layout import Layout

FOLDER = Path(__file__).parent
COMMAND = "python -m tests.toolaccord.compilation"


def render_package() -> dict[str, str]:
    """Return the modules and static contents of the test servers by path.

    The test servers have entry points of their own, which configure faults.
    """
    layout = Layout(
        package="tests.toolaccord.generated",
        handlers="tests.toolaccord",
        sandbox=None,
        contracts="tests/toolaccord/contracts",
        command=COMMAND,
    )
    files = render_tree(compile_folder(FOLDER / "contracts"), layout)
    return {path: text for path, text in files.items() if is_kept(path)}


def is_kept(path: str) -> bool:
    """Return True for a file that the test servers need."""
    return (path.endswith(".py") and not path.endswith("__main__.py")) or "/static/" in path


def main() -> None:
    """Write the package."""
    write_tree(FOLDER / "generated", render_package())


if __name__ == "__main__":
    main()
