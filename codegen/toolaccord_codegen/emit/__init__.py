"""Rendering of contracts as generated files."""
