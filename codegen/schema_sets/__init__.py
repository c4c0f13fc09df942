"""Schemas and regular expressions as sets of values: containment and samples."""
