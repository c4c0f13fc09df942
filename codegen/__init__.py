"""The compiler: contracts in, `{path: text}` out. It imports none of the other rooms."""
