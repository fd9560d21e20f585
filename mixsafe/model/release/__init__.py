"""What is published, and about whom: released cells, their secret table, who was seen where."""
