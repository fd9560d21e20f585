"""What long runs found, kept so that a run that was stopped can be taken up again."""
