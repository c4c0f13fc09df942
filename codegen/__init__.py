"""The compiler: JSON contracts in, `{path: text}` out.

Of its siblings, it imports toolpact.semantics alone.
"""
