"""How vehicles move between two identifiers, learned from a feed: with its truth, or without.

What tells a ride from another pair of identifiers is how far it is for its time, and how much
battery or range it takes for its way. Both are tables of likelihood ratios
(:mod:`mixsafe.movement.ratios`). An adversary has no truth: she begins with rides at a usual speed,
believes in links accordingly, learns from her beliefs, and goes on (expectation maximization,
Dempster, Laird and Rubin 1977, with beliefs that fit together for all vehicles at once).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.course import Deadline
from mixsafe.model.tracklets import LinkProblem, Tracklets
from mixsafe.movement.ratios import Binned, RatioTable, log_ratios
from mixsafe.tracklets.marginals import propagated
from mixsafe.tracklets.rules import ComparedTracklets, LinkRules, TrackletPairs

Floats = npt.NDArray[np.float64]

_ROUNDS = (15, 60)
"""Fewest and most rounds of learning; the first ones, which know little, change little."""

_PROPAGATIONS = 8  # of each round: the next one goes on from there

_SETTLED = 0.003
"""Share by which the mean square of beliefs changes in the round after which learning ends."""

_ENOUGH = 100
"""Rides without which nothing is learned."""

_GOES_ON = (0.05, 0.98)
"""Least and greatest share of ends that are taken to go on."""

_USUAL = (7 / 25, 0.7)
"""Usual speed of a ride on the straight line, as a share of the greatest one, and the standard
deviation of its logarithm: what the adversary begins with."""

_MOST_LINKS = 1_000_000
"""Links that are learned from without truth: those of a stretch of time in the middle."""

_CERTAIN = 25.0
"""Largest logarithm of a likelihood ratio."""


@dataclass(frozen=True, eq=False)
class RideModel:
    """What is known of rides.

    Parameters
    ----------
    tables
        Of likelihood ratios; none: only the usual speed of rides.
    goes_on
        Share of ends that another identifier goes on from.
    learned
        From what: ``beliefs`` (without truth), ``truth``, ``nothing`` (too few rides), or the name
        of a file.
    rides
        Number of rides that it was learned from.
    """

    tables: tuple[RatioTable, ...]
    goes_on: float
    learned: str
    rides: int

    def to_dict(self) -> dict[str, Any]:
        """The model as JSON."""
        return {
            "goes_on": self.goes_on,
            "learned": self.learned,
            "rides": self.rides,
            "tables": [table.to_dict() for table in self.tables],
        }

    @classmethod
    def from_dict(cls, said: Mapping[str, Any], name: str) -> RideModel:
        """The model from what :meth:`to_dict` says.

        Raises
        ------
        InputError
            It is no model.
        """
        try:
            goes_on, rides = float(said["goes_on"]), int(said["rides"])
            tables = tuple(RatioTable.from_dict(table) for table in said["tables"])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{name} has no movement model of rides") from error
        if not 0 < goes_on < 1:
            raise InputError(f"{name}: the share of ends that go on, {goes_on:g}, is not in 0 to 1")
        return cls(tables, goes_on, name, rides)


@dataclass(frozen=True, eq=False)
class RideLinks:
    """Links of a feed, with what a model looks at.

    Parameters
    ----------
    problem
        Tracklets and links.
    rules
        That the links are by.
    features
        (n_links,) each: ``distance`` (metres), ``time`` (seconds), ``battery`` (share of a full
        one that is spent) and ``range`` (metres that are spent); not a number: not known.
    """

    problem: LinkProblem
    rules: LinkRules
    features: Mapping[str, Floats]

    @classmethod
    def of(cls, tracklets: Tracklets, problem: LinkProblem, rules: LinkRules) -> RideLinks:
        """The links of tracklets."""
        ends, begins = tracklets.ends, tracklets.begins
        end, begin = problem.owner.astype(np.int64), problem.to.astype(np.int64)
        pairs = TrackletPairs(ComparedTracklets(tracklets), end, begin)
        features = {
            "distance": np.sqrt(pairs.squared_distance),
            "time": np.maximum(
                (begins.earliest + begins.latest)[begin] - (ends.earliest + ends.latest)[end], 0
            )
            / 2,
        }
        for name in ("battery", "range"):
            if name in ends.fields and name in begins.fields:
                before, after = pairs.of(name)
                features[name] = before - after
        return cls(problem, rules, features)

    def those(self, chosen: npt.NDArray[np.bool_]) -> RideLinks:
        """Some of the links."""
        nobody = np.zeros(len(self.problem), bool)
        features = {name: values[chosen] for name, values in self.features.items()}
        return RideLinks(self.problem.restricted(chosen, nobody, nobody), self.rules, features)

    @property
    def n_rides(self) -> int:
        """Ends with a link."""
        return int(np.count_nonzero(np.diff(self.problem.ptr)))

    @cached_property
    def competitors(self) -> Floats:
        """(n_links,) candidates that a link competes with: geometric mean of both its sides.

        Fleets are busy by day and quiet at night, so one mean of all links would not do.
        """
        problem, n = self.problem, len(self.problem)
        out, into = np.diff(problem.ptr), np.bincount(problem.to, minlength=n)
        found: Floats = np.sqrt(out[problem.owner] * into[problem.to])
        return found

    def weights(self, log_ratio: Floats, goes_on: float) -> Floats:
        """(n_links,) weights beside 1 for an end or a beginning without a link.

        With random ratios, the expected share of ends that have a link is then ``goes_on``.
        """
        odds = goes_on / (1 - goes_on) ** 2 / self.competitors
        weight: Floats = np.exp(np.clip(log_ratio, -_CERTAIN, _CERTAIN)) * odds
        return weight

    def usual(self) -> Floats:
        """(n_links,) logarithms of likelihood ratios by the usual speed and time of rides."""
        speed, spread = _USUAL
        usual = speed * self.rules.max_speed
        far = np.nan_to_num(self.features["distance"], nan=0.0)
        shortest = max(self.rules.max_gap / 48, 1.0)
        time = np.maximum(self.features["time"], shortest)
        place_error = 5 * max(self.rules.error, 1.0)
        off = np.log(np.maximum(far, place_error) / time * 3.6 / usual) / spread
        log_ratio: Floats = -off * off / 2 - time / (self.rules.max_gap / 6 + 1.0)
        if len(log_ratio):
            log_ratio -= np.log(np.exp(log_ratio).mean())
        return log_ratio

    def binned(self) -> tuple[Binned, ...]:
        """What is put into bins: the more rides, the finer."""
        fine = int(np.clip(1.2 * np.cbrt(self.n_rides), 6, 24))
        far = np.concatenate([[0.0], np.geomspace(50, max(self._most("distance"), 100), fine - 1)])
        time = np.linspace(0, max(self._most("time"), 1.0), fine, endpoint=False)
        found = [Binned(("distance", "time"), (far, time))]
        spent = self._spent()
        if spent is not None:
            amounts = self.features[spent]
            low, high = np.nanpercentile(amounts, [0.5, 99.5])
            if high > low:
                coarse = far[:: max(1, fine // 12)]
                steps = np.linspace(low, high, 5 * fine, endpoint=False)
                found.append(Binned(("distance", spent), (coarse, steps), given=1))
        return tuple(found)

    def _most(self, name: str) -> float:
        values = self.features[name]
        known = values[np.isfinite(values)]
        return float(known.max()) if len(known) else 0.0

    def _spent(self) -> str | None:
        """Range or battery, which say the same: the one that is finer; None: neither is known."""
        distinct = {
            name: len(np.unique(self.features[name][np.isfinite(self.features[name])]))
            for name in ("range", "battery")
            if name in self.features
        }
        best = max(distinct, key=distinct.__getitem__, default=None)
        return best if best is not None and distinct[best] > 1 else None


def usual_model(links: RideLinks) -> RideModel:
    """What is known without learning: rides at a usual speed."""
    return RideModel((), 0.9, "nothing", links.n_rides)


def log_ratios_of(links: RideLinks, model: RideModel) -> Floats:
    """(n_links,) logarithms of likelihood ratios by a model.

    Raises
    ------
    InputError
        The model looks at a field that the feed does not have.
    """
    if not model.tables:
        return links.usual()
    for table in model.tables:
        for name in table.binned.names:
            if name not in links.features:
                raise InputError(
                    f"the movement model of {model.learned} looks at the {name}, which this feed"
                    " does not have",
                    hint="learn it from a feed with the same fields, or leave it out",
                )
    return log_ratios(model.tables, links.features)


def learn_from_truth(links: RideLinks, true: npt.NDArray[np.bool_]) -> RideModel:
    """Learn from rides that are known.

    Parameters
    ----------
    true
        (n_links,) links that are true.
    """
    n_true = int(np.count_nonzero(true))
    if n_true < _ENOUGH:
        return usual_model(links)
    belief = true.astype(np.float64)
    tables = tuple(b.learn(b.bins(links.features), belief) for b in links.binned())
    return RideModel(tables, _share(n_true, links), "truth", n_true)


def learn_by_beliefs(links: RideLinks, deadline: Deadline | None = None) -> RideModel | None:
    """Learn without truth, as an adversary must; None: the time was up before she had learned."""
    deadline = Deadline(None) if deadline is None else deadline
    if links.n_rides < _ENOUGH:
        return usual_model(links)
    links = links.those(_middle(links.problem))
    binned = links.binned()
    bins = [some.bins(links.features) for some in binned]
    log_ratio, goes_on = links.usual(), 0.9
    tables: tuple[RatioTable, ...] = ()
    messages: Floats | None = None
    sure = 0.0
    least, most = _ROUNDS
    for done in range(most):
        if deadline.passed:
            return None
        weight = links.weights(log_ratio, goes_on)
        belief, messages = propagated(links.problem, weight, messages, _PROPAGATIONS)
        before, sure = sure, float((belief * belief).sum()) / links.n_rides
        if done >= least and abs(sure - before) < _SETTLED * sure:
            break
        goes_on = _share(float(belief.sum()), links)
        tables = tuple(b.learn(number, belief) for b, number in zip(binned, bins, strict=True))
        log_ratio = np.zeros(links.problem.n_links)
        for table, number in zip(tables, bins, strict=True):
            log_ratio += table.of_bins(number)
    return RideModel(tables, goes_on, "beliefs", links.n_rides)


def _share(n_rides: float, links: RideLinks) -> float:
    """Share of the ends that go on, within what is believable."""
    return float(np.clip(n_rides / max(links.n_rides, 1), *_GOES_ON))


def _middle(problem: LinkProblem) -> npt.NDArray[np.bool_]:
    """(n_links,) links that are learned from: all, or those of ends in the middle of the time."""
    if problem.n_links <= _MOST_LINKS:
        return np.ones(problem.n_links, bool)
    order = np.argsort(problem.last[problem.owner], kind="stable")
    begin = (len(order) - _MOST_LINKS) // 2
    chosen = np.zeros(len(order), bool)
    chosen[order[begin : begin + _MOST_LINKS]] = True
    return chosen
