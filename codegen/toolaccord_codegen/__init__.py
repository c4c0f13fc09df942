"""The compiler: JSON contracts in, `{path: text}` out.

Of its siblings, it imports toolaccord.semantics alone.
"""
