"""The questions themselves, asked of whatever holds the data, and pages of their answers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from mixsafe.documents.atlas import Atlas
from mixsafe.errors import InputError
from mixsafe.extract.adversaries import ADVERSARIES, DEFAULT
from mixsafe.extract.exchange.rules import ExchangeRules
from mixsafe.extract.pose import pose
from mixsafe.extract.positions import persons
from mixsafe.extract.zones import Extraction, places_per
from mixsafe.geometry.grid import CellSize
from mixsafe.io.objects.adapters import costs_of, sightings_of
from mixsafe.io.objects.frames import frame_of
from mixsafe.io.problems.side_tables import read_requirements
from mixsafe.io.sources import load
from mixsafe.model.arguments import CourseOptions, options_of
from mixsafe.model.course import SolveLimits
from mixsafe.model.mobility.instant import parse_instant
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.numerals import integer_of
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements, Rule, checked_k, whole_number
from mixsafe.solver.registry import Engine
from mixsafe.verify.query import Options, Query, Settings
from mixsafe.verify.verification import Verification, answer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mixsafe.optimize.answer import MinimumZones
    from mixsafe.release.audit import Audit
    from mixsafe.report.page import Page
    from mixsafe.report.reporting import Answer

_ZONES = ("cell_size", "time_step", "min_users", "steps_per_day", "rules", "keep_together")
_TRACKS = ("cell_size", "time_step", "keep_together")


@dataclass(frozen=True)
class AskedPages:
    """Maker of pages, with context that an answer does not contain.

    Parameters
    ----------
    adversary
        Her knowledge, in words.
    atlas
        Coordinates and names of places; None: unknown.
    """

    adversary: str = ""
    atlas: Atlas | None = None

    def page(self, answer: Answer, output: str | os.PathLike[str] | None) -> Page:
        """The page, written to ``output`` unless that is None."""
        from mixsafe.report.reporting import report

        return report(answer, output, adversary=self.adversary, atlas=self.atlas)

    def picture(self, answer: Answer, output: str | os.PathLike[str] | None) -> Figure:
        """The pictures, written to ``output`` unless that is None."""
        from mixsafe.report.reporting import picture

        return picture(answer, output, adversary=self.adversary, atlas=self.atlas)


class PoseOptions(TypedDict, total=False):
    """Options for making a problem; all are optional.

    Parameters
    ----------
    adversary
        One of :data:`mixsafe.extract.adversaries.ADVERSARIES`.
    knowledge
        Instead: what she has seen, as a table or a file with ``user_id`` and ``time`` (or
        ``time_id``), or as :class:`mixsafe.Knowledge`.
    requirements
        Instead of ``k``: a table with ``user_id``, ``time`` (or ``time_id``) and ``k``, or
        :class:`mixsafe.Requirements`.
    cell_size, time_step, min_users, steps_per_day
        What a mix zone is: as for :func:`mixsafe.pose`.
    rules
        Which exchanges are possible: :class:`mixsafe.ExchangeRules`.
    keep_together
        Users who are always together are different people: as for :func:`mixsafe.pose`.
    """

    adversary: str
    knowledge: Any
    requirements: Any
    cell_size: CellSize
    time_step: int
    min_users: int
    steps_per_day: int
    rules: ExchangeRules
    keep_together: bool


class AskOptions(PoseOptions, Options, total=False):
    """Options for making and deciding a problem."""


class OptimizeOptions(PoseOptions, CourseOptions, total=False):
    """Options for making a problem and choosing its zones; all are optional.

    Parameters
    ----------
    weight
        What a zone costs: ``count``: 1; ``members``: as many as it has members.
    places
        Choose places instead, as for :func:`mixsafe.optimize.minimum.minimum_zones`.
    """

    weight: Literal["count", "members"]
    places: Any


class AuditOptions(TypedDict, total=False):
    """Options of an audit; all are optional.

    Parameters
    ----------
    exchanged
        Whether pseudonyms may be exchanged at visible mix zones.
    rules
        How pseudonyms are exchanged; None: by all exchanges where tracks meet.
    exhaustive
        Find all tracks of each known user at each time.
    distinct_places
        Distinct places at which the tracks must be at the same time; 1: they are only counted.
    gaps
        Which tracks without a fix may belong to a person who was seen then: ``absent``,
        ``reachable`` or ``anywhere``; None: the strictest reading that contradicts nothing.
    truth
        The secret table of the release, a file ``pse_id,user_id`` or ``pse_id,time_id,user_id``:
        counts how often a follower who bets is right.
    limits
        Time, workers and seed.
    time_limit
        Instead of limits: seconds.
    """

    exchanged: bool
    rules: ExchangeRules | None
    exhaustive: bool
    distinct_places: int | None
    gaps: str | None
    truth: str | os.PathLike[str] | None
    limits: SolveLimits | None
    time_limit: float | None


def verify(
    source: Any,  # noqa: ANN401 -- tables of libraries that are not imported for this
    *,
    k: int | None = None,
    at: Sequence[int | str] | None = None,
    rule: Rule | str | None = None,
    engine: str | Engine = "auto",
    exhaustive: bool = False,
    distinct_places: int | None = None,
    **options: Unpack[AskOptions],
) -> Verification:
    """Decide whether users have enough candidates (CSP paper, definitions 1 and 9).

    Parameters
    ----------
    source
        A problem; or traces, mix zones or whatever ``load`` reads, about which one is posed.
    k
        Ask for k candidates for every user at every time.
    at
        With ``k``: ask at these times only: steps 0 to t*, or moments as texts.
    rule
        ``every``, ``some``, ``share:0.9``; default: ``every`` with ``at``, else ``some``.
    engine
        One of :data:`mixsafe.solver.registry.ENGINES`.
    exhaustive
        Find all candidates of every user and time.
    distinct_places
        Distinct places at which the candidates of a user must be at the same time; 1: places are
        only counted.
    **options
        How the problem is posed and decided: see :class:`AskOptions` and
        :class:`mixsafe.verify.query.Options`; candidates are kept unless it is said otherwise.

    Raises
    ------
    InputError
        The source cannot be used, nothing is asked, k is below 2, a time is outside the
        data, or what is said does not go together.

    Examples
    --------
    >>> import mixsafe
    >>> answer = mixsafe.verify(mixsafe.sample("town"), k=3)
    >>> answer.verdict
    <Verdict.UNSAFE: 'unsafe'>
    """
    begin, said = options_of("verify", options, AskOptions)
    problem, pages = _problem_of(source, said)
    steps = None if at is None else [_step(problem.zones.axis, one) for one in at]
    places = None if distinct_places is None else whole_number(distinct_places, "distinct_places")
    query = Query(checked_k(k), steps, Rule.of(rule), exhaustive, places)
    settings = Settings(engine, **{"keep_candidates": True, **said})
    return replace(answer(problem, query, settings, begin()), pages=pages)


def audit(
    release: Any,  # noqa: ANN401 -- a file, or what was read
    knowledge: Any,  # noqa: ANN401 -- a file, or sightings
    *,
    k: int = 3,
    rule: Rule | str | None = None,
    **options: Unpack[AuditOptions],
) -> Audit:
    """Decide how many published tracks can be each known user's at each time.

    Parameters
    ----------
    release, knowledge
        The published data, in memory or a file; who was seen where: sightings, or a file
        ``user_id,time_id,reg_id`` (or coordinates).
    k
        Tracks that each known user might be on, at least.
    rule
        When a user passes: ``some`` by default, ``every``, ``share:0.9``.
    **options
        See :class:`AuditOptions`.

    Returns
    -------
    Audit
        What was found; ``.users``, ``.tracks``, ``.report(path)``, ``.plot()``.

    Raises
    ------
    InputError
        A file that cannot be used, a k below 2, or
        knowledge that contradicts the release.
    """
    # Loaded here: it takes longer than to verify a little problem.
    from mixsafe.from_files.released import audit as audited

    whole = checked_k(k)
    if whole is None:
        raise InputError("nothing is asked", hint="give k")
    begin, said = options_of("audit", options, AuditOptions)
    found = audited(release, knowledge, k=whole, rule=Rule.of(rule), begin=begin, **said)
    return replace(found, pages=AskedPages())


def optimize(
    source: Any,  # noqa: ANN401 -- tables of libraries that are not imported for this
    *,
    k: int | None = None,
    at: Sequence[int | str] | None = None,
    per: str = "zone",
    costs: Any = None,  # noqa: ANN401 -- as tables are
    **options: Unpack[OptimizeOptions],
) -> MinimumZones:
    """Find a minimum set of zones in which exchanges meet all requirements.

    Parameters
    ----------
    source
        A problem, or what one is posed about, as for :func:`verify`.
    k, at
        Ask for k candidates for every user, at these steps or moments.
    per
        Choose zones, places with all their zones, or hours of places: one of
        :data:`mixsafe.model.question.places.PER`.
    costs
        What places cost: a table or a file with columns ``place`` and ``cost``; None: as the
        problem says, else 1 each.
    **options
        How the problem is posed: see :class:`AskOptions`; and ``weight``, ``limits``, ``progress``
        as for :func:`mixsafe.optimize.minimum.optimize`.

    Returns
    -------
    MinimumZones
        ``.status``, ``.minimum``, ``.zones``, ``.report(path)``.

    Raises
    ------
    InputError
        The source cannot be used, nothing is asked, or k or a time is out of range.

    Examples
    --------
    >>> import mixsafe
    >>> problem = mixsafe.pose(mixsafe.load(mixsafe.sample("town")))
    >>> asked = {"user_id": [1], "time_id": [20], "k": [2]}
    >>> mixsafe.optimize(problem, requirements=asked).minimum
    2
    """
    # Loaded here, as above.
    from mixsafe.optimize.minimum import optimize as fewest

    begin, said = options_of("optimize", options, OptimizeOptions)
    problem, pages = _problem_of(source, said)
    steps = None if at is None else [_step(problem.zones.axis, one) for one in at]
    if per != "zone" or costs is not None:
        if "places" in said:
            raise InputError("give either places, or per and costs")
        outlines = None if pages.atlas is None else pages.atlas.outlines
        label = None if outlines is None else outlines.label
        cost = None if costs is None else partial(costs_of, costs)
        said["places"] = places_per(problem, per, label, cost)
    found = fewest(problem, k=checked_k(k), at=steps, course=begin(), **said)
    return replace(found, pages=pages)


def _problem_of(source: Any, said: dict[str, Any]) -> tuple[Problem, AskedPages]:  # noqa: ANN401
    """Make the problem, with facts about its source; remove the options used from ``said``."""
    adversary, known = said.pop("adversary", None), said.pop("knowledge", None)
    required = said.pop("requirements", None)
    how = {name: said.pop(name) for name in _ZONES if name in said}
    if adversary is not None and known is not None:
        raise InputError("give either an adversary or knowledge, not both")
    if not isinstance(source, Problem | Traces | Extraction | MixZones):
        source = load(source, time_step=how.get("time_step", 60))
    if isinstance(source, list) and len(source) == 1:
        source = source[0]
    atlas = None
    if isinstance(source, Problem):
        _refuse({"adversary": adversary, **how})
        problem, words = source, ""
    else:
        if isinstance(source, Traces):
            grid = {name: how[name] for name in _TRACKS if name in how}
            source = persons(source, **grid)
        name = DEFAULT if adversary is None else adversary
        problem = pose(source, adversary="none" if known is not None else name, **how)
        words = ADVERSARIES[name].sentence
        if isinstance(source, Traces):
            atlas = Atlas.of(source, how.get("cell_size", 100.0), how.get("time_step", 60))
    users, axis = problem.zones.users, problem.zones.axis
    aliases = problem.zones.premises.aliases
    if known is not None:
        problem = replace(problem, knowledge=sightings_of(known, users, axis, aliases))
        words = "The adversary has the sightings that were given"
    if required is not None:
        problem = replace(problem, requirements=_requirements(required, problem))
    return problem, AskedPages(words, atlas)


def _refuse(given: Mapping[str, object]) -> None:
    """Refuse options that a problem already determines."""
    wrong = [name for name, value in given.items() if value is not None]
    if wrong:
        raise InputError(f"{' and '.join(wrong)} cannot be given: the problem defines it")


def _requirements(given: object, problem: Problem) -> Requirements:
    """Requirements as records, or from a table."""
    if isinstance(given, Requirements):
        return given
    frame = frame_of(given)
    if frame is None:
        hint = "give a table with columns user_id, time (or time_id) and k"
        raise InputError(f"requirements cannot be read from a {type(given).__name__}", hint=hint)
    zones = problem.zones
    return read_requirements(frame, zones.users, zones.axis, zones.premises.aliases)


def _step(axis: TimeAxis, said: int | str) -> int:
    """A step that is said by its number, or as a moment."""
    if not isinstance(said, str):
        return whole_number(said, "at =")
    if axis.timed:
        return axis.step(parse_instant(said, axis.tz, axis.order).second)
    time = integer_of(said)
    if time is None:
        hint = "use a time_id: the data number their steps"
        raise InputError(f"'{said}' is not a time", hint=hint)
    return axis.step(time)
