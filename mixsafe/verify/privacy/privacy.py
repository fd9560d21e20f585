"""One answer to "is everybody protected?", of a verification of traces or an audit of a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.headline import Headline
from mixsafe.model.answer.verdict import DECISIONS, UNDECIDED, UNSAFE
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.verify.privacy.decided import Decided, Ints
from mixsafe.verify.privacy.meeting_places import PlaceWeight
from mixsafe.verify.rows import UserRows

_WORDS = {"safe": "passes", "unsafe": "fails", "undecided": "undecided"}
"""A person's verdict by the rule, in words."""


@dataclass(frozen=True, eq=False)
class PrivacyNumbers:
    """The numbers of the answer, which its document shows.

    Parameters
    ----------
    name
        Of the data, for people.
    zones
        Mix zones.
    headline
        The answer about all people.
    names
        Of all people, by number.
    users
        What was found about those who were asked about.
    best
        (n_users,) the largest number of candidates that is proven of each.
    make_questions
        Makes the questions with their bounds, which only pages show.
    next_steps
        Advice on the verdict.
    notes
        What was merged, dropped or assumed in the data.
    places
        How often all candidates are at one place (``summary["places"]``); None: not counted.
    meetings
        (n_users,) mix zones of each; None: nobody knows whose they are.
    weight
        What colours places; None: the safe time that begins there.
    """

    name: str
    zones: MixZones
    headline: Headline
    names: Names
    users: UserRows
    best: npt.NDArray[np.integer]
    make_questions: Callable[[], Decided]
    next_steps: Sequence[str]
    notes: Sequence[str] = ()
    places: Mapping[str, Any] | None = None
    meetings: npt.NDArray[np.integer] | None = None
    weight: PlaceWeight | None = None

    @cached_property
    def questions(self) -> Decided:
        """The questions with their bounds."""
        return self.make_questions()

    @cached_property
    def order(self) -> Ints:
        """Rows of ``users``, the least protected first.

        Those who fail come first, then those who are safe for less of the time; of equal ones those
        in no mix zone, whom no exchange can protect.
        """
        found = self.users
        severity = np.zeros(len(found.user), np.int64)
        severity[found.verdict == UNSAFE], severity[found.verdict == UNDECIDED] = -2, -1
        meets = np.ones(len(found.user), bool)
        if self.meetings is not None:
            meets = ~np.isin(found.user, self.zones.alone)
        keys = (found.user, self.best[found.user], meets, found.safe_share, severity)
        return np.lexsort(keys).astype(np.int64)

    def people(self, most: int) -> list[tuple[Any, ...]]:
        """Rows of the ``most`` least protected people.

        Returns
        -------
        list
            Name; shares of the time that are safe, known by assumption, followed and undecided; the
            verdict by the rule in a word; fewest and most candidates; mix zones, if they are known.
        """
        found = self.users.those(self.order[:most])
        followed = 1 - found.safe_share - found.undecided_share - found.known_share
        shares = (found.safe_share, found.known_share, followed, found.undecided_share)
        columns = [
            [str(name) for name in self.names[found.user].tolist()],
            *(np.abs(one.round(4)).tolist() for one in shares),
            [_WORDS[DECISIONS[code].value] for code in found.verdict.tolist()],
            found.lower.tolist(),
            self.best[found.user].tolist(),
        ]
        if self.meetings is not None:
            columns.append(self.meetings[found.user].tolist())
        return list(zip(*columns, strict=True))

    def failing(self, most: int) -> list[str]:
        """Names of those who fail by the rule, the least protected first."""
        found = self.users.those(self.order)
        fails = found.user[found.verdict == UNSAFE][:most]
        return [str(name) for name in self.names[fails].tolist()]
