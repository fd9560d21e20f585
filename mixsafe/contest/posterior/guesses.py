"""POST, MATCH, POST-T and GUESS: the answers that are expected to find most."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.parts import AnswerKind, Believer, ToldOfExchanges
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.posterior.beliefs import in_order
from mixsafe.contest.posterior.reading import PosteriorReader, answers_about, usual_regions
from mixsafe.model.release import Cells


class PosteriorAttacker(ToldOfExchanges):
    """The attackers who believe what all assignments say."""

    one_to_one: ClassVar[bool] = False

    def believe(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> PosteriorReader:
        """Where everybody is, and who is on each track."""
        cells, where = in_order(release, self.exchanged)
        answers = answers_about(reference, cells, self.exchanged)
        return PosteriorReader(answers, where, self.one_to_one)


class PosteriorIds(PosteriorAttacker):
    """POST, re-identification: the likeliest user of each cell over all assignments."""

    short, long = "POST", "POST-Ids"
    answers: ClassVar[AnswerKind] = "ids"


class MatchedIds(PosteriorAttacker):
    """MATCH, re-identification: users one to one at each step, as beliefs have them."""

    short, long = "MATCH", "MATCH-Ids"
    answers: ClassVar[AnswerKind] = "ids"
    one_to_one = True


class PosteriorTraces(PosteriorAttacker):
    """POST-T, trace inference: the region that is expected to find most of each user."""

    short, long = "POST-T", "POST-Traces"
    answers: ClassVar[AnswerKind] = "traces"


class HabitTraces(Believer):
    """GUESS, trace inference: what habits alone are expected to find; reads no release."""

    short, long = "GUESS", "GUESS-Habits"
    answers: ClassVar[AnswerKind] = "traces"

    def attack(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """A region for each user and time."""
        reference.check_fits(release)
        step = reference.rules.step_of_day(release.time_ids)
        return usual_regions(reference)[:, step]
