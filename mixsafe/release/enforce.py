"""Whether exchanges make a release private, and what must be suppressed until they do.

What is asked of a user counts at the times at which the release shows her; a suppressed cell tells
nothing. Suppressing cells takes their users out of mix zones, which can take privacy from others
(more zones never do: fact 2), so it is repeated until nothing is left to suppress. The same rule as
requirements on a minimum set of mix zones says where exchanges are needed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError, MixsafeError
from mixsafe.model.course import Course
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements, Rule
from mixsafe.model.release import Cells
from mixsafe.network.wires import WireNetwork
from mixsafe.release.exchange import ZonesOf, visible_zones
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.verification import Verification, answer


@dataclass(frozen=True, eq=False)
class Demand:
    """Requirements on a release.

    Parameters
    ----------
    k
        Minimum number of candidate pseudonyms of each user.
    knowledge
        The adversary's sightings.
    rule
        When a user passes, over the times at which she is shown.
    engine
        Engine; undecided questions count as not private.
    certified
        Keep the proof data, for a certificate.
    """

    k: int
    knowledge: Knowledge
    rule: Rule = field(default_factory=lambda: Rule.default(every_time=True))
    engine: str = "auto"
    certified: bool = False


@dataclass(frozen=True, eq=False)
class Privacy:
    """Which shown cells are (k, t)-private.

    Parameters
    ----------
    shown, safe, undecided
        (n_users, n_steps) bool each: whether the release shows the user at a time, whether she
        has k candidates then, and whether neither that nor the contrary was proven.
    rule
        When a user passes.
    answer
        What was decided, at every time, shown or not; None: it was not kept.
    """

    shown: npt.NDArray[np.bool_]
    safe: npt.NDArray[np.bool_]
    undecided: npt.NDArray[np.bool_]
    rule: Rule
    answer: Verification | None = None

    def __repr__(self) -> str:
        private, shown = int((self.shown & self.safe).sum()), int(self.shown.sum())
        failing = int(self.failing.sum())
        return f"<Privacy: {private:,} of {shown:,} shown cells private, {failing:,} users fail>"

    @property
    def exposed(self) -> npt.NDArray[np.bool_]:
        """(n_users, n_steps) bool: shown cells that are not proven private."""
        return self.shown & ~self.safe

    @property
    def failing(self) -> npt.NDArray[np.bool_]:
        """(n_users,) bool: users who fail by the rule; a user who is never shown passes."""
        total = self.shown.sum(axis=1)
        safe = (self.shown & self.safe).sum(axis=1)
        return np.asarray(safe < self.rule.needed(total))

    @property
    def holds(self) -> bool:
        """Whether every user passes."""
        return not self.failing.any()

    @cached_property
    def asked(self) -> Verification | None:
        """The verdicts at times at which users are shown; no others count."""
        if self.answer is None or self.shown.all():
            return self.answer
        row, step = np.nonzero(self.shown)
        asked = Requirements(
            row.astype(np.int32),
            step.astype(np.int32) + np.int32(1),
            np.full(len(row), self.answer.rows.k[0], np.int32),
        )
        return self.answer.at_steps(asked)


def privacy_of(
    cells: Cells,
    zones: MixZones,
    demand: Demand,
    course: Course,
) -> Privacy:
    """Decide every user and time, exactly, for exchanges at ``zones``.

    Parameters
    ----------
    cells, zones
        The released cells of users, and where pseudonyms are exchanged.
    demand
        What is asked.
    course
        Of the run that the demand limits.

    Raises
    ------
    InputError
        k is below 2.
    """
    problem = Problem("release", zones, demand.knowledge)
    settings = Settings(demand.engine, keep_proof_data=demand.certified)
    found = answer(problem, Query(demand.k, rule=demand.rule), settings, course)
    if found.wires is None:
        raise MixsafeError("internal error: nothing was decided; please report this problem")
    verdict = found.wires["verdict"].astype(str).to_numpy()
    network = WireNetwork.of(zones)
    steps = network.end - np.maximum(network.start, 1) + 1  # step 0 is never shown
    decided = (np.repeat(verdict == word, steps) for word in ("safe", "undecided"))
    safe, undecided = (one.reshape(cells.code.shape) for one in decided)
    return Privacy(cells.code != cells.deleted, safe, undecided, demand.rule, found)


def enforce(
    cells: Cells,
    demand: Demand,
    course: Course,
    zones_of: ZonesOf = visible_zones,
) -> tuple[Cells, Privacy]:
    """Suppress cells until the release verifies.

    Of users who do not pass, all shown cells that are not proven private are suppressed; then the
    mix zones that are left are verified anew. Cells only become fewer, so this ends.

    Parameters
    ----------
    zones_of
        Where pseudonyms are exchanged, of cells that are left.

    Returns
    -------
    Cells, Privacy
        What is left to release, and the proof that every user passes: :attr:`Privacy.holds`.

    Raises
    ------
    InputError
        As :func:`privacy_of`, or k is more than there are users.
    """
    if demand.k > cells.n_rows:
        raise InputError(
            f"k = {demand.k} is more than the {cells.n_rows} users: nothing would be left"
        )
    while True:
        privacy = privacy_of(cells, zones_of(cells), demand, course)
        if privacy.holds:
            return cells, privacy
        code = cells.code.copy()
        code[privacy.exposed & privacy.failing[:, None]] = cells.deleted
        cells = replace(cells, code=code)


def wanted(privacy: Privacy, zones: MixZones, k: int) -> Requirements:
    """Requirements with which each user passes who passes with all zones.

    A rule such as ``some`` leaves open at which times a user is to be private. Of the times at
    which all zones make her private, those are taken at which most users are, since they can share
    zones; the first of equals. A user whom all zones do not let pass keeps what they give her.

    Parameters
    ----------
    privacy
        What all zones make private.
    zones
        All zones.
    k
        Candidates asked for.

    Returns
    -------
    Requirements
        One for each wire: between two meetings of a user all times are alike.
    """
    private = privacy.shown & privacy.safe
    needed = privacy.rule.needed(privacy.shown.sum(axis=1))
    popular = np.argsort(-private.sum(axis=0), kind="stable")
    rank = np.cumsum(private[:, popular], axis=1)
    row, place = np.nonzero(private[:, popular] & (rank <= needed[:, None]))
    step = popular[place] + 1
    wire = WireNetwork.of(zones).wire_at(row, step)
    _, first = np.unique(wire, return_index=True)
    asked = np.full(len(first), k, np.int32)
    return Requirements(row[first].astype(np.int32), step[first].astype(np.int32), asked)
