"""Pages: one for each kind of result."""
