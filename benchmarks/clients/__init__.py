"""The benchmarks' clients over HTTP and pipes, which send and check bytes themselves."""
