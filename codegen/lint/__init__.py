"""What contracts are better without, though the compiler would take it."""
