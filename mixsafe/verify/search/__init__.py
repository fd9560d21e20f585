"""Search for witnesses: small supports, walks through solutions, windows of time."""
