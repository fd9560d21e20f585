"""The registry of kinds of pages; most results have one kind, their document."""
