"""What shows that a set of zones is a minimum: cores, and a count of what they cost."""
