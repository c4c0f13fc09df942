"""The command `toolaccord`."""

import signal
import sys

from toolaccord.extras import explain


def main() -> int:
    """Run the command of the process, and return its exit status.

    The status is 2 with a sentence on standard error for a command that lacks a package, and 130 after Ctrl-C.
    """
    try:
        from toolaccord_codegen.__main__ import main as run

        return run()
    except KeyboardInterrupt:  # while the compiler loads
        return 128 + signal.SIGINT
    except ModuleNotFoundError as error:
        missing = explain(error) or _explain_own(error)
        if missing is None:
            raise
        sys.stderr.write(f"toolaccord: {missing}\n")
        return 2


def _explain_own(error: ModuleNotFoundError) -> str | None:
    """Return a sentence on a package that this one imports; None if another one does."""
    traceback = error.__traceback__
    importing = ""
    while traceback is not None:
        importing = str(traceback.tb_frame.f_globals.get("__name__", ""))
        traceback = traceback.tb_next
    if importing.partition(".")[0] != "toolaccord_codegen":
        return None
    return f"{error.name} is not installed: install toolaccord-codegen with what it requires; images only serve"
