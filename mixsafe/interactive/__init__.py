"""Questions asked in a notebook, about tables in memory, and the pages of their answers."""
