"""Errors of `dev`."""

from __future__ import annotations

from toolaccord_codegen.diagnostics import CommandError


class NoServer(CommandError):
    """A server that the project does not have, so that `dev` has nothing to wait for."""
