"""Files as such: what they are, reading them in columns or records, writing them whole."""
