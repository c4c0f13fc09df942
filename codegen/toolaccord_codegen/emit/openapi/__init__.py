"""Rendering of contracts as OpenAPI documents."""
