"""Pictures of digests, for pages and for files."""
