"""The implicit hitting set: sets of sightings are proposed until one of them breaks a target."""

from __future__ import annotations

import numpy as np

from mixsafe.breaking.allowed import Allowed, SightingChoices
from mixsafe.breaking.asking import Asking
from mixsafe.breaking.breaking_answer import STATUSES, Number
from mixsafe.breaking.hitting import OutOfTimeError, smallest
from mixsafe.breaking.killing import Killing, Witness, numbers, survives
from mixsafe.breaking.targets import BreakingTarget
from mixsafe.journal.steps import Entry
from mixsafe.model.limits import Deadline
from mixsafe.network.wires import WireNetwork


def number_of(kept: Entry) -> Number:
    """A number as it was kept."""
    lower, upper, status = kept["bounds"].tolist()
    rows, steps = kept["sightings"].tolist()
    sightings = tuple(zip(rows, steps, strict=True))
    return Number(lower, None if upper < 0 else upper, STATUSES[status], sightings)


class BreakingSearch:
    """Numbers of targets, one after the other.

    Parameters
    ----------
    asking
        Whom to ask.
    network
        All wires.
    allowed
        Which sightings there may be.
    at_most
        Larger sets are not looked for.
    deadline
        When to give up.
    """

    def __init__(
        self,
        asking: Asking,
        network: WireNetwork,
        allowed: Allowed,
        at_most: int,
        deadline: Deadline,
    ) -> None:
        self._asking, self._network, self._allowed = asking, network, allowed
        self._at_most, self._deadline = at_most, deadline
        self.given_up = Number(0, None, "undecided")

    def entry(self, target: BreakingTarget) -> Entry | None:
        """The number of a target, to be kept; None: the time was up, and it is in ``given_up``."""
        number = self.number(target)
        if self._deadline.passed and number.status == "undecided":
            self.given_up = number
            return None
        upper = -1 if number.upper is None else number.upper
        sightings = np.array(number.sightings, np.int64).reshape(-1, 2).T
        bounds = np.array([number.lower, upper, STATUSES.index(number.status)])
        return {"bounds": bounds, "sightings": sightings}

    def number(self, target: BreakingTarget) -> Number:
        """How many sightings break a target: sets are proposed, until one of them does.

        Each proposal is a smallest set that kills all witnesses so far. If it does not break the
        target, a witness says so, which is one more to be killed.
        """
        choices = self._allowed.for_target(target, self._network)
        swapping = self._asking.about(target, choices)
        witnesses: list[Witness] = []
        everything = (1 << len(choices.row)) - 1
        lower, certain = 0, True
        while True:
            try:
                chosen = smallest(witnesses, lower, self._at_most, self._deadline)
            except OutOfTimeError:
                return Number(lower, None, "undecided")
            if chosen is None:
                never = any(survives(one, everything) for one in witnesses)
                if not certain:
                    return Number(lower, None, "undecided")
                return Number(self._at_most + 1, None, "never" if never else "robust")
            size = chosen.bit_count()
            lower = max(lower, size) if certain else lower
            answer = self._asking.ask(target, choices, swapping, chosen)
            if answer.fails:
                status = "broken" if size == lower else "undecided"
                return Number(lower, size, status, _pairs(choices, chosen))
            if answer.fails is None:  # other sets are looked at, but no bound rises any more
                certain = False
                witnesses.append((Killing(everything & ~chosen),))
            else:
                witnesses.append(answer.witness)


def _pairs(choices: SightingChoices, chosen: int) -> tuple[tuple[int, int], ...]:
    """Row and step of each sighting of a set."""
    return tuple((int(choices.row[i]), int(choices.time[i])) for i in numbers(chosen))
