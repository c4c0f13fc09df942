"""Servers and models generated from the contracts.

Generated from tests/toolaccord/contracts/**/*.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""
