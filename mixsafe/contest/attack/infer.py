"""The organizers' trace inference attacks T1 to T3 (contest paper, 4.1; sample programs, 2.3)."""

from __future__ import annotations

from typing import ClassVar

from mixsafe.contest.attack.reidentify import HomeProb, RandomGuess, VisitProb
from mixsafe.contest.base.parts import AnswerKind


class RandomTraces(RandomGuess):
    """T1: any region, everywhere."""

    short, long = "T1", "T1-rand"
    answers: ClassVar[AnswerKind] = "traces"


class VisitProbTraces(VisitProb):
    """T2, VisitProb-T: re-identify as I2, no user twice, and read her track."""

    short, long = "T2", "T2-VisitProb"
    answers: ClassVar[AnswerKind] = "traces"


class HomeProbTraces(HomeProb):
    """T3, HomeProb-T: re-identify as I3, no user twice, and read her track."""

    short, long = "T3", "T3-HomeProb"
    answers: ClassVar[AnswerKind] = "traces"
