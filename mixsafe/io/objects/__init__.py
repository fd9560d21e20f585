"""Objects in memory: tables of other libraries, and open files."""
