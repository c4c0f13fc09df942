"""The commands `call` and `tools`: servers of the project, or of anybody, from the shell."""
