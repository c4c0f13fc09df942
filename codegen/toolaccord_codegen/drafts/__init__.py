"""Drafts of contracts, made of the tools of an MCP server or of an OpenAPI document.

Nothing here reads or writes. Whatever a draft cannot keep is a `Loss`.
"""
