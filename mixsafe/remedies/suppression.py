"""Suppression: stretches that are hidden, and people who are left out (docs/develop/facts.md).

Cells with too few candidates are not published. How many candidates there are on a track at a time
depends on the zones and the sightings only, not on who was on which track. The adversary knows
both. So what is hidden tells her nothing, if it is hidden by the number of candidates alone: for
everybody, whether or not the person passes.

The largest group are people who pass among themselves. Without a person nobody else has more
candidates. So whoever fails now fails in every smaller group, and leaving out whoever fails, round
after round, ends with the one largest group whose members all pass, as it ends with the k-core of a
graph (Seidman 1983).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mixsafe.model.answer.verdict import SAFE, UNDECIDED, UNSAFE, Verdict
from mixsafe.model.course import Course
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements, Rule
from mixsafe.remedies.publication import Flags, Publication
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.rows import Rows
from mixsafe.verify.verification import Verification, answer


@dataclass(frozen=True, eq=False)
class Hiding:
    """Stretches of tracks that are not published.

    Parameters
    ----------
    answer
        What verify says of every wire, or of everybody at some steps.
    """

    answer: Verification

    @property
    def rows(self) -> Rows:
        """Stretches that were asked about, hidden or not."""
        return self.answer.rows

    @property
    def hidden(self) -> Flags:
        """(n_rows,) stretches that are not proven to have enough candidates."""
        return np.asarray(self.rows.verdict != SAFE)

    @property
    def open(self) -> int:
        """Stretches that are undecided.

        Which these are depends on how candidates were searched for, and so on the truth. While
        there are any, what is hidden may tell something.
        """
        return int(np.count_nonzero(self.rows.verdict == UNDECIDED))

    @property
    def share_of_time(self) -> float:
        """Share of everybody's time that is hidden."""
        weight = self._weight
        return float(weight[self.hidden].sum() / max(weight.sum(), 1))

    @property
    def _weight(self) -> npt.NDArray[np.int64]:
        """(n_rows,) steps of each stretch; 0 if there are no data of the user."""
        counts = np.ones(self.answer.problem.zones.n_users, bool)
        counts[self.answer.problem.zones.absent] = False
        return self.rows.weight.astype(np.int64) * counts[self.rows.user]

    @property
    def shown(self) -> Flags:
        """(n_users,) those of whom something is published.

        Of whoever is asked about at some steps only, the other steps are published in any case.
        """
        if not self.answer.every_wire:
            return self._there
        shown = np.zeros(self.answer.problem.zones.n_users, bool)
        shown[self.rows.user[~self.hidden & (self._weight > 0)]] = True
        return shown

    @property
    def unseen(self) -> Flags:
        """(n_users,) those with data of whom nothing is published."""
        return self._there & ~self.shown

    @property
    def _there(self) -> Flags:
        """(n_users,) those with data who were asked about."""
        there = np.zeros(self.answer.problem.zones.n_users, bool)
        there[self.rows.user[self._weight > 0]] = True
        return there

    @property
    def verdict(self) -> Verdict:
        """SAFE if something is published and everything hidden is proven to fail."""
        if self.open:
            return Verdict.UNDECIDED
        return Verdict.SAFE if self.shown.any() else Verdict.UNSAFE

    def stretch_of(
        self, user: npt.NDArray[np.integer], step: npt.NDArray[np.integer]
    ) -> npt.NDArray[np.int64]:
        """(n,) stretch in which each of n cells of a user at a step lies; -1: in none."""
        rows, width = self.rows, np.int64(self.answer.problem.zones.axis.steps + 1)
        starts = rows.user * width + rows.start
        order = np.append(-1, np.argsort(starts, kind="stable"))
        row = order[np.searchsorted(starts[order[1:]], user * width + step, side="right")]
        inside = (rows.user[row] == user) & (rows.end[row] >= step) if len(rows.user) else False
        return np.where((row >= 0) & inside, row, -1)

    def covers(
        self, user: npt.NDArray[np.integer], step: npt.NDArray[np.integer]
    ) -> npt.NDArray[np.bool_]:
        """(n,) whether the cell of a user at a step is hidden, of n cells."""
        return np.append(self.hidden, False)[self.stretch_of(user, step)]

    def published(self) -> tuple[Problem, Query]:
        """The question of what is left: each published stretch has enough candidates.

        Exchanges are those of the whole data: people exchange pseudonyms in all mix zones, also
        where the cells of some, or of all, are hidden.
        """
        left, rows = ~self.hidden & (self._weight > 0), self.rows
        asked = Requirements(
            rows.user[left].astype(np.int32),
            rows.end[left].astype(np.int32),
            rows.k[left].astype(np.int32),
        )
        problem = self.answer.problem
        posed = Problem(f"{problem.name}, published", problem.zones, problem.knowledge, asked)
        return posed, Query(rule=Rule("every"))


@dataclass(frozen=True, eq=False)
class LargestGroup:
    """The largest group whose members all pass among themselves, or bounds on it.

    Parameters
    ----------
    asked
        The question.
    round
        (n_users,) int32: round in which a person was left out, from 1 on; 0: kept; -1: of no
        concern, as there are no data.
    at_best
        (n_users,) bool: a group that contains the largest one. Only proven failures were left out.
    answer
        What verify says of the kept among themselves; None: nobody is left.
    """

    asked: Publication
    round: npt.NDArray[np.int32]
    at_best: Flags
    answer: Verification | None

    def __repr__(self) -> str:
        kept, n_users = int(self.kept.sum()), len(self.round)
        return f"<LargestGroup: {kept:,} of {n_users:,} users kept>"

    @property
    def kept(self) -> Flags:
        """(n_users,) a group that passes: part of the largest one, and all of it if exact."""
        return np.asarray(self.round == 0)

    @property
    def left_out(self) -> Flags:
        """(n_users,) those who are not kept."""
        return np.asarray(self.round > 0)

    @property
    def exact(self) -> bool:
        """Whether this is the largest group, proven."""
        return bool(np.array_equal(self.kept, self.at_best))

    @property
    def rounds(self) -> int:
        """Rounds in which somebody was left out."""
        return int(self.round.max(initial=0))

    @property
    def table(self) -> pd.DataFrame:
        """A row per person: user_id, kept, round (in which she was left out; 0: kept)."""
        there = self.round >= 0
        zones = self.asked.problem.zones
        found = {"kept": self.kept[there], "round": self.round[there]}
        table = pd.DataFrame({"user_id": zones.users[there], **found})
        return with_other_names(table, zones.premises)

    def to_dict(self) -> dict[str, Any]:
        """Names of the kept, of those left out and, where it is not exact, of the kept at best."""
        users = self.asked.problem.zones.users
        found = {"kept": users[self.kept].tolist(), "left_out": users[self.left_out].tolist()}
        if not self.exact:
            found["kept_at_best"] = users[self.at_best].tolist()
        return found


def largest_group(
    asked: Publication,
    settings: Settings,
    course: Course,
    first: Verification | None = None,
) -> LargestGroup:
    """Find the largest group of people who all pass among themselves.

    Whoever fails is left out, and the rest verified again, until nobody fails. Where somebody is
    undecided then, that is an upper bound. Leaving out the undecided, too, ends with a group that
    passes: a lower bound.

    Parameters
    ----------
    asked
        The question.
    settings
        Who decides.
    course
        Of all rounds together.
    first
        The answer for everybody, if it is known.

    Raises
    ------
    InputError
        As :func:`mixsafe.verify.verification.verify`.
    """
    kept, at_best = asked.everybody, None
    round_of = np.where(kept, 0, -1).astype(np.int32)
    found = first
    while kept.any():
        if found is None:
            found = answer(*asked.among(kept), settings, course)
        people = found.user_rows
        fails, open_ = people.verdict == UNSAFE, people.verdict == UNDECIDED
        if at_best is None and not fails.any():
            at_best = kept.copy()
        leaving = people.user[fails if at_best is None else fails | open_]
        if not len(leaving):
            break
        kept[leaving] = False
        round_of[leaving] = round_of.max() + 1
        found = None
    return LargestGroup(asked, round_of, kept if at_best is None else at_best, found)


def with_other_names(table: pd.DataFrame, premises: Premises) -> pd.DataFrame:
    """A table with a row per person, and a row for each other name that a person has.

    A list of users is for data in which these are users: it must name all that are kept.
    """
    row = {str(name): place for place, name in enumerate(table["user_id"].tolist())}
    others = {name: row[one] for name, one in premises.aliases.items() if one in row}
    if not others:
        return table
    more = table.iloc[list(others.values())].copy()
    more["user_id"] = pd.array(list(others)).astype(table["user_id"].dtype)
    return pd.concat([table, more], ignore_index=True)
