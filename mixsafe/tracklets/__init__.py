"""Whether vehicles can be followed from one identifier to the next."""
