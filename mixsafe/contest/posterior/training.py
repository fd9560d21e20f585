"""Weights trained on sample teams, whose truth everybody has, and what training says.

The contest gave all teams the reference and original traces of two teams that did not take part
(contest paper, section 3.4). An attacker learns from them how much each kind of evidence counts:
the original traces are held out, as the last reference day is where there are no such teams. The
document shows the weights, and what they gain on each sample team that was left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.habits import ratios_before
from mixsafe.contest.base.held_out import (
    HeldOut,
    evidence_weights,
    mixture_shares,
    some_users,
    step_evidence,
)
from mixsafe.contest.base.people import Weights, track_evidence
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import reidentification
from mixsafe.contest.posterior.exchanged import weights_of_pieces
from mixsafe.contest.posterior.guesses import PosteriorIds
from mixsafe.contest.posterior.whereabouts import Floats
from mixsafe.documents.document import Column, Document, Table, Value
from mixsafe.errors import InputError
from mixsafe.model.answer.wording import plural
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells
from mixsafe.release.exchange import exchanged_table, shuffled_table

OWN_SHARE = 0.5
"""A sample team with more of its traces in common with the target is the target."""


@dataclass(frozen=True, eq=False)
class SampleTeam:
    """A team whose truth everybody has.

    Parameters
    ----------
    name
        Name of the team, for people.
    reference, original
        Traces of the same users.
    """

    name: str
    reference: TraceMatrix
    original: TraceMatrix

    def of_users(self, name: str, users: npt.NDArray[np.int64] | slice) -> SampleTeam:
        """Some of its users."""
        parts = (
            replace(traces, region=traces.region[users])
            for traces in (self.reference, self.original)
        )
        return SampleTeam(name, *parts)


class _Lesson(NamedTuple):
    """What a team teaches: its held-out traces, and evidence about them."""

    held: HeldOut
    ratio: Floats
    tracks: Floats
    cells: Floats

    @classmethod
    def of_team(cls, team: SampleTeam, rules: Rules) -> _Lesson:
        known, hidden = team.reference, team.original
        step_known, step_hidden = (rules.step_of_day(one.time_ids) for one in (known, hidden))
        day = (known.time_ids - 1) // rules.steps_per_day
        shares = mixture_shares(known.region, step_known, day, rules)
        chosen = some_users(known.n_users)
        held = HeldOut(known.region[chosen], hidden.region[chosen], step_known, step_hidden)
        ratio = ratios_before(held, shares, rules)
        return cls(held, ratio, track_evidence(held, ratio, rules), step_evidence(ratio, held))


def _weights(lessons: Sequence[_Lesson], rules: Rules) -> Weights:
    """The weights that tell the users of all teams apart best."""
    tracks = evidence_weights([one.tracks for one in lessons]).astype(np.float64)
    cells = evidence_weights([one.cells for one in lessons])
    pieces = weights_of_pieces(cells, [(one.held, one.ratio) for one in lessons], rules)
    home, tracks[0] = float(tracks[0]), 0
    return Weights(home, tracks, pieces)


@dataclass(frozen=True, eq=False)
class Fold:
    """What was trained without some users, and what it finds of them.

    Parameters
    ----------
    name
        Whose traces were left out.
    weights
        Trained on all others.
    own, trained
        s_R of POST on their shuffled and exchanged pseudonyms, with weights from their own
        reference traces and with ``weights``.
    """

    name: str
    weights: Weights
    own: tuple[float, float]
    trained: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Training:
    """Weights, and what they gain where they were not trained.

    Parameters
    ----------
    weights
        Trained on all sample teams.
    folds
        Each team left out in turn; of one team, each half of its users.
    """

    weights: Weights
    folds: list[Fold]


def train(
    teams: Sequence[SampleTeam],
    rules: Rules,
    progress: Callable[[int, int], object] | None = None,
) -> Training:
    """Train weights on sample teams, cross-validated.

    Parameters
    ----------
    teams
        One or more; of each, at most 500 users are looked at.
    progress
        Called with the number of teams that were left out, and of all.

    Raises
    ------
    InputError
        No team, or a team of one user.
    """
    if not teams:
        raise InputError("there are no sample teams to train on")
    for team in teams:
        if team.reference.n_users < 2:
            raise InputError(f"{team.name} has one user", hint="use teams of two users or more")
    lessons = [_Lesson.of_team(team, rules) for team in teams]
    weights = _weights(lessons, rules)
    parts = list(teams)
    if len(teams) == 1:
        parts = [
            teams[0].of_users(f"{teams[0].name}, {which} users", slice(first, None, 2))
            for first, which in ((0, "odd"), (1, "even"))
        ]
        lessons = [_Lesson.of_team(part, rules) for part in parts]
    folds = []
    for done, fold in enumerate(_folds(parts, lessons, rules), 1):
        folds.append(fold)
        if progress is not None:
            progress(done, len(parts))
    return Training(weights, folds)


def _folds(parts: Sequence[SampleTeam], lessons: Sequence[_Lesson], rules: Rules) -> Iterator[Fold]:
    """Each part left out in turn."""
    for number, part in enumerate(parts):
        others = [*lessons[:number], *lessons[number + 1 :]]
        weights = _weights(others, rules)
        some = part.of_users(part.name, some_users(part.reference.n_users))
        own, trained = (
            _left(some, Reference(some.reference, rules, one)) for one in (None, weights)
        )
        yield Fold(part.name, weights, own, trained)


def _left(team: SampleTeam, known: Reference) -> tuple[float, float]:
    """s_R of POST on shuffled and on exchanged pseudonyms."""
    cells = Cells.of_regions(
        team.original.region, known.rules.regions.count, team.original.first_time
    )
    random, left = np.random.default_rng(1), []
    for exchanged, make in enumerate((shuffled_table, exchanged_table)):
        table = make(cells, random)
        named = PosteriorIds(exchanged).attack(known, table.publish(cells), random)
        left.append(reidentification(table, named).value)
    return left[0], left[1]


def check_sample(team: SampleTeam, reference: TraceMatrix, shown: TraceMatrix) -> None:
    """Refuse a sample team that does not teach how to attack the target, or that is the target.

    Parameters
    ----------
    reference, shown
        The target's reference traces, and what it releases or its original traces.

    Raises
    ------
    InputError
        Traces of different numbers of users; other times than the target's; or more than half of
        the traces in common with the target, whatever the order of its users.
    """
    if team.reference.n_users != team.original.n_users:
        raise InputError(
            f"{team.original.n_users} users in the original traces, but"
            f" {team.reference.n_users} in the reference traces",
            hint="both must come from one data set",
        )
    pairs = {"reference": (team.reference, reference), "original": (team.original, shown)}
    for kind, (mine, target) in pairs.items():
        found, wanted = ((one.n_steps, one.first_time) for one in (mine, target))
        if found != wanted:
            raise InputError(
                "the {} traces have {} times from {} on".format(kind, *found)
                + ", the target's {} from {} on".format(*wanted),
                hint="train on teams of the target's own contest",
            )
    common = max(_common_share(mine.region, target.region) for mine, target in pairs.values())
    if common > OWN_SHARE:
        raise InputError(
            f"{common:.0%} of the traces are the target's own",
            hint="remove the team: weights are never trained on the target's own truth",
        )


def _common_share(mine: npt.NDArray[np.int32], theirs: npt.NDArray[np.int32]) -> float:
    """Share of the smaller team's different traces that the other team has, too."""
    first, second = ({row.tobytes() for row in one.astype(np.int32)} for one in (mine, theirs))
    return len(first & second) / min(len(first), len(second))


def training_document(found: Training, teams: int) -> Document:
    """The document of weights that were trained on so many sample teams."""
    own, trained = (
        [sum(column) / len(column) for column in zip(*values, strict=True)]
        for values in zip(*((fold.own, fold.trained) for fold in found.folds), strict=True)
    )
    sentence = f"Weights trained on {plural(teams, 'sample team', 'sample teams')}."
    if all(after >= before for before, after in zip(own, trained, strict=True)):
        sentence += " They find no more of those left out than their own reference traces do."
    rows = [
        (fold.name, *_weight_values(fold.weights), *_gains(fold.own, fold.trained))
        for fold in found.folds
    ]
    names = ("shuffled, own", "trained", "gain", "exchanged, own", "trained", "gain")
    scores = (Column(name, "score") for name in names)
    return Document(
        title="Trained weights",
        word="Trained",
        tone="plain",
        sentence=sentence,
        meaning="",
        parts=(
            Table(
                "Gain",
                "s_R of POST on the team left out, with own and trained weights",
                (Column("left out"), Column("home", "score"), Column("later steps"), *scores),
                (
                    *rows,
                    (
                        "none: mean of all rows",
                        *_weight_values(found.weights),
                        *_gains(own, trained),
                    ),
                ),
            ),
        ),
    )


def _weight_values(weights: Weights) -> tuple[Value, Value]:
    """Weights of homes, and of cells at later steps, from the lowest to the highest."""
    later = weights.steps[1:]
    ends = f"{later.min():.3f} to {later.max():.3f}" if len(later) else "none"
    return float(weights.home), ends


def _gains(own: Sequence[float], trained: Sequence[float]) -> list[float]:
    """Scores under own and trained weights, and how much lower the second is."""
    pairs = zip(own, trained, strict=True)
    return [value for before, after in pairs for value in (before, after, before - after)]
