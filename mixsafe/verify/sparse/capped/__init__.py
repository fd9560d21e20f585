"""Upper bounds by sets of at most so many tokens."""
