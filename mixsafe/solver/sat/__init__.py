"""The problem as clauses, and as the CSP paper's models for CP-SAT."""
