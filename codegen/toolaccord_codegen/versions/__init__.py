"""Check that older versions of a tool convert to the next one."""
