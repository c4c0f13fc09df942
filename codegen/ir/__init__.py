"""Contracts as frozen records, free of faults."""
