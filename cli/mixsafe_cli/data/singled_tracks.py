"""The fewest sightings that single tracks out, for ``audit --fewest-sightings``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mixsafe_cli.options.audit_options import AuditOptions

if TYPE_CHECKING:
    from mixsafe.release.audit import Audit
    from mixsafe.tasks.released import Released
    from mixsafe_cli.render.progress import Report
    from mixsafe_cli.run_time import RunTime


def with_fewest(
    answer: Audit, released: Released, asked: AuditOptions, report: Report, time: RunTime
) -> Audit:
    """The same with the fewest sightings that single each track out, in the time that is left."""
    if asked.fewest_sightings is None:
        return answer
    from mixsafe.unicity.track_sightings import fewest_sightings, with_sightings

    settings = asked.settings()
    limits = replace(settings["limits"], seconds=time.left)
    found = fewest_sightings(
        released.published,
        asked.k,
        exchanged=settings["exchanged"],
        at_most=asked.fewest_sightings,
        limits=limits,
        progress=report,
    )
    return replace(answer, tracks=with_sightings(answer.tracks, found, released.published))
