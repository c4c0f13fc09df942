"""Find weaknesses of contracts that the compiler accepts, and fix the simple ones."""
