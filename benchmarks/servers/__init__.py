"""The measured servers of toolpact's peers, and the tools and rows of all servers."""
