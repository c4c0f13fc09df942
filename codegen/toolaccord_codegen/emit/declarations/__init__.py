"""Declarations in generated code: records of the library, as Python literals."""
