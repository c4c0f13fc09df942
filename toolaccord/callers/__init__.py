"""Proofs of callers over HTTP, by tokens of the operator or of an authorization server."""
