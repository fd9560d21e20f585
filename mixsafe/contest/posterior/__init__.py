"""How likely each user is behind each cell of a release, and what is best answered."""
