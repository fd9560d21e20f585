"""How vehicles move between two identifiers, learned from a feed: with its truth, or without.

What tells a ride from another pair of identifiers is how far it is for its time, and how much
battery or range it takes for its way. Where messages say heading and speed
(:mod:`mixsafe.tracklets.dead_reckoning`), it is how far a vehicle is from where these lead. All are
tables of likelihood ratios
(:mod:`mixsafe.movement.ratios`). An adversary has no truth: she begins with rides at a usual speed,
believes in links accordingly, learns from her beliefs, and goes on (expectation maximization,
Dempster, Laird and Rubin 1977, with beliefs that fit together for all vehicles at once).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.course import Deadline
from mixsafe.model.tracklets import LinkProblem, Tracklets
from mixsafe.movement.ratios import Binned, RatioTable, log_ratios
from mixsafe.tracklets.chance_pairs import delayed
from mixsafe.tracklets.dead_reckoning import (
    CHANGES,
    NEEDS,
    REMAINS,
    SECONDS,
    UNRECKONED,
    are_of_course,
    dead_reckoning,
)
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

_ACCELERATION = 1.5
"""Usual acceleration of a vehicle that does not keep its course, m/s²."""

_FINEST = 0.25
"""Metres, degrees and m/s by which dead reckoning is told apart at best."""

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

    @property
    def looks_at_course(self) -> bool:
        """Whether a table is about heading or speed."""
        return any(are_of_course(table.binned.names) for table in self.tables)

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


class ByChance(NamedTuple):
    """What false links look like (:mod:`mixsafe.tracklets.chance_pairs`), and how many there are.

    Parameters
    ----------
    features
        (n_pairs,) each, as those of :class:`RideLinks`.
    expected
        Number of false links that are expected.
    """

    features: Mapping[str, Floats]
    expected: float

    def counts(self, binned: Binned) -> Floats:
        """(n_bins,) false links that are expected in each bin."""
        counts = binned.counts(binned.bins(self.features))
        return counts * (self.expected / max(len(self.features["distance"]), 1))


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
        one that is spent) and ``range`` (metres that are spent), and those of
        :func:`~mixsafe.tracklets.dead_reckoning.dead_reckoning`; not a number: not known.
    by_chance
        What false links look like; None: as the links that are not believed in.
    """

    problem: LinkProblem
    rules: LinkRules
    features: Mapping[str, Floats]
    by_chance: ByChance | None = None

    @classmethod
    def of(cls, tracklets: Tracklets, problem: LinkProblem, rules: LinkRules) -> RideLinks:
        """The links of tracklets."""
        features = cls._features(tracklets, problem, rules)
        if UNRECKONED not in features:
            return cls(problem, rules, features)
        parts, expected = [], []
        for moved, pairs, factor in delayed(tracklets, rules):
            parts.append(cls._features(moved, pairs, rules))
            expected.append(pairs.n_links * factor)
        if not sum(expected):
            return cls(problem, rules, features)
        joined = {name: np.concatenate([part[name] for part in parts]) for name in features}
        return cls(problem, rules, features, ByChance(joined, float(np.mean(expected))))

    @staticmethod
    def _features(
        tracklets: Tracklets, problem: LinkProblem, rules: LinkRules
    ) -> dict[str, Floats]:
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
            if name in rules.fields and name in ends.fields and name in begins.fields:
                before, after = pairs.of(name)
                features[name] = before - after
        return features | dead_reckoning(tracklets, pairs, rules.fields)

    def those(self, chosen: npt.NDArray[np.bool_]) -> RideLinks:
        """Some of the links."""
        nobody = np.zeros(len(self.problem), bool)
        features = {name: values[chosen] for name, values in self.features.items()}
        by_chance = self.by_chance
        if by_chance is not None:
            share = float(np.mean(chosen)) if len(chosen) else 0.0
            by_chance = by_chance._replace(expected=by_chance.expected * share)
        kept = self.problem.restricted(chosen, nobody, nobody)
        return RideLinks(kept, self.rules, features, by_chance)

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

        With random ratios, the expected share of ends that have a link is then ``goes_on``. Where
        it is known how many links are false, the odds are those of the true ones to these.
        """
        if self.by_chance is None:
            odds = goes_on / (1 - goes_on) ** 2 / self.competitors
        else:
            true = np.full(self.problem.n_links, goes_on * self.n_rides)
            odds = true / max(self.by_chance.expected, 1.0)
        weight: Floats = np.exp(np.clip(log_ratio, -_CERTAIN, _CERTAIN)) * odds
        return weight

    def usual(self) -> Floats:
        """(n_links,) logarithms of likelihood ratios by the usual way and time of rides.

        It is that of the usual speed, or where heading and speed are known, that of these.
        """
        log_ratio = self._usual_speed()
        if self._is_reckoned.any():
            log_ratio = np.where(self._is_reckoned, self._usual_course(), log_ratio)
        if len(log_ratio):
            log_ratio -= np.log(np.exp(log_ratio).mean())
        return log_ratio

    @property
    def _is_reckoned(self) -> npt.NDArray[np.bool_]:
        """(n_links,) whether heading or speed say where the vehicle is expected."""
        if UNRECKONED not in self.features:
            return np.zeros(self.problem.n_links, bool)
        return np.isnan(self.features[UNRECKONED])

    def _usual_course(self) -> Floats:
        """(n_links,) logarithms of densities of what remains of dead reckoning, but for a factor.

        A vehicle keeps its course but for what it can accelerate in the time.
        """
        time = self.features[SECONDS]
        spread = 2 * self.rules.error + 2.0 + _ACCELERATION * time * time / 2
        density = np.zeros(len(time))
        for name in REMAINS:
            if name in self.features:
                off = np.nan_to_num(self.features[name], nan=0.0) / spread
                density -= off * off / 2 + np.log(spread) * np.isfinite(self.features[name])
        return density

    def _usual_speed(self) -> Floats:
        """(n_links,) logarithms of densities of speeds and times of rides, but for a factor."""
        speed, spread = _USUAL
        usual = speed * self.rules.max_speed
        far = np.nan_to_num(self.features["distance"], nan=0.0)
        shortest = max(self.rules.max_gap / 48, 1.0)
        time = np.maximum(self.features["time"], shortest)
        place_error = 5 * max(self.rules.error, 1.0)
        off = np.log(np.maximum(far, place_error) / time * 3.6 / usual) / spread
        density: Floats = -off * off / 2 - time / (self.rules.max_gap / 6 + 1.0)
        return density

    def binned(self) -> tuple[Binned, ...]:
        """What is put into bins: the more rides, the finer."""
        fine = int(np.clip(1.2 * np.cbrt(self.n_rides), 6, 24))
        far = np.concatenate([[0.0], np.geomspace(50, max(self._most("distance"), 100), fine - 1)])
        time = np.linspace(0, max(self._most("time"), 1.0), fine, endpoint=False)
        if self._is_reckoned.any():
            found = [Binned((UNRECKONED, "time"), (far, time)), *self._binned_course(fine)]
        else:
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

    def false_in(self, binned: Binned) -> Floats | None:
        """(n_bins,) false links that are expected in each bin; None: not known."""
        return None if self.by_chance is None else self.by_chance.counts(binned)

    def _binned_course(self, fine: int) -> Iterator[Binned]:
        """What remains of dead reckoning by the time of it, and changes; fine where it is small."""
        known = [name for name in (*REMAINS, *CHANGES) if name in self.features]
        seconds = np.linspace(0, max(self._most(SECONDS), 1.0), fine // 2, endpoint=False)
        for number, name in enumerate(known):
            edges = (seconds, self._steps(name, fine))
            # The first table also says how likely a time is.
            yield Binned((SECONDS, name), edges, given=min(number, 1))

    def _steps(self, name: str, fine: int) -> Floats:
        """Lower edges of the bins of a feature of dead reckoning."""
        values = self.features[name]
        most = max(float(np.nanpercentile(np.abs(values), 99)), 1.0)
        sizes = np.geomspace(_FINEST, most, fine)
        return np.concatenate([-sizes[::-1] if np.nanmin(values) < 0 else [0.0], sizes])

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
                    f"the movement model of {model.learned} looks at the {NEEDS.get(name, name)},"
                    " which this feed does not have",
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
    tables = tuple(
        some.learn(some.bins(links.features), belief, links.false_in(some))
        for some in links.binned()
    )
    return RideModel(tables, _share(n_true, links), "truth", n_true)


def learn_by_beliefs(links: RideLinks, deadline: Deadline | None = None) -> RideModel | None:
    """Learn without truth, as an adversary must; None: the time was up before she had learned."""
    deadline = Deadline(None) if deadline is None else deadline
    if links.n_rides < _ENOUGH:
        return usual_model(links)
    links = links.those(_middle(links.problem))
    binned = links.binned()
    bins = [some.bins(links.features) for some in binned]
    others = [links.false_in(some) for some in binned]
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
        tables = tuple(
            some.learn(number, belief, false)
            for some, number, false in zip(binned, bins, others, strict=True)
        )
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
