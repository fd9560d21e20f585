"""Local search through solutions: annealing, random walks, large neighbourhoods."""
