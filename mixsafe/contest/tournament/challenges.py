"""The two challenges of the contest, each with data sets, a ranking and awards of its own.

Contest paper, footnote 3: every team got two data sets, one for re-identification and one for trace
inference, and whoever kept the highest score in a challenge won its award. Of the second challenge
the paper tells everything, its three awards included; of the first no more than that. Here it
gives an award to the best re-identification, too, as attackers of both were ranked alike.
"""

from __future__ import annotations

from dataclasses import dataclass

from mixsafe.contest.base.parts import AnswerKind
from mixsafe.model.choices import Choices

SCORE_OF: dict[AnswerKind, str] = {"ids": "s_R", "traces": "s_T"}
"""The score of each kind of answer."""

ANONYMIZATION = "anonymization"
ATTACKS: dict[str, AnswerKind] = {"re-identification": "ids", "trace inference": "traces"}
"""Awards for attacks, and what is guessed for them."""


@dataclass(frozen=True)
class Challenge:
    """A challenge.

    Parameters
    ----------
    name, about
        Name in options, and a description in a few words.
    data_set
        What names of its files have after the team's number.
    ranked
        The answers whose score releases are ranked by.
    attackers
        Awards for attacks, of ``ATTACKS``.
    """

    name: str
    about: str
    data_set: str
    ranked: AnswerKind
    attackers: tuple[str, ...]

    @property
    def score(self) -> str:
        """The score that releases are ranked by, as people call it."""
        return SCORE_OF[self.ranked]

    @property
    def awards(self) -> dict[str, tuple[AnswerKind, str]]:
        """What each award goes by: answers, and how they are compared."""
        best = {ANONYMIZATION: (self.ranked, f"highest {self.score},min of a valid release")}
        return best | {
            award: (ATTACKS[award], f"lowest sum of {SCORE_OF[ATTACKS[award]]} over all releases")
            for award in self.attackers
        }


IDP = Challenge("IDP", "ID disclosure", "data01_IDP", "ids", ("re-identification",))
TRP = Challenge("TRP", "trace inference", "data02_TRP", "traces", tuple(ATTACKS))

CHALLENGES: Choices[Challenge] = Choices("challenge", IDP, TRP, besides="both")
"""The challenges of the contest."""
