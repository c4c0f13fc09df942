"""Proofs of who calls over HTTP: tokens of the operator, and tokens of an authorization server."""
