"""Typed clients of generated servers, over stdio or HTTP."""
