"""The path of a call, from arguments to answer."""
