"""Audits with pages, pictures and a summary; imported on demand, as audits need solvers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mixsafe.interactive.shown import ShowsItself, verdicts
from mixsafe.release.audit import Audit
from mixsafe.release.audit_dict import as_dict
from mixsafe.report.base.page import share


@dataclass(frozen=True, eq=False, repr=False)
class AuditShown(ShowsItself, Audit):
    """An answer of ``audit``."""

    @property
    def facts(self) -> Mapping[str, str]:
        """The question and its result."""
        summary = self.summary
        return {
            "data": f"{len(self.tracks):,} tracks, {len(self.users):,} users known",
            "verdict": f"{self.verdict.value} by rule {self.rule}, k = {self.k}",
            "users": verdicts(summary["users"]),
            "answer": f"{self.headline.sentence} {self.headline.exposure}",
            "tracks": f"{share(summary['share_of_tracks_tied'])} of their time tied to a user",
        }

    def to_dict(self) -> dict[str, Any]:
        """The answer as the command writes it, without what its page shows besides."""
        return as_dict(self)
