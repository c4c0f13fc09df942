"""Servers and models generated from the contracts.

Generated from tests/toolpact/contracts/**/*.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""
