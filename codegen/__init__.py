"""The compiler: JSON contracts in, `{path: text}` out. It imports no sibling package."""
