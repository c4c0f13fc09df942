"""Rules that a contract must satisfy to compile."""
