"""The error of the sandbox."""

from toolaccord.testing.programs import ProgramError


class SandboxError(ProgramError):
    """The sandbox cannot start; the message names the cause and the remedy."""
