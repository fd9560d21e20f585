"""The auditor's questions: whose tracks these can be, from the release alone."""
