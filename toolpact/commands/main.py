"""The command `toolpact`."""

import sys
from pathlib import Path

COMPILER = Path(__file__).parents[1] / "compiler"
"""The folder of `codegen` in an installed wheel; a checkout has none."""


def main() -> int:
    """Run the command of the process, and return its exit status.

    The compiler is no top-level package of the wheel, because another project on the index is imported as `codegen`.
    """
    if COMPILER.is_dir():
        sys.path.insert(0, str(COMPILER))
    from codegen.__main__ import main as run

    return run()
