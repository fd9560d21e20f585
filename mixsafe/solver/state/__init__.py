"""What is asked of each wire, what is known of it, and witnesses."""
