"""What a file holds, before anything is asked about it."""
