"""Upper bounds from small sets of tokens."""
