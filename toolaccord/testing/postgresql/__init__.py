"""A real PostgreSQL for tests and development, which ends with the processes that use it."""

from toolaccord.testing.postgresql.errors import ClusterError
from toolaccord.testing.postgresql.server import Cluster, running, temporary

__all__ = ["Cluster", "ClusterError", "running", "temporary"]
