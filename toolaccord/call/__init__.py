"""The path of a call, from arguments to answer; `pipeline` shows it from top to bottom."""
