"""Rules tested against the truth: the links that happened and that each excludes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.tracklets import Tracklets
from mixsafe.tracklets.rules import ComparedTracklets, LinkRules, TrackletPairs, rules_of


@dataclass(frozen=True)
class RuleCheck:
    """A rule, and the true links that it excludes.

    Parameters
    ----------
    name, sentence
        Of the rule.
    excluded, of
        Number of true links that it excludes, and of all.
    low, high
        Share of links that it excludes: Wilson's 95% interval (Wilson 1927); 0 to 1 without links.
    """

    name: str
    sentence: str
    excluded: int
    of: int
    low: float
    high: float

    @property
    def sound(self) -> bool:
        """Whether it excludes none; if it does, what follows from it is not proven."""
        return not self.excluded


def true_links(tracklets: Tracklets) -> npt.NDArray[np.int64]:
    """(n_links, 2) numbers of tracklets that follow each other on one vehicle.

    Raises
    ------
    InputError
        The truth is not known, or a vehicle has two identifiers at one time.
    """
    if tracklets.truth is None:
        raise InputError("the data do not say which vehicle an identifier is of")
    order = np.lexsort((tracklets.first, tracklets.truth))
    vehicle = tracklets.truth[order]
    follow = np.flatnonzero(vehicle[1:] == vehicle[:-1])
    links: npt.NDArray[np.int64] = np.stack([order[follow], order[follow + 1]], axis=1)
    at_once = tracklets.last[links[:, 0]] >= tracklets.first[links[:, 1]]
    if at_once.any():
        one, other = links[int(at_once.argmax())]
        raise InputError(
            f"identifiers '{tracklets.ids[one]}' and '{tracklets.ids[other]}' are of one vehicle"
            " and published at the same time",
            hint="is the truth the name of a vehicle?",
        )
    return links


def check_rules(tracklets: Tracklets, rules: LinkRules) -> tuple[RuleCheck, ...]:
    """Count the true links that each rule excludes.

    Raises
    ------
    InputError
        As :func:`true_links`.
    """
    from scipy import stats

    links = true_links(tracklets)
    pairs = TrackletPairs(ComparedTracklets(tracklets), links[:, 0], links[:, 1])
    found = []
    for rule in rules_of(tracklets, rules):
        excluded, low, high = int(np.count_nonzero(~rule.allows(pairs))), 0.0, 1.0
        if len(pairs):
            interval = stats.binomtest(excluded, len(pairs)).proportion_ci(method="wilson")
            low, high = float(interval.low), float(interval.high)
        found.append(RuleCheck(rule.name, rule.sentence, excluded, len(pairs), low, high))
    return tuple(found)
