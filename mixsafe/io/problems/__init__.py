"""Files of problems and their parts, and of verdicts."""
