"""The page for a data protection officer, from several results of one data set."""
