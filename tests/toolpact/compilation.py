"""Compile the contracts of the test servers: `python -m tests.toolpact.compilation`.

It writes `generated/`, which is committed instead of compiled by each test run. mypy then checks handlers and tests
against it, and a test server starts as a process without the compiler. `test_compilation.py` proves that it is current.
"""

from pathlib import Path

from codegen.compiler import compile_folder
from codegen.emit.output_tree import write_tree
from codegen.emit.render import render_tree
from codegen.ir.layout import Layout

FOLDER = Path(__file__).parent
COMMAND = "python -m tests.toolpact.compilation"


def render_package() -> dict[str, str]:
    """Return the Python modules of the test servers by path, without their entry points.

    The test servers have entry points of their own, which configure faults.
    """
    layout = Layout(
        package="tests.toolpact.generated",
        handlers="tests.toolpact",
        sandbox=None,
        contracts="tests/toolpact/contracts",
        command=COMMAND,
    )
    files = render_tree(compile_folder(FOLDER / "contracts"), layout)
    return {path: text for path, text in files.items() if path.endswith(".py") and not path.endswith("__main__.py")}


def main() -> None:
    """Write the package."""
    write_tree(FOLDER / "generated", render_package())


if __name__ == "__main__":
    main()
