"""Pairs of identifiers that look like links by chance, and how many there are.

Where few links are possible, most of them are true, and the others are too few to learn from. An
adversary makes more: she takes what begins an eighth of the time later (and more) for what begins
now. Of these pairs none is true, and otherwise they are like those of the feed (as
accidental coincidences are measured in physics, by delay).
"""

from __future__ import annotations

from dataclasses import replace

from mixsafe.model.tracklets import LinkProblem, Tracklets
from mixsafe.tracklets.linking import link
from mixsafe.tracklets.rules import LinkRules

_SHARES = (1 / 8, 1 / 4, 3 / 8, 3 / 16, 5 / 16, 7 / 16, 5 / 32, 7 / 32, 9 / 32, 11 / 32)
"""Shares of the time by which beginnings are moved."""

_ENOUGH = 20_000
"""Pairs from which on there is nothing more to learn."""


def delayed(tracklets: Tracklets, rules: LinkRules) -> list[tuple[Tracklets, LinkProblem, float]]:
    """The feed with beginnings that are moved back in time.

    Returns
    -------
    For each delay the tracklets, the pairs that rules allow, and by how much these are fewer than
    the false links of the feed, because no beginnings are known that come later: a factor. Empty:
    the time is too short for a delay.
    """
    length, n_pairs = tracklets.horizon[1] - tracklets.horizon[0], 0
    found = []
    for share in _SHARES:
        seconds = int(length * share)
        if seconds > rules.max_gap and n_pairs < _ENOUGH:
            moved = _moved(tracklets, seconds)
            problem = link(moved, rules, name="by chance")
            found.append((moved, problem, length / (length - seconds)))
            n_pairs += problem.n_links
    return found


def _moved(tracklets: Tracklets, seconds: int) -> Tracklets:
    """The tracklets, as if all began so many seconds earlier."""
    begins = tracklets.begins
    begins = replace(begins, earliest=begins.earliest - seconds, latest=begins.latest - seconds)
    order = tracklets.order
    if order is not None:
        order = order[0] - seconds, order[1]
    return replace(tracklets, begins=begins, order=order)
