"""The meaning of contracts and their plain records, for the compiler and the library.

It imports no other part of the library, so that the compiler may import it.
"""
