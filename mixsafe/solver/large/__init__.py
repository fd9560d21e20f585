"""The same steps where sets of tokens do not fit into memory."""
