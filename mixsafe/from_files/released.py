"""Releases, and what is known about them: read from files into what audits need, and audited."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import numpy as np

from mixsafe.documents.atlas import Atlas
from mixsafe.errors import InputError, about
from mixsafe.extract.exchange.rules import ExchangeRules
from mixsafe.extract.positions import axis_of, grid_of, persons, positions
from mixsafe.extract.select import Period, choose, nothing_in, select
from mixsafe.geometry.grid import CellSize, Outlines
from mixsafe.io.columns.reading import Reading, RowRules
from mixsafe.io.contest.reading import PLAIN_CELL, read_public
from mixsafe.io.files.content import PARQUET, head_of
from mixsafe.io.files.csv_records import records
from mixsafe.io.files.table_form import TableForm
from mixsafe.io.files.tables import header_of
from mixsafe.io.problems.true_tracks import PSEUDONYMS, read_true_tracks
from mixsafe.io.sources import at_places, described, read
from mixsafe.io.traces.place_sightings import read_place_sightings
from mixsafe.model.answer.gaps import GREATEST_SPEED, Gaps
from mixsafe.model.course import Course
from mixsafe.model.mobility.complete_traces import Regions
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Positions, Traces
from mixsafe.model.question.requirement import Rule
from mixsafe.model.release import Cells, Sightings, TrueTracks
from mixsafe.release.audit import Audit, answer
from mixsafe.release.evidence import Evidence, Published
from mixsafe.release.exchange import fixes_for
from mixsafe.release.findings import AuditQuestion
from mixsafe.release.possible_tracks import GapReach
from mixsafe.release.true_tracks import check_truth

_CONTEST = ("pse_id", "time_id", "reg_id")

File = str | os.PathLike[str]


@dataclass(frozen=True)
class ReleasePart:
    """How a release is read, and which part of it is looked at.

    Parameters
    ----------
    reading
        What a table does not say itself; its users are pseudonyms.
    period
        ``start``, ``end``, ``days``, ``steps_per_day``: as for
        :class:`mixsafe.extract.select.Period`. What was seen outside of it does not count.
    min_users
        Fewest tracks that make a mix zone, >= 2.
    places
        File of places with outlines, at which tracks meet; None: in the cells of a grid.
    elsewhere
        Tracks meet at those places, and in cells elsewhere.
    """

    reading: Reading = Reading()  # noqa: RUF009 -- it is frozen
    period: Period = field(default_factory=Period)
    min_users: int = 2
    places: File | None = None
    elsewhere: bool = False

    @property
    def whole(self) -> bool:
        """Whether all of the release is looked at."""
        return all(self.period.get(name) is None for name in ("start", "end", "days"))

    @property
    def day(self) -> int:
        """Steps of a day where they are numbered."""
        return self.period.get("steps_per_day", 20)


@dataclass(frozen=True)
class Released:
    """A release, and how its places are numbered.

    Parameters
    ----------
    published
        The tracks.
    n_regions
        In the contest's form: regions 1 to n outside; None: places are numbered as they are.
    outlines
        Of coordinates: cells, and places with outlines; None: places are regions.
    margin
        Steps of the whole release before and after those that are looked at.
    fixes
        Those of the tracks that are sure; None: nothing limits how far people get.
    row_rules
        What becomes of rows that are no data, of sightings, too.
    similar_names
        What alike names of users who were seen are, as for :func:`mixsafe.io.sources.load`.
    """

    published: Published
    n_regions: int | None = None
    outlines: Outlines | None = None
    margin: tuple[int, int] = (0, 0)
    fixes: Traces | None = None
    similar_names: str | None = None
    row_rules: RowRules = RowRules()  # noqa: RUF009 -- it is frozen

    def atlas(self, *, own_regions: bool) -> Atlas | None:
        """Where the places are; None: it is not known, and they have no names.

        Parameters
        ----------
        own_regions
            Regions of the contest's form are the contest's own, which lie in a square.
        """
        names = self.published.zones.place_names
        drawn = self.outlines is not None or (self.n_regions is not None and own_regions)
        if not drawn and names is None:
            return None
        where = self._positions() if drawn else None
        if self.outlines is None:
            return Atlas(None, where, names=names)
        return Atlas(self.outlines.grid, where, self.outlines.shapes)

    def _positions(self) -> Positions:
        """Places of the published tracks, numbered as outside."""
        tracks = self.published
        place = tracks.place + (0 if self.n_regions is None else 1)
        return Positions(tracks.zones.users, tracks.zones.axis, tracks.row, tracks.step, place)


def in_contest_form(path: File) -> bool:
    """Whether a file has the columns of the contest's releases, and its first place no name."""
    if _columns(path, TableForm()) != _CONTEST:
        return False
    if head_of(path).startswith(PARQUET):
        return True
    _, fields = next(islice(records(path), 1, None), (0, ["*"]))
    return re.fullmatch(PLAIN_CELL, fields[-1]) is not None


def read_release(
    path: File,
    *,
    n_regions: int | None = None,
    sets_meet: bool = False,
    cell_size: CellSize = 100.0,
    time_step: int = 60,
    part: ReleasePart | None = None,
    rules: ExchangeRules | None = None,
    exchanged: bool = True,
) -> Released:
    """Read the contest's form, or a table of pseudonyms, times and places.

    Parameters
    ----------
    path
        ``pse_id,time_id,reg_id``; or CSV or Parquet as :func:`mixsafe.io.sources.load` reads it,
        with pseudonyms for users.
    n_regions
        Of the contest's form; None: as many as the contest's 32 x 32.
    sets_meet
        Of the contest's form: tracks that show the same set of regions meet, too.
    cell_size, time_step
        Of coordinates, metres, > 0, or H3 cells as ``h3:9``, and of moments, seconds, >= 1.
    part
        Which part of it, and how it is read; None: all of it, as it says itself.
    rules
        How pseudonyms are exchanged; None: wherever tracks meet. A greatest speed is also that of
        people in gaps.
    exchanged
        False: pseudonyms never change, and a greatest speed is about gaps and about ways from one
        release to another only.

    Raises
    ------
    InputError
        The file cannot be used, or a greatest speed is said of a release without coordinates.
    """
    wanted, said = part or ReleasePart(), rules or ExchangeRules()
    rules = said if exchanged else ExchangeRules()
    similar = wanted.reading.similar_names
    if wanted.reading == Reading(similar_names=similar) and in_contest_form(path):
        if not exchanged:
            refuse_speed(said)
        count = Regions.of_contest().count if n_regions is None else n_regions
        cells, margin = _cut(read_public(Path(path), count, PLAIN_CELL), wanted)
        least = wanted.min_users
        published = Published.of_cells(cells, sets_meet=sets_meet, min_users=least)
        fixes = fixes_for(said, cells)
        published = published.under(rules, fixes, wanted.day)
        return Released(published, count, margin=margin, fixes=fixes, similar_names=similar)
    shortest = replace(wanted.reading.rules, time_step=time_step)
    traces = _tracks(path, replace(wanted.reading, rules=shortest))
    whole = axis_of(traces, time_step)
    if not wanted.whole:
        traces = select(traces, **wanted.period)
    if wanted.places is not None:
        # Sightings elsewhere are in a cell, whether tracks meet in it or not.
        traces = at_places(traces, wanted.places, elsewhere=True)
    # Published tracks are what they are: those that are always together are named.
    traces = persons(traces, cell_size=cell_size, time_step=time_step, keep_together=True)
    places = positions(traces, cell_size=cell_size, time_step=time_step)
    known = traces.region is None
    outlines = Outlines(grid_of(traces, cell_size), traces.shapes) if known else None
    named_only = wanted.places is not None and not wanted.elsewhere
    published = Published.of_positions(
        places, min_users=wanted.min_users, named_only=named_only, shapes=traces.shapes
    )
    if outlines is not None and traces.clock == "unix":
        speed = said.max_speed if isinstance(said.max_speed, float | int) else GREATEST_SPEED
        reach = GapReach(traces, published.zones, outlines, speed, said.error)
        published = replace(published, reach=reach)
    elif not exchanged:
        refuse_speed(said)
    published = published.under(rules, traces, wanted.day)
    fixes = traces if said.limit is not None else None
    margin = _margin(whole, places.axis)
    rows = wanted.reading.rules
    return Released(published, None, outlines, margin, fixes, similar, rows)


def refuse_speed(rules: ExchangeRules) -> None:
    """Refuse a greatest speed in gaps where nobody knows how far places are apart.

    Raises
    ------
    InputError
        There is one.
    """
    if rules.max_speed is not None:
        raise InputError(
            "a greatest speed needs coordinates and a clock, and the release has none",
            hint="leave it out",
        )


def _tracks(path: File, reading: Reading) -> Traces:
    """A table of pseudonyms, times and places.

    Raises
    ------
    InputError
        It is none.
    """
    column = dict(reading.column or {})
    if "user_id" not in column and reading.format in (None, "table"):
        pseudonym = next(
            (name for name in PSEUDONYMS if name in _columns(path, reading.form)), None
        )
        column |= {} if pseudonym is None else {"user_id": pseudonym}
    format = reading.format or ("table" if column and not reading.column else None)
    found = read(path, replace(reading, format=format, column=column or None))
    if not isinstance(found, Traces):
        raise InputError("this is no release", file=path, hint="give pseudonyms, times and places")
    return found


def _columns(path: File, form: TableForm) -> tuple[str, ...]:
    """Names of the columns of a table; none of what is read in another way."""
    return header_of(path, form) if described(path, form) == "table" else ()


def _cut(cells: Cells, wanted: ReleasePart) -> tuple[Cells, tuple[int, int]]:
    """The steps of a release in the contest's form that are looked at, and those around them."""
    if wanted.whole:
        return cells, (0, 0)
    steps = cells.code.shape[1]
    times = np.array([cells.first_time, cells.first_time + steps - 1])
    outline = Traces(np.array([0]), np.zeros(2, np.int32), times, "time_id", region=times)
    (begin, end), _ = choose(outline, **wanted.period)
    first, last = max(begin - cells.first_time, 0), min(end - cells.first_time, steps)
    if first >= last:
        raise nothing_in(outline, (begin, end))
    cut = replace(cells, code=cells.code[:, first:last], first_time=cells.first_time + first)
    return cut, (first, steps - last)


def _margin(whole: TimeAxis, part: TimeAxis) -> tuple[int, int]:
    """Steps of the release before and after a part of it."""
    length = part.step_seconds or 1
    before = max(-(-(part.first - whole.first) // length), 0)
    after = -(-(whole.first + whole.steps * length - part.first - part.steps * length) // length)
    return before, max(after, 0)


def read_knowledge(path: File, released: Released, *, maybe_none: bool = False) -> Sightings:
    """Sightings; the first that fits no track is refused with its line.

    Those outside the part of the release that is looked at do not count.

    Parameters
    ----------
    maybe_none
        Whether nobody need be seen in that part.

    Raises
    ------
    InputError
        The file cannot be used, contradicts the release, or nobody was seen in its part.
    """
    published, (before, _) = released.published, released.margin
    axis = published.zones.axis
    seen = read_place_sightings(
        path,
        _whole_axis(released),
        n_regions=released.n_regions,
        place_names=published.zones.place_names,
        outlines=released.outlines,
        similar_names=released.similar_names,
        rules=released.row_rules,
    )
    step = seen.sightings.step - np.int32(before)
    inside = (step >= 1) & (step <= axis.steps)
    if not inside.any() and not maybe_none:
        raise InputError("nobody was seen in the period that is looked at", file=path)
    # Those outside fit whatever there is: they are dropped below.
    found = published.fitting(np.where(inside, step, np.int32(1)), seen.sightings.place)
    seen.refuse(
        (np.diff(found.ptr) == 0) & inside,
        "no published track was at {} then",
        "the knowledge contradicts the release: were its cells noised?",
    )
    if inside.all():
        return replace(seen.sightings, step=step)
    kept = replace(seen.sightings, step=step).only(np.flatnonzero(inside))
    there = np.zeros(len(kept.users), bool)
    there[kept.user] = True
    return kept.of_users(there)


def _whole_axis(released: Released) -> TimeAxis:
    """The time steps of the whole release, of which a part may be looked at."""
    (before, after), axis = released.margin, released.published.zones.axis
    first = axis.first - before * (axis.step_seconds or 1)
    return replace(axis, first=first, steps=axis.steps + before + after)


def read_truth(
    path: File, released: Released, evidence: Evidence, *, exchanged: bool = True
) -> TrueTracks:
    """The true tracks of the known users, from the secret table of the release.

    What it tells of times outside the part of the release that is looked at does not count.

    Parameters
    ----------
    path
        ``pse_id,user_id``, or by time ``pse_id,time_id,user_id``, as ``mixsafe pseudonymize``
        writes it.
    evidence
        What is known of the release, and of whom.
    exchanged
        Whether pseudonyms may be exchanged in its zones.

    Raises
    ------
    InputError
        As :func:`mixsafe.io.problems.true_tracks.read_true_tracks` and
        :func:`mixsafe.release.true_tracks.check_truth`, or nothing is told of the part.
    """
    before, steps = released.margin[0], released.published.zones.axis.steps
    tracks = released.published.zones.users
    whole, of_part = _whole_axis(released), released.margin != (0, 0)
    found = read_true_tracks(path, evidence.users, tracks, whole, of_part=of_part)
    if found.step is not None:
        step = found.step - before
        inside = (step >= 1) & (step <= steps)
        if not inside.any():
            raise InputError("the truth tells nothing of the period that is looked at", file=path)
        found = TrueTracks(found.user[inside], found.track[inside], step[inside])
    with about(Path(path)):
        check_truth(evidence, found, exchanged=exchanged)
    return found


def read_evidence(
    path: File,
    released: Released,
    *,
    users: int | None = None,
    seed: int = 0,
    gaps: Gaps | str | None = None,
) -> Evidence:
    """A release with what is known about it, as it is audited and weighed.

    Parameters
    ----------
    path
        Sightings, as for :func:`read_knowledge`.
    users
        Size of a random sample of those who were seen; None: all of them.
    gaps
        Which tracks without a fix may belong to a person who was seen then; None: by the strictest
        reading that contradicts nothing.

    Raises
    ------
    InputError
        As :func:`read_knowledge` and :func:`some_users`.
    """
    seen = some_users(read_knowledge(Path(path), released), users, seed)
    return Evidence.of(released.published, seen, Gaps.named(gaps))


def in_one_time(releases: Sequence[Released]) -> list[Released]:
    """Releases that share the sightings of all of them: each knows the time of the others.

    Raises
    ------
    InputError
        Some have clock times, and others number their steps.
    """
    axes = [one.published.zones.axis for one in releases]
    if len({axis.timed for axis in axes}) > 1:
        raise InputError("one release has clock times, and another one numbers its steps")
    lengths = [axis.step_seconds or 1 for axis in axes]
    ends = [axis.first + axis.steps * one for axis, one in zip(axes, lengths, strict=True)]
    first, last = min(axis.first for axis in axes), max(ends)
    return [
        replace(
            release,
            margin=(-((first - axis.first) // length), -((end - last) // length)),
        )
        for release, axis, length, end in zip(releases, axes, lengths, ends, strict=True)
    ]


def some_users(seen: Sightings, count: int | None, seed: int) -> Sightings:
    """The sightings of a random sample of the users; None: of all of them.

    Raises
    ------
    InputError
        A sample that is empty or larger than the users.
    """
    if count is None:
        return seen
    if not 1 <= count <= len(seen.users):
        raise InputError(f"a sample of {count} users is not within 1 to {len(seen.users)}")
    kept = np.zeros(len(seen.users), bool)
    kept[np.random.default_rng(seed).choice(len(kept), count, replace=False)] = True
    return seen.of_users(kept)


def read_reference(path: File, released: Released, steps_per_day: int = 20) -> Sightings:
    """Reference traces at the release's own times, or moved to them by whole days.

    Traces of other days stand for habits: what users did then they are taken to do in the release,
    the first day of the reference on the first day of the release, at the same time of the day.

    Raises
    ------
    InputError
        The file cannot be used, or no time of it falls into the release's.
    """
    axis = released.published.zones.axis
    wide = axis
    if not axis.timed:
        wide = replace(axis, first=1, steps=axis.first + axis.steps + 1_000_000)
    seen = read_place_sightings(
        path,
        wide,
        n_regions=released.n_regions,
        place_names=released.published.zones.place_names,
        outlines=released.outlines,
    ).sightings
    if axis.timed:
        return seen
    step = seen.step.astype(np.int64) - (axis.first - 1)
    if not np.any((step >= 1) & (step <= axis.steps)):
        first = int(step.min()) - 1
        step += -(first // steps_per_day) * steps_per_day
    inside = np.flatnonzero((step >= 1) & (step <= axis.steps))
    if not len(inside):
        raise InputError("no time of the reference falls into the release's", file=path)
    moved = replace(seen, step=step.astype(np.int32))
    return moved.only(inside)


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
    truth: File | None = None,
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
    truth
        The secret table of the release, as :func:`read_truth` reads it: counts how often a follower
        who bets is right.
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
    true = None if truth is None else read_truth(truth, found, asked, exchanged=exchanged)
    return replace(answer(asked, question, begin(), exchanged=exchanged), truth=true)


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
    if rules.believable:
        message = "pseudonyms are never exchanged: nothing is to be believed"
        raise InputError(message, hint="leave out believable")
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
