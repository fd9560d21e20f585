"""Audits with pages, pictures and a summary; imported on demand, as audits need solvers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mixsafe.interactive.shown import ShowsItself, verdicts
from mixsafe.release.audit import Audit
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
        """The answer as plain values: its summary, and a row per user and per track."""
        return {
            "engine": self.engine,
            "seconds": round(self.seconds, 3),
            "k": self.k,
            "exchanged": self.exchanged,
            "gaps": None if self.gaps is None else self.gaps.to_dict(),
            "summary": self.summary,
            "per_user": self.users.to_dict(orient="records"),
            "tracks": self.tracks.to_dict(orient="records"),
            **self.evidence.zones.premises.to_dict(),
        }
