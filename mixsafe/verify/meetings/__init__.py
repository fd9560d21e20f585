"""Lower bounds by who meets whom again, a row at a time and without sets of tokens."""
