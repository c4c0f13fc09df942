"""Queries of SQL files, and the proof that they keep what contracts promise."""
