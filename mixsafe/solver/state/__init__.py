"""State of the questions: what is asked, proven and possible, and witnesses."""
