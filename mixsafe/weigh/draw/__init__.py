"""Drawing assignments: chains that walk through them, and whether they agree."""
