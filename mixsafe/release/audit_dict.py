"""An audit as a JSON object, the same for the command and the library."""

from __future__ import annotations

from typing import Any

from mixsafe.release.audit import Audit
from mixsafe.release.threat_model import threat_model
from mixsafe.verify.tables import records


def as_dict(answer: Audit, name: str = "release") -> dict[str, Any]:
    """The answer, its summary, and a row per user, per track, and per zone that hides nothing.

    ``name`` is that of the release.
    """
    zones, static = answer.zones, answer.static
    idle = zones[zones["hides"] == "nothing"]
    return {
        "verdict": answer.verdict.value,
        "name": name,
        "users": len(answer.evidence.users),
        "tracks": answer.evidence.zones.n_users,
        "steps": answer.evidence.zones.axis.steps,
        "zones": len(zones),
        "exchange": "zones" if answer.exchanged else "none",
        "k": answer.k,
        "engine": answer.engine,
        "seconds": round(answer.seconds, 3),
        "threat_model": threat_model(answer),
        "summary": answer.summary,
        "headline": answer.headline.to_dict(),
        "gaps": None if answer.gaps is None else answer.gaps.to_dict(),
        "without_exchange": None if static is None else static.summary,
        "per_user": records(answer.users),
        "pseudonyms": records(answer.tracks),
        "zones_that_hide": {
            word: int((zones["hides"] == word).sum())
            for word in ("something", "nothing", "undecided")
        },
        "zones_that_hide_nothing": records(idle.drop(columns="hides")),
        **answer.evidence.zones.premises.to_dict(),
    }
