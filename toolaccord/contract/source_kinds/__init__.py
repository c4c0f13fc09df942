"""Systems that handlers use, one module for each kind: a server loads those of its own."""
