"""Components too large for sets of tokens on every wire: counts, capped sets, neighbourhoods."""
