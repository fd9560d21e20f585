"""Questions: mix zones, the adversary's knowledge, requirements, and problems of all three."""
