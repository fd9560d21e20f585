"""Parts of the checker for audits: paths of tokens, and the questions."""
