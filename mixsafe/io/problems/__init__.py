"""Problems and their parts, answers and certificates."""
