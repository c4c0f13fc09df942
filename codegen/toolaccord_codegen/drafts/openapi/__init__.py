"""Drafts of OpenAPI documents."""
