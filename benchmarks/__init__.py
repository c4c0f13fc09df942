"""Benchmarks of servers beside their peers, of tools under load, and of the compiler."""
