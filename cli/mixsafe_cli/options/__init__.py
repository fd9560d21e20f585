"""Options that commands share, as records, and checks of their values."""
