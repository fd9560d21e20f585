"""Reports: figures, and pages that open in any browser."""
