"""Breaking numbers of targets and their proofs, as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from mixsafe.errors import InputError
from mixsafe.model.answer.proof import ClauseProof, ClauseProofs, HallSet, HallSets
from mixsafe.model.answer.ragged import Ragged, Whole, add_up, check_lengths, column, lists

Of = Literal["self", "anybody"]
"""Users of whom further sightings are allowed."""

SIGHTINGS_OF = ("self", "anybody")


class BrokenTarget(NamedTuple):
    """A target that fails when some sightings are added to the knowledge.

    Parameters
    ----------
    target
        Number of the target.
    row, time
        (n,) int32 each: the further sightings.
    step, k
        (n_unsafe,) int32 each: steps at which its user then has fewer than k candidates.
    left
        n_unsafe lists, ascending: the candidates at each.
    proof
        (n_unsafe,) int32: number of the refutation of each, or -1.
    Hall sets, refutations
        The proof, in the problem with the sightings.
    """

    target: int
    row: Whole
    time: Whole
    step: Whole
    k: Whole
    left: Ragged
    proof: Whole
    hall_sets: tuple[HallSet, ...] = ()
    refutations: tuple[ClauseProof, ...] = ()


@dataclass(frozen=True, eq=False)
class BrokenTargets:
    """Broken targets in columns.

    Parameters
    ----------
    target
        (n,) int32, ascending.
    row, time
        n lists each: the sightings.
    n_unsafe, n_hall_sets, n_refutations
        (n,) int32: how many of the following belong to each, in order.
    step, k, left, proof
        All steps at which there are too few candidates.
    Hall sets, refutations
        Those of all targets; ``proof`` counts within one target.

    Raises
    ------
    InputError
        The columns have inconsistent lengths.
    """

    target: Whole
    row: Ragged
    time: Ragged
    n_unsafe: Whole
    n_hall_sets: Whole
    n_refutations: Whole
    step: Whole
    k: Whole
    left: Ragged
    proof: Whole
    hall_sets: HallSets
    refutations: ClauseProofs

    def __post_init__(self) -> None:
        counts = self.n_unsafe, self.n_hall_sets, self.n_refutations
        check_lengths("broken targets", self.target, self.row, self.time, *counts)
        if not np.array_equal(self.row.ptr, self.time.ptr):
            raise InputError("sightings that break a target do not have one user and one time each")
        check_lengths("broken targets' steps", self.step, self.k, self.left, self.proof)
        totals = len(self.step), len(self.hall_sets), len(self.refutations)
        if not all(map(add_up, counts, totals)):
            raise InputError("numbers of steps or proofs of broken targets do not add up")

    @classmethod
    def of(cls, several: Sequence[BrokenTarget]) -> BrokenTargets:
        """Convert targets to columns."""
        nothing = np.zeros(0, np.int32)
        step, k, proof = (
            np.concatenate([nothing, *(getattr(one, name) for one in several)])
            for name in ("step", "k", "proof")
        )
        return cls(
            column(several, "target"),
            lists(several, "row"),
            lists(several, "time"),
            _sizes(len(one.step) for one in several),
            _sizes(len(one.hall_sets) for one in several),
            _sizes(len(one.refutations) for one in several),
            step,
            k,
            Ragged.joined([one.left for one in several]),
            proof,
            HallSets.of([one for each in several for one in each.hall_sets]),
            ClauseProofs.of([one for each in several for one in each.refutations]),
        )

    def __len__(self) -> int:
        return len(self.target)

    def __iter__(self) -> Iterator[BrokenTarget]:
        hall_sets, refutations = iter(self.hall_sets), iter(self.refutations)
        ends = np.cumsum(self.n_unsafe)
        for n, target in enumerate(self.target.tolist()):
            begin, end = int(ends[n] - self.n_unsafe[n]), int(ends[n])
            yield BrokenTarget(
                target,
                self.row[n],
                self.time[n],
                self.step[begin:end],
                self.k[begin:end],
                self.left.stretch(begin, end),
                self.proof[begin:end],
                tuple(next(hall_sets) for _ in range(int(self.n_hall_sets[n]))),
                tuple(next(refutations) for _ in range(int(self.n_refutations[n]))),
            )


def _sizes(sizes: Iterable[int]) -> Whole:
    return np.array(list(sizes), np.int32)


@dataclass(frozen=True, eq=False)
class BreakingProof:
    """The part of a certificate about breaking numbers; its claims form survivors.

    A *survivor* is a set of safe claims with which a target passes as long as no sighting
    contradicts their witnesses. Each target has survivors such that fewer sightings than its bound
    leave at least one intact.

    Parameters
    ----------
    sightings
        Users of whom further sightings are allowed.
    away
        A sighting counts against a claim only if it lies more than this many steps before or after
        the claim's segment between two zones of its user; None: all sightings count.
    row, start, end
        (n,) int32 each: user of a target, and first and last step asked about.
    lower
        (n,) int32: lower bound on the number of sightings that break it.
    sizes
        n lists: number of claims of each survivor; claims are in this order.
    broken
        Targets for which a breaking set of sightings is known.

    Raises
    ------
    InputError
        The columns have inconsistent lengths, or ``sightings`` is unknown.
    """

    sightings: Of
    away: int | None
    row: Whole
    start: Whole
    end: Whole
    lower: Whole
    sizes: Ragged
    broken: BrokenTargets

    def __post_init__(self) -> None:
        check_lengths("targets", self.row, self.start, self.end, self.lower, self.sizes)
        if self.sightings not in SIGHTINGS_OF:
            raise InputError(f"unknown kind of sightings '{self.sightings}'")
        if self.away is not None and self.away < 0:
            raise InputError(f"the distance of sightings is negative: {self.away} steps")
        if np.any(self.sizes.values < 1):
            raise InputError("a survivor has no claims")

    def __len__(self) -> int:
        return len(self.row)
