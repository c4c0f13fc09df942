"""The command `toolaccord`."""

import signal
import sys
from pathlib import Path

from toolaccord.extras import explain

COMPILER = Path(__file__).parents[1] / "compiler"
"""The folder of `codegen` in an installed wheel; a checkout has none."""


def main() -> int:
    """Run the command of the process, and return its exit status.

    The compiler is no top-level package of the wheel, because another project on the index is imported as `codegen`.
    The status is 2 with a sentence on standard error for a command whose extra is not installed, and 130 after Ctrl-C.
    """
    if COMPILER.is_dir():
        sys.path.insert(0, str(COMPILER))
    try:
        from codegen.__main__ import main as run

        return run()
    except KeyboardInterrupt:  # while the compiler loads
        return 128 + signal.SIGINT
    except ModuleNotFoundError as error:
        missing = explain(error)
        if missing is None:
            raise
        sys.stderr.write(f"toolaccord: {missing}\n")
        return 2
