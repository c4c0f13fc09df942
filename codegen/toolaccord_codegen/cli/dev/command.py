"""Entry point of the command `dev`."""

from __future__ import annotations

from toolaccord import extras
from toolaccord_codegen.cli.options.dev import DevOptions
from toolaccord_codegen.diagnostics import CommandError


def run(options: DevOptions) -> int:
    """Serve until Ctrl-C; return 0.

    Raises CommandError if the port is in use, without such a server, or without the extra `http`.
    """
    try:
        with extras.needed("http"):
            import httptools  # noqa: F401 - the server's processes load them later
            import starlette  # noqa: F401

            from toolaccord_codegen.cli.dev.start import serve
    except extras.MissingExtra as error:
        raise CommandError(str(error)) from error
    return serve(options)
