"""Sample teams of a contest, whose truth everybody has: attackers are trained on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.posterior.training import SampleTeam, check_sample, train, training_document
from mixsafe.contest.tournament.challenges import CHALLENGES
from mixsafe.documents.document import Document
from mixsafe.errors import InputError, about
from mixsafe.from_files.tournaments.data_sets import data_set_name
from mixsafe.io.contest.reading import read_traces
from mixsafe.io.contest.submissions import find_sets
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.progress import Progress, no_progress


def trained_on(
    folder: Path, known: Reference, shown: TraceMatrix, progress: Progress = no_progress
) -> tuple[Reference, Document]:
    """Reference traces with weights that were trained on sample teams, and what was learned.

    Parameters
    ----------
    folder
        Original and reference traces of sample teams.
    known
        Reference traces of the target.
    shown
        The target's release, as far as it shows single regions, or its original traces: what
        sample teams must not be.

    Raises
    ------
    InputError
        No sample teams; or one that does not fit, or is the target.
    """
    teams = []
    for path, team in read_sample_teams(folder, known):
        with about(path):
            check_sample(team, known.traces, shown)
        teams.append(team)
    with about(folder):
        training = train(teams, known.rules, partial(progress, "teams left out"))
    return replace(known, trained=training.weights), training_document(training, len(teams))


def read_sample_teams(folder: Path, known: Reference) -> Iterator[tuple[Path, SampleTeam]]:
    """The sample teams of both challenges, and the file of each one's original traces.

    Raises
    ------
    InputError
        No such folder, no teams in it, a team without its original or reference traces, or traces
        of other regions.
    """
    if not folder.is_dir():
        raise InputError("the folder does not exist", file=folder)
    names = [data_set_name(challenge) for challenge in CHALLENGES]
    # A file that names no data set is of both challenges.
    files = dict.fromkeys(pair for name in names for pair in find_sets(folder, name))
    if not files:
        wanted = " and ".join(names[0].file(kind, 1) for kind in ("orgtraces", "reftraces"))
        raise InputError("there are no sample teams", file=folder, hint=f"name files {wanted}")
    count = known.rules.regions.count
    for original, reference in files:
        name = original.stem.removeprefix("orgtraces_")
        traces = (read_traces(path, count) for path in (reference, original))
        yield original, SampleTeam(name, *traces)
