"""Declarations: the records that generated code fills in."""
