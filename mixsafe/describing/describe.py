"""Description of a source before anything is asked about it.

A source is read as it is: what others refuse is named, and read in the way that it can be.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from mixsafe.describing.description import Description, Dialect, Refused, Source
from mixsafe.describing.measures import fix_facts, fix_map, sides, size_table
from mixsafe.errors import InputError
from mixsafe.extract.positions import persons
from mixsafe.extract.zones import with_companions
from mixsafe.geometry.jumps import without_jumps
from mixsafe.io.columns.fixes import Fixes, traces_of
from mixsafe.io.columns.reading import Reading
from mixsafe.io.files.sniffing import Sniffed
from mixsafe.io.files.table_form import TextForm
from mixsafe.io.formats import Format
from mixsafe.io.gbfs.reading import feed_of
from mixsafe.io.gbfs.snapshots import ZIP, is_json, is_tar
from mixsafe.io.gbfs.wanted import WantedFeed
from mixsafe.io.problems.links import holds_link_problems, read_link_problems
from mixsafe.io.sources import format_of, pieces_of, read
from mixsafe.io.traces.in_pieces import FIX_BYTES, memory_of
from mixsafe.machinery.memory import default_memory
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import check_k
from mixsafe.model.tracklets import Feed, LinkProblem

File = str | os.PathLike[str]
Content = Traces | MixZones | list[Problem] | Feed | list[LinkProblem]

_BATCH = 1 << 20
"""Rows at once of what does not fit into memory."""

_MEANINGS = {"user": "user_id", "region": "reg_id"}
"""Meanings of columns, by the fields of a layout that have other names."""

_ALL_BAD = {"skip_bad": True, "most_bad": "100%"}


class _Way(NamedTuple):
    """A way on where something is refused.

    Parameters
    ----------
    option
        Whose name the advice holds.
    words
        How it is given.
    given
        The options for reading, with it.
    """

    option: str
    words: str
    given: Callable[[Reading], Reading]


def _with_rules(**rules: object) -> Callable[[Reading], Reading]:
    """Options for reading, with other rules for rows."""
    return lambda reading: replace(reading, rules=replace(reading.rules, **rules))  # type: ignore[arg-type]


_WAYS = (
    _Way(
        "--similar-names",
        "--similar-names different",
        lambda reading: replace(reading, similar_names="different"),
    ),
    _Way("--day-first", "--day-first", _with_rules(date_order="day")),
    _Way("--skip-bad", "--skip-bad --most-bad 100%", _with_rules(**_ALL_BAD)),
    _Way("--most-bad", "--skip-bad --most-bad 100%", _with_rules(**_ALL_BAD)),
)
"""Options that do no more than settle what others refuse; one that is advised is taken."""


@dataclass(frozen=True)
class ReadSource:
    """A source that was read.

    Parameters
    ----------
    source
        What it was recognized as.
    content
        What it holds.
    refused
        What other commands refuse.
    notes
        What was read of it, if not all.
    """

    source: Source
    content: Content
    refused: tuple[Refused, ...] = ()
    notes: tuple[str, ...] = ()


def see(files: Sequence[File], reading: Reading, memory: int) -> ReadSource:
    """Read a source, whatever it is.

    Parameters
    ----------
    files
        One, or several of the same traces.
    memory
        Bytes that fixes may take; of a larger source the first ones are read.

    Raises
    ------
    InputError
        It cannot be read, and no option would help; what other commands say of it.
    """
    if len(files) == 1 and holds_link_problems(files[0]):
        problems = read_link_problems(files[0])
        return ReadSource(Source(_name(files), "links", "links", "problems of tracklets"), problems)
    try:
        return _settled(reading, lambda way: _seen(files, way, memory))
    except InputError as error:
        return _feed(files, reading, error)


def _settled(reading: Reading, seen: Callable[[Reading], ReadSource]) -> ReadSource:
    """What is seen, by the options that settle what is refused on the way.

    Raises
    ------
    InputError
        It is refused, and no option would help.
    """
    refused: tuple[Refused, ...] = ()
    while True:
        try:
            return replace(seen(reading), refused=refused)
        except InputError as error:
            way = _way(error, refused)
            if way is None:
                raise
            reading, refused = way.given(reading), (*refused, Refused(str(error), way.words))


def _name(files: Sequence[File]) -> str:
    """Name of a source."""
    more = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
    return f"{Path(files[0]).name}{more}"


def _seen(files: Sequence[File], reading: Reading, memory: int) -> ReadSource:
    """Read traces, zones or problems.

    Raises
    ------
    InputError
        As :func:`mixsafe.io.sources.load`.
    """
    chosen = format_of(files[0], reading)
    source = Source(_name(files), chosen.yields, chosen.name, chosen.about)
    if chosen.pieces is None:
        return ReadSource(source, read(files[0] if len(files) == 1 else list(files), reading))
    parts, notes = _parts(files, reading, memory)
    first = parts[0]
    traces = without_jumps(traces_of(parts, reading.similar_names), reading.rules.drop_spikes)
    return ReadSource(_told(source, chosen, first), traces, notes=notes)


def _parts(
    files: Sequence[File], reading: Reading, memory: int
) -> tuple[list[Fixes], tuple[str, ...]]:
    """The fixes of files, as many as fit into memory, and a note if these are not all."""
    if sum(memory_of(one, reading.form) for one in files) <= memory:
        return list(pieces_of(files, reading, None)), ()
    parts: list[Fixes] = []
    room = memory // FIX_BYTES
    pieces: Iterator[Fixes] = pieces_of(files, reading, min(_BATCH, max(room // 2, 1)))
    for part in pieces:
        parts.append(part)
        room -= len(part.time)
        if room <= 0:
            fixes = sum(len(one.time) for one in parts)
            note = f"only the first {fixes:,} fixes are described: --memory-limit allows no more"
            return parts, (note,)
    return parts, ()


def _told(source: Source, chosen: Format, first: Fixes) -> Source:
    """The source with its dialect and columns."""
    table, layout = first.tables[0], first.layout
    taken = {name: name for name in table.columns if name in table.header}
    if layout is not None:
        what = {**_MEANINGS, "time": "time_id" if layout.numbered else "time"}
        named = vars(layout).items()
        taken = {what.get(one, one): name for one, name in named if isinstance(name, str)}
    left = tuple(name for name in table.header if name not in taken.values())
    about = chosen.about
    if chosen.name == "table":
        about = "a Parquet table" if table.form is None else "a text table"
    dialect = None if table.form is None else _dialect(table.form)
    return replace(source, about=about, dialect=dialect, taken=taken, left=left)


def _dialect(form: TextForm) -> Dialect:
    """How a text is written."""
    return Dialect(form.encoding, form.separator, form.decimal, not form.names, form.before)


def _feed(files: Sequence[File], reading: Reading, error: InputError) -> ReadSource:
    """Read a feed, or trips, which ``links`` takes.

    Raises
    ------
    InputError
        The source is no feed, either: the ``error`` of reading traces, or that of a feed if it
        holds snapshots.
    """
    table = not _has_snapshots(Path(files[0]))
    if len(files) > 1 or (table and _is_known(files[0], reading)):
        raise error
    about = "trips of shared vehicles" if table else "snapshots of GBFS"
    source = Source(_name(files), "feed", "feed", about)
    try:
        return _settled(reading, lambda way: ReadSource(source, feed_of(files[0], _wanted(way))))
    except InputError as other:
        raise (error if table else other) from None


def _wanted(reading: Reading) -> WantedFeed:
    """What is wanted of a feed that is read so."""
    return WantedFeed(
        rules=reading.rules,
        tz=reading.tz,
        columns=reading.column or {},
        similar=reading.similar_names,
        form=reading.form,
    )


def _way(error: InputError, refused: Sequence[Refused]) -> _Way | None:
    """The way on that an error advises; None: it advises none, or that was taken already."""
    taken = {one.taken_as for one in refused}
    ways = (one for one in _WAYS if one.option in (error.hint or ""))
    return next((one for one in ways if one.words not in taken), None)


def _is_known(file: File, reading: Reading) -> bool:
    """Whether a file has the columns of traces, or another format that ``links`` does not take."""
    try:
        format_of(file, reading)
    except InputError:
        return False
    return True


def _has_snapshots(path: Path) -> bool:
    """Whether a file or folder holds snapshots of GBFS, whatever is wrong with them."""
    if path.is_dir():
        return any(is_json(one.name) for one in path.rglob("*"))
    try:
        head = Sniffed(path).unpacked
        return head.startswith(ZIP) or is_tar(head) or b'"last_updated"' in head
    except InputError:
        return False


Counts = dict[str, int | str]


def describe(
    source: File | Sequence[File] | Traces,
    reading: Reading | None = None,
    *,
    k: int = 3,
    seconds: float = 10.0,
    memory: int | None = None,
    keep_together: bool = False,
    progress: Progress = no_progress,
) -> Description:
    """Describe a source: what would be read of it, and which cells and steps it suggests.

    What other commands refuse, such as names that are alike or rows that cannot be read, is among
    what is described, with the option that settles it.

    Parameters
    ----------
    source
        A file or folder, several files of the same traces, or traces.
    reading
        How files are read; None: they say it themselves.
    k
        Candidates that a user needs in the table of sizes, >= 2.
    seconds
        That deciding for that table may take, > 0.
    memory
        Bytes that fixes may take; of a larger source, the first are described. None: half of the
        machine's.
    keep_together
        Users who are always together are different people.
    progress
        Called with what is being done.

    Raises
    ------
    InputError
        The source cannot be read at all, or ``k`` is below 2.
    """
    check_k(k)
    if isinstance(source, Traces):
        seen = ReadSource(Source("traces", "traces", "traces", "traces in memory"), source)
    else:
        files = [source] if isinstance(source, str | os.PathLike) else list(source)
        progress("reading", 0, 0)
        seen = see(files, reading or Reading(), memory or default_memory())
    found = with_companions(seen.content) if isinstance(seen.content, MixZones) else seen.content
    if isinstance(found, Traces):
        return _of_traces(seen, found, k, seconds, keep_together, progress)
    premises = Premises() if isinstance(found, list) else found.premises
    notes = () if isinstance(found, list) else found.notes
    counts = _of_others(found)
    return Description(seen.source, counts, premises=premises, refused=seen.refused, notes=notes)


def _of_traces(
    seen: ReadSource,
    traces: Traces,
    k: int,
    seconds: float,
    keep_together: bool,
    progress: Progress,
) -> Description:
    """The description of traces."""
    if not len(traces.time):
        counts: Counts = {"users": len(traces.users), "fixes": 0}
        notes = (*seen.notes, *traces.notes)
        return Description(seen.source, counts, None, traces.premises, seen.refused, notes=notes)
    progress("measuring", 0, 0)
    sizes, refused = None, seen.refused
    try:
        people = persons(traces, keep_together=keep_together)
        facts = fix_facts(traces, len(people.users))
        sizes = size_table(people, facts, k, seconds, progress)
    except InputError as error:  # a slip in a time: more steps than can be counted
        people, facts = traces, fix_facts(traces, len(traces.users))
        refused = (*refused, Refused(str(error)))
    drawn = fix_map(traces, float(sides(facts)[1]))
    notes = (*seen.notes, *people.notes)
    return Description(seen.source, {}, facts, people.premises, refused, sizes, drawn, notes)


def _of_others(found: MixZones | Feed | list[Problem] | list[LinkProblem]) -> Counts:
    """What there is in a source that holds no traces."""
    if isinstance(found, MixZones):
        return {
            "users": found.n_users,
            "steps": found.axis.steps,
            "period": found.axis.period,
            "zones": len(found),
            "memberships": len(found.members),
        }
    if isinstance(found, Feed):
        return {"identifiers": len(found.tracklets), "times": found.snapshots, "tz": found.tz}
    parts: Counts = {"problems": len(found)}
    if len(found) == 1:
        (one,) = found
        if isinstance(one, LinkProblem):
            return {**parts, "tracklets": len(one), "links": one.n_links}
        users, zones = one.zones.n_users, len(one.zones)
        asked = 0 if one.requirements is None else len(one.requirements)
        parts |= {"users": users, "steps": one.zones.axis.steps, "zones": zones}
        parts |= {"sightings": len(one.knowledge), "requirements": asked}
    return parts
