"""Declarations: the records with which generated code describes a server."""
