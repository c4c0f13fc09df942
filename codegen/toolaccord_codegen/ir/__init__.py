"""Contracts as frozen records without faults."""
