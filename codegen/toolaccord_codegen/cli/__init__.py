"""The commands of the compiler."""
