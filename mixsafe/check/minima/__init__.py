"""Parts of the checker for minimum sets of zones: cores, and their cost."""
