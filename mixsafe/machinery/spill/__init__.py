"""Arrays that do not fit into memory: the memory limit, and room on disk."""
