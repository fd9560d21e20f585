"""Description of a source before anything is asked about it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from mixsafe.describing.description import Description, Refused, Source
from mixsafe.describing.measures import fix_facts, fix_map
from mixsafe.describing.reading import File, ReadSource, see
from mixsafe.describing.sizes import sides, size_table
from mixsafe.errors import InputError
from mixsafe.extract.positions import persons
from mixsafe.extract.zones import with_companions
from mixsafe.io.columns.reading import Reading
from mixsafe.machinery.memory import default_memory
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import check_k
from mixsafe.model.tracklets import Feed, LinkProblem

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
