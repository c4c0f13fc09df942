"""The error of the sandbox."""


class SandboxError(RuntimeError):
    """The sandbox cannot start; the message names the cause and the remedy."""
