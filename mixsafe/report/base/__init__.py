"""What all pages and pictures share: their frame, their words, their colours."""
