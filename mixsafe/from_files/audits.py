"""Audits of releases, from files or from what is in memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from mixsafe.errors import InputError
from mixsafe.extract.exchange.rules import ExchangeRules
from mixsafe.from_files.released import Released, read_knowledge, read_release, refuse_speed
from mixsafe.model.answer.gaps import Gaps
from mixsafe.model.course import Course
from mixsafe.model.question.requirement import Rule
from mixsafe.model.release.cells import Cells
from mixsafe.model.release.sightings import Sightings
from mixsafe.release.audit import Audit, answer
from mixsafe.release.evidence import Evidence, Published
from mixsafe.release.exchange import fixes_for
from mixsafe.release.findings import AuditQuestion

File = str | os.PathLike[str]


def audit(
    release: File | Cells | Published | Released,
    knowledge: File | Sightings,
    *,
    k: int = 3,
    exchanged: bool = True,
    rule: Rule | None = None,
    rules: ExchangeRules | None = None,
    exhaustive: bool = False,
    distinct_places: int | None = None,
    gaps: Gaps | str | None = None,
    begin: Callable[[], Course] = Course.begin,
) -> Audit:
    """Decide how many published tracks can be each known user's at each time.

    Parameters
    ----------
    release
        What was published, and nothing secret: what is in memory, or a file as
        :func:`mixsafe.from_files.released.read_release` reads it.
    knowledge
        Who was seen where: a file ``user_id,time_id,reg_id`` (or coordinates), or sightings.
    k
        Tracks that each known user might be on, at least.
    exchanged
        Whether pseudonyms may be exchanged at visible mix zones. False: never, or at the scheduled
        times of ``rules`` only.
    rule
        When a user passes; default: ``some``, by which a pass may be a weak one.
    rules
        How pseudonyms are exchanged, of a file or of cells; None: by all exchanges where tracks
        meet. Its greatest speed is also that of people in gaps, also of a release without
        exchanges.
    exhaustive
        Find all tracks of each known user at each time.
    distinct_places
        Distinct places at which the tracks must be at the same time; 1: they are only counted.
    gaps
        Which tracks without a fix may belong to a person who was seen then: ``absent``,
        ``reachable`` or ``anywhere``; None: for each sighting the strictest reading that
        contradicts nothing.
    begin
        Begins the course, once all is read.

    Raises
    ------
    InputError
        A file that cannot be used, a k below 2, rules that do not fit the release or are without
        effect, or knowledge that contradicts it.

    Examples
    --------
    >>> import mixsafe
    >>> answer = mixsafe.audit("pubtraces.csv", "seen.csv", k=3)  # doctest: +SKIP
    >>> answer.verdict  # doctest: +SKIP
    <Verdict.UNSAFE: 'unsafe'>
    """
    rules, exchanged = _in_force(rules or ExchangeRules(), exchanged)
    found = _released(release, rules, exchanged)
    seen = knowledge if isinstance(knowledge, Sightings) else read_knowledge(knowledge, found)
    asked = Evidence.of(found.published, seen, Gaps.named(gaps))
    passing = rule or Rule.default(every_time=True)
    question = AuditQuestion(k, passing, "auto", exhaustive, distinct_places=distinct_places)
    return answer(asked, question, begin(), exchanged=exchanged)


def _in_force(rules: ExchangeRules, exchanged: bool) -> tuple[ExchangeRules, bool]:
    """The rules, and whether pseudonyms change at all, if they do not where tracks meet.

    Raises
    ------
    InputError
        Pseudonyms never change, and the rules limit how they do. A greatest speed also limits how
        far people get in gaps.
    """
    if exchanged:
        return rules, True
    if rules.rotate is not None:
        return replace(rules, meetings=False), True
    if rules.max_step is not None:
        message = f"pseudonyms are never exchanged: {rules.limit} cannot limit exchanges"
        raise InputError(message, hint="leave out max_step, or give rotate")
    return rules, False


def _released(
    release: File | Cells | Published | Released, rules: ExchangeRules, exchanged: bool
) -> Released:
    """A release in the one form that all kinds of knowledge fit."""
    if isinstance(release, Published | Released):
        if rules != ExchangeRules():
            raise InputError("a release in this form says itself what is possible: leave out rules")
        return release if isinstance(release, Released) else Released(release)
    if isinstance(release, Cells):
        if not exchanged:
            refuse_speed(rules)
        published = Published.of_cells(release).under(rules, fixes_for(rules, release))
        return Released(published, release.n_regions)
    return read_release(release, rules=rules, exchanged=exchanged)
