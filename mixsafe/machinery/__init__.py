"""What runs below everything: compiled code, workers, memory, files that are written whole."""
