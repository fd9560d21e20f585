"""Questions asked in a notebook: from tables in memory to answers that show themselves."""
