"""How many further sightings break targets, and what shows it, as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from mixsafe.errors import InputError
from mixsafe.model.answer.proof import ClauseProof, ClauseProofs, HallSet, HallSets
from mixsafe.model.answer.ragged import Ragged, Whole

Of = Literal["self", "anybody"]
"""Of whom there may be further sightings."""

SIGHTINGS_OF = ("self", "anybody")


class BrokenTarget(NamedTuple):
    """A target that fails once some sightings are added to what is known.

    Parameters
    ----------
    target
        Its number.
    row, time
        (n,) int32 each: the sightings.
    step, k
        (n_unsafe,) int32 each: steps at which its user has fewer than k candidates then.
    left
        n_unsafe lists, ascending: the candidates at each.
    proof
        (n_unsafe,) int32: number of the refutation of each, or -1.
    Hall sets, refutations
        What shows it, in the problem with the sightings.
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
    """Targets that are broken, in columns.

    Parameters
    ----------
    target
        (n,) int32, ascending.
    row, time
        n lists each: the sightings.
    n_unsafe, n_hall_sets, n_refutations
        (n,) int32: how many of the following belong to each, in order.
    step, k, left, proof
        Of all steps at which there are too few candidates.
    Hall sets, refutations
        Of all targets; ``proof`` is a number among those of its own.

    Raises
    ------
    InputError
        The columns do not fit each other.
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
        lists = self.row, self.time
        if any(len(one) != len(self.target) for one in (*lists, *counts)):
            raise InputError("broken targets need the same columns each")
        if not np.array_equal(self.row.ptr, self.time.ptr):
            raise InputError("sightings that break a target need a user and a time each")
        if len({len(one) for one in (self.step, self.k, self.left, self.proof)}) != 1:
            raise InputError("steps of broken targets need the same columns each")
        totals = len(self.step), len(self.hall_sets), len(self.refutations)
        every = zip(counts, totals, strict=True)
        if any(np.any(n < 0) or int(n.sum(dtype=np.int64)) != total for n, total in every):
            raise InputError("not all steps and proofs of broken targets belong to one")

    @classmethod
    def of(cls, several: Sequence[BrokenTarget]) -> BrokenTargets:
        """Targets in columns."""
        nothing = np.zeros(0, np.int32)
        step, k, proof = (
            np.concatenate([nothing, *(getattr(one, name) for one in several)])
            for name in ("step", "k", "proof")
        )
        return cls(
            np.array([one.target for one in several], np.int32),
            Ragged.of(one.row.tolist() for one in several),
            Ragged.of(one.time.tolist() for one in several),
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
    """What makes a certificate one of breaking numbers; its claims are survivors.

    A *survivor* is some claims, all safe, with which a target passes as long as their witnesses
    agree with what is seen. Of each target there are survivors such that fewer sightings than its
    bound leave at least one.

    Parameters
    ----------
    sightings
        Of whom there may be more.
    away
        A sighting counts for a claim if it is more than so many steps before the stretch between
        two of its user's zones in which the claim is, or after it; None: all count.
    row, start, end
        (n,) int32 each: the user whom a target is about, and the first and last step that are
        asked about.
    lower
        (n,) int32: no fewer sightings break it.
    sizes
        n lists: how many claims each of its survivors has; claims are in the order of these.
    broken
        Targets of which sightings are known that break them.

    Raises
    ------
    InputError
        The columns do not fit each other, or there is a word that says nothing.
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
        columns = self.start, self.end, self.lower, self.sizes
        if any(len(one) != len(self.row) for one in columns):
            raise InputError("targets need the same columns each")
        if self.sightings not in SIGHTINGS_OF:
            raise InputError(f"there are no sightings of '{self.sightings}'")
        if self.away is not None and self.away < 0:
            raise InputError(f"{self.away} steps away are fewer than none")
        if np.any(self.sizes.values < 1):
            raise InputError("a survivor has no claims")

    def __len__(self) -> int:
        return len(self.row)
