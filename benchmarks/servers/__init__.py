"""The measured servers of toolaccord's peers, and the tools and rows of all servers."""
