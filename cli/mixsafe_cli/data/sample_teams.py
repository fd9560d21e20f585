"""Weights trained on a folder of sample teams, and what people are told of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mixsafe.errors import InputError, about
from mixsafe_cli.data.holding.tournament_files import data_set_name
from mixsafe_cli.render.document_lines import document_lines
from mixsafe_cli.render.printing import tell
from mixsafe_cli.render.progress import progress

if TYPE_CHECKING:
    from mixsafe.contest.base.parts import Attacker
    from mixsafe.contest.base.reference import Reference
    from mixsafe.contest.posterior.training import SampleTeam
    from mixsafe.model.mobility.complete_traces import TraceMatrix


def trained(
    folder: Path | None,
    attackers: list[Attacker],
    known: Reference,
    shown: TraceMatrix,
    *,
    quiet: bool,
) -> Reference:
    """Reference traces with weights that were trained on sample teams; None: as they are.

    Parameters
    ----------
    folder
        Original and reference traces of sample teams.
    attackers
        Who attacks: some of them must have weights to train.
    shown
        The target's release, as far as it shows single regions, or its original traces: what
        sample teams must not be.
    quiet
        Whether the table of what was learned is left out.

    Raises
    ------
    InputError
        No attacker has weights; no sample teams; or one that does not fit, or is the target.
    """
    if folder is None:
        return known
    from dataclasses import replace

    from mixsafe.contest.posterior.guesses import PosteriorAttacker
    from mixsafe.contest.posterior.training import check_sample, train

    if not any(isinstance(one, PosteriorAttacker) for one in attackers):
        names = ", ".join(one.short for one in attackers)
        raise InputError(
            f"--train: {names} has no weights to train", hint="use POST, MATCH or POST-T"
        )
    teams = []
    for path, team in read_sample_teams(folder, known):
        with about(path):
            check_sample(team, known.traces, shown)
        teams.append(team)
    with progress(quiet) as report, about(folder):
        found = train(teams, known.rules, partial(report, "teams left out"))
    if not quiet:
        from mixsafe.contest.posterior.training import training_document

        tell(document_lines([training_document(found, len(teams))]))
    return replace(known, trained=found.weights)


def read_sample_teams(folder: Path, known: Reference) -> Iterator[tuple[Path, SampleTeam]]:
    """The sample teams of both challenges, and the file of each one's original traces.

    Raises
    ------
    InputError
        No such folder, no teams in it, a team without its original or reference traces, or traces
        of other regions.
    """
    from mixsafe.contest.posterior.training import SampleTeam
    from mixsafe.contest.tournament.challenges import CHALLENGES
    from mixsafe.io.contest.reading import read_traces
    from mixsafe.io.contest.submissions import find_sets

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
