"""Clients of generated servers."""
