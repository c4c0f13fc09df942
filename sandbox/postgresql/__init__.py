"""A PostgreSQL of one's own: found, started, shared by several processes, and gone with the last of them."""

from sandbox.postgresql.server import Cluster, running, throw_away

__all__ = ["Cluster", "running", "throw_away"]
