"""How many places and times single people out among published tracks, by chance and at worst."""
