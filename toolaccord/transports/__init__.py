"""Transports: how calls reach a pipeline and answers leave it."""
