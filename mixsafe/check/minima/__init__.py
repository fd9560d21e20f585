"""What is particular to certificates of minimum sets of zones: cores, and what they cost."""
