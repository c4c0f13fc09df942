"""Clocks and deadlines."""
