"""What does not fit into memory: how much there is, and room on disk for the rest."""
