"""docs/benchmarks.md: its numbers, targets, method, machine and picture."""
