"""The meaning of a contract's words, in one place for the compiler and the library.

It imports no other part of the library, so that the compiler may import it.
"""
