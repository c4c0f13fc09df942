"""An embedded PostgreSQL server that several processes share."""

from sandbox.postgresql.server import Cluster, running, temporary

__all__ = ["Cluster", "running", "temporary"]
