"""Messages over two file descriptors, without threads: reading, writing, requests in flight."""
