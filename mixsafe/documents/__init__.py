"""The form in which every answer is told, and what the documents of answers share."""
