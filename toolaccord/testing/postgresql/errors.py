"""The error of a PostgreSQL for tests."""


class ClusterError(RuntimeError):
    """PostgreSQL cannot start; the message names the cause and the remedy."""
