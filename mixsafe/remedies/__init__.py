"""What to do about data that fail: remedies, their costs, and their verdicts."""
