"""Pictures of a document's charts, for pages and for files."""
