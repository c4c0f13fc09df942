"""An embedded PostgreSQL server, shared by several processes and stopped when the last of them has ended."""

from sandbox.postgresql.server import Cluster, running, temporary

__all__ = ["Cluster", "running", "temporary"]
