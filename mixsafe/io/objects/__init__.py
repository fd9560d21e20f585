"""What is in memory already: tables of other libraries, and files that are open."""
