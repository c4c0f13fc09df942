"""The command `toolaccord`."""

import signal
import sys

from toolaccord.extras import explain


def main() -> int:
    """Run the command of the process, and return its exit status.

    The status is 2 with a sentence on standard error for a command whose extra is not installed, and 130 after Ctrl-C.
    """
    try:
        from toolaccord_codegen.__main__ import main as run

        return run()
    except KeyboardInterrupt:  # while the compiler loads
        return 128 + signal.SIGINT
    except ModuleNotFoundError as error:
        missing = explain(error)
        if missing is None:
            raise
        sys.stderr.write(f"toolaccord: {missing}\n")
        return 2
