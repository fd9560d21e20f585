"""``mixsafe weigh --audit``: a release, which of its tracks is whose, and how likely."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mixsafe.errors import InputError, about
from mixsafe_cli.data.releases import release_of, released
from mixsafe_cli.options.checks import moment, refuse
from mixsafe_cli.options.source_options import SourceOptions

if TYPE_CHECKING:
    from mixsafe.model.course import SolveLimits
    from mixsafe.weigh.whose_tracks import SamePerson, TrackWeighing
    from mixsafe_cli.render.progress import Report


def weighed_release(
    source: SourceOptions,
    knowledge: Path,
    limits: SolveLimits,
    report: Report,
    gaps: str | None = None,
) -> TrackWeighing:
    """Weigh whose tracks are whose.

    Parameters
    ----------
    source
        The release, how it is read, and which part of it; of users how many are known.
    knowledge
        Who was seen where.
    limits
        Time, workers and seed.
    report
        Whom to tell.
    gaps
        How gaps are read; None: by the strictest reading that contradicts nothing.

    Raises
    ------
    InputError
        A file cannot be used, or an option does not apply to a release.
    """
    from mixsafe.from_files.released import read_knowledge, some_users
    from mixsafe.model.answer.gaps import Gaps
    from mixsafe.release.evidence import Evidence
    from mixsafe.weigh.whose_tracks import weigh_tracks

    refuse(source, "--audit weighs a release", "user_list")
    if source.source is None or source.further:
        raise InputError("--audit needs one release", hint="give its file")
    report(f"reading {source.source.name}", 0, 0)
    with about(source.source):
        found = released(release_of(source, source.source), meetings=not source.no_meetings)
    with about(knowledge):
        seen = some_users(read_knowledge(knowledge, found), source.users, source.seed)
        evidence = Evidence.of(found.published, seen, Gaps.named(gaps))
        return weigh_tracks(evidence, limits=limits, progress=report)


def same_person(answer: TrackWeighing, same: tuple[str, str]) -> SamePerson | None:
    """Chance that two pseudonyms, each as ``PSE@TIME``, are of one person; None: not settled.

    Raises
    ------
    InputError
        There is no such pseudonym or time.
    """
    return answer.same_person(*(_place(answer, word) for word in same))


def _place(answer: TrackWeighing, word: str) -> tuple[int, int]:
    """Row and step of ``PSE@TIME``."""
    zones = answer.evidence.zones
    name, _, at = word.rpartition("@")
    rows = {str(one): row for row, one in enumerate(zones.users.tolist())}
    hint = "give two as PSE@TIME, with times as --output writes them"
    try:
        step = zones.axis.step(moment(at, zones.axis, ""))
    except InputError as error:
        raise InputError(f"--same {word}: {error.message}", hint=hint) from None
    if name not in rows or step < 1:
        message = f"--same {word}: there is no such pseudonym and time in the release"
        raise InputError(message, hint=hint)
    return rows[name], step
