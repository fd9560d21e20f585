"""Many tokens moved at once: annealing over histories that may break what is known."""
