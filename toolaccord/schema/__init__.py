"""Validation of values against a contract's schemas, and normalisation of valid ones."""
