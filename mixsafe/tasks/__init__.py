"""Whole tasks, as commands do them: from files to answers."""
