"""What is read and written to hold a contest: teams, data sets, files and pictures."""
