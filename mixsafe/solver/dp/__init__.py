"""Dynamic programs over where tracked tokens can be."""
