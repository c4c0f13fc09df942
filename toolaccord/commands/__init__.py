"""Commands of `toolaccord` that run servers or connect to them.

The compiler has the other commands, and the table of all: `toolaccord_codegen.cli.parser`.
"""
