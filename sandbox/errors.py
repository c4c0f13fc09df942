"""What goes wrong on a laptop."""


class SandboxError(RuntimeError):
    """The sandbox cannot be had here; the text says why and what helps."""
