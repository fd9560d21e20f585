"""Exports of other programs in JSON, as tables in memory."""
