"""A contest among teams, with the judge's part: distribute, check, pseudonymize, attack, score.

Contest paper, section 3.4: each team obfuscates traces of its own; the judge checks the utility of
what comes back, gives pseudonyms, and hands out the valid releases with all reference traces; each
team attacks every other team's release and the judge's benchmark, traces with nothing but
pseudonyms; the judge's sample attacks are made on all of them, too. What counts for a release is
the strongest attack. A contest of two challenges is two tournaments of the same teams.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from mixsafe.contest.base.parts import AnswerKind
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import Score, privacy_left, utility
from mixsafe.contest.obfuscations import NoObfuscation
from mixsafe.contest.pseudonymizers import PSEUDONYMIZERS, SHUFFLE
from mixsafe.contest.registry import organizers_attackers
from mixsafe.contest.tournament.challenges import CHALLENGES, TRP, Challenge
from mixsafe.contest.tournament.standings import Attack, Standings, TeamEntry
from mixsafe.contest.tournament.teams import (
    Contestant,
    DataSet,
    Numbers,
    Target,
    Team,
    receive_answer,
    receive_cells,
)
from mixsafe.contest.workers import at_work, counted, sealed
from mixsafe.errors import InputError
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.release import Cells, IdTable

BENCHMARK = "pseudonyms only"
"""Name of the judge's own release."""

SAMPLES = 2
"""Data sets that are given to all teams, to try their algorithms on."""

KINDS: tuple[AnswerKind, ...] = ("ids", "traces")
OBFUSCATE, PSEUDONYMIZE, ATTACK = range(3)
"""Phases: each has its own random numbers, so that one does not change the others."""


@dataclass(frozen=True, eq=False)
class JudgedRelease:
    """What the judge made of a valid submission.

    Parameters
    ----------
    release
        Public: cells by pseudonym.
    table
        Secret: who is who.
    """

    release: Cells
    table: IdTable


@dataclass(frozen=True, eq=False)
class Tournament:
    """Who takes part in what.

    Parameters
    ----------
    teams
        Two or more, of different names.
    sets
        A data set for each team; the next is the benchmark's, and up to ``SAMPLES`` more are
        sample traces, which nobody releases.
    rules
        The contest's rules.
    seed
        The judge's secret: whoever knows it undoes the releases.
    pseudonymization
        ``shuffle``, as in the contest, or ``mixzone``.
    challenge
        What releases are ranked by; each challenge has random numbers of its own.

    Raises
    ------
    InputError
        Fewer than two teams, two of one name, or too few or too many data sets.
    """

    teams: Sequence[Contestant]
    sets: Sequence[DataSet]
    rules: Rules
    seed: int
    pseudonymization: str = SHUFFLE
    challenge: Challenge = TRP

    def __post_init__(self) -> None:
        names = [team.name for team in self.teams]
        if len(names) < 2:
            raise InputError("a tournament needs two teams at least")
        if len({*names, BENCHMARK}) <= len(names):
            again = next(name for name in names if [*names, BENCHMARK].count(name) > 1)
            raise InputError(f"two teams are called '{again}'", hint="give each a name of its own")
        if not len(names) <= len(self.sets) <= len(names) + 1 + SAMPLES:
            raise InputError(
                f"{len(self.sets)} data sets for {len(names)} teams",
                hint="one for each team, and if you like one for the judge's benchmark and two"
                " with sample traces",
            )
        _ = PSEUDONYMIZERS[self.pseudonymization]

    @property
    def samples(self) -> Sequence[DataSet]:
        """Sample traces, for everybody."""
        return self.sets[len(self.teams) + 1 :]

    @property
    def released(self) -> range:
        """Numbers of the data sets that are released: the teams', and the benchmark's."""
        return range(min(len(self.sets), len(self.teams) + 1))

    def entrant(self, number: int) -> Contestant:
        """The team of a data set; after the last, the judge, who obfuscates nothing."""
        if number < len(self.teams):
            return self.teams[number]
        return Team(BENCHMARK, NoObfuscation())

    def random(self, phase: int, *numbers: int) -> np.random.Generator:
        """A stream of random numbers of its own for each challenge, phase and team."""
        challenge = CHALLENGES.names().index(self.challenge.name)
        return np.random.default_rng([self.seed, challenge, phase, *numbers])

    def submit(self, number: int) -> tuple[TeamEntry, JudgedRelease | None]:
        """Take in a team's release, check it, and give pseudonyms to it if it is valid."""
        team, original = self.entrant(number), self.sets[number].original
        random = sealed(self.random(OBFUSCATE, number))
        cells, problem = receive_cells(team, original, self.rules, random)
        if cells is None:
            return TeamEntry(team.name, None, problem or "nothing was handed in"), None
        kept = utility(original, cells, self.rules)
        if not kept.valid:
            required = f"{self.rules.required_utility:g}"
            return TeamEntry(team.name, kept, f"utility {kept.value:.4f} is below {required}"), None
        random = self.random(PSEUDONYMIZE, number)
        table = PSEUDONYMIZERS[self.pseudonymization].table(cells, random)
        release = table.publish(cells)
        release.code.flags.writeable = False
        return TeamEntry(team.name, kept), JudgedRelease(release, table)

    def attacks_on(self, victim: int, published: JudgedRelease) -> list[Attack]:
        """All attacks on one release: the judge's samples, and those of every other team."""
        known = Reference(self.sets[victim].reference, self.rules)
        name = self.entrant(victim).name
        found = []
        for place, sample in enumerate(organizers_attackers()):
            random = sealed(self.random(ATTACK, victim, len(self.teams) + place))
            answer = sample.attack(known, published.release, random)
            score = self._score(sample.answers, victim, published, answer)
            found.append(Attack(sample.short, name, sample.answers, team=False, score=score))
        for attacker in range(len(self.teams)):
            if attacker != victim:
                found += self._attacks_of(attacker, victim, published, known)
        return found

    def _attacks_of(
        self, attacker: int, victim: int, published: JudgedRelease, known: Reference
    ) -> Iterator[Attack]:
        """What one team hands in against a release."""
        team, target = self.teams[attacker], Target(attacker + 1, victim + 1)
        streams = self.random(ATTACK, victim, attacker).spawn(len(KINDS))
        for kind, random in zip(KINDS, streams, strict=True):
            answer, problem = receive_answer(
                team, kind, target, known, published.release, sealed(random)
            )
            score = None
            if answer is not None:
                score = self._score(kind, victim, published, answer)
            if score is not None or problem is not None:
                name = self.entrant(victim).name
                yield Attack(team.name, name, kind, team=True, score=score, problem=problem)

    def _score(
        self, kind: AnswerKind, victim: int, published: JudgedRelease, answer: Numbers
    ) -> Score:
        """The judge's score of an answer."""
        original = self.sets[victim].original
        return privacy_left(kind, original, published.table, answer, self.rules)


def hold(
    tournament: Tournament, *, workers: int = 1, progress: Progress = no_progress
) -> tuple[Standings, list[JudgedRelease | None]]:
    """Hold a tournament.

    Parameters
    ----------
    workers
        Processes, >= 1. The result does not depend on it; with more than one, code of teams must
        be importable.
    progress
        Called with what is being done, how much of it is done, and how much there is.

    Returns
    -------
    Standings, list
        What was found; and, for each data set but samples, what was published, None where nothing
        valid was handed in.
    """
    numbers = tournament.released
    with at_work(tournament, min(workers, len(numbers))) as each:
        made = each(Tournament.submit, numbers)
        taken = list(counted(made, len(numbers), partial(progress, "releases")))
        valid = [(number, made) for number, (_, made) in enumerate(taken) if made is not None]
        tell = partial(progress, "releases attacked")
        rounds = counted(each(_attack, valid), len(valid), tell)
        attacks = tuple(attack for some in rounds for attack in some)
    entries = tuple(entry for entry, _ in taken)
    teams = len(tournament.teams)
    benchmark = entries[teams] if len(entries) > teams else None
    standings = Standings(entries[:teams], benchmark, attacks, tournament.challenge)
    return standings, [made for _, made in taken]


def _attack(tournament: Tournament, task: tuple[int, JudgedRelease]) -> list[Attack]:
    """All attacks on one release."""
    return tournament.attacks_on(*task)
