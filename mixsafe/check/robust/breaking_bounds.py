"""Bounds on how many further sightings break each target, from what certificates say of them.

From below: survivors, some of which agree with any sightings that are fewer. From above: sightings
with which the rule fails, shown by unsafe claims about the problem in which these are known, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, NoReturn

import numpy as np

from mixsafe.check.lookup import Places
from mixsafe.check.replay import Tracks
from mixsafe.check.robust.spots import Moves, Spots, Stretch
from mixsafe.check.robust.withstanding import Contradicted, that_withstand
from mixsafe.errors import InputError
from mixsafe.model.answer.breaking_proof import BreakingProof, BrokenTarget
from mixsafe.model.answer.certificate import Certificate, Claims, Witnesses
from mixsafe.model.answer.proof import ClauseProofs, HallSets
from mixsafe.model.answer.ragged import Ints, Ragged, Whole
from mixsafe.model.answer.verdict import SAFE, UNSAFE
from mixsafe.model.question.requirement import Requirements


class BreakingBounds(NamedTuple):
    """Proven bounds of the breaking numbers of targets.

    Parameters
    ----------
    lower, upper
        (n,) int64 each: no fewer further sightings break a target, and so many do; -1: it is not
        proven of any.
    """

    lower: Ints
    upper: Ints


class BreakingCheck:
    """The targets of a certificate, while its witnesses are replayed.

    Parameters
    ----------
    certificate, proof
        What is to be shown.
    places
        Of its problem.

    Raises
    ------
    InputError
        A target or a claim does not belong to what is asked.
    """

    def __init__(self, certificate: Certificate, proof: BreakingProof, places: Places) -> None:
        self._certificate, self._proof, self._places = certificate, proof, places
        self._moves: list[Moves] = []
        _check_asked(certificate)
        self._asked = _by_row(certificate.problem.requirements)
        self._check_targets()
        claims = certificate.claims
        if int(proof.sizes.values.sum(dtype=np.int64)) != len(claims):
            raise InputError("not all claims belong to a survivor of a target")
        if not np.all((claims.verdict == SAFE) & (claims.start == claims.end)):
            raise InputError("a claim of a survivor is not safe, or not about a single step")
        if np.any((claims.start < 0) | (claims.start > places.horizon)):
            raise InputError("a claim of a survivor is about a step that does not exist")

    def look(self, tracks: Tracks, size: int) -> None:
        """Store the moves of the next ``size`` witnesses."""
        self._moves += [Moves.of(tracks, witness) for witness in range(size)]

    def bounds(self, is_shown: Callable[[Certificate], bool]) -> BreakingBounds:
        """Check the claims about all targets.

        Parameters
        ----------
        is_shown
            Whether all claims of a certificate, unsafe ones, are proven again.

        Raises
        ------
        InputError
            Fewer sightings than is said might break a target, or some might not.
        """
        begin = 0
        for target in range(len(self._proof)):
            sizes = self._proof.sizes[target].tolist()
            ends = begin + np.cumsum([0, *sizes])
            self._check_lower(target, [range(*ends_of) for ends_of in pairwise(ends.tolist())])
            begin = int(ends[-1])
        upper, last = np.full(len(self._proof), -1, np.int64), -1
        for one in self._proof.broken:
            if not last < one.target < len(self._proof):
                raise InputError("what is broken are not targets in order")
            self._check_broken(one, is_shown)
            upper[one.target], last = len(one.row), one.target
        return BreakingBounds(self._proof.lower.astype(np.int64), upper)

    def _check_targets(self) -> None:
        """Targets are in order, of users who exist, and each asks about something."""
        proof, places = self._proof, self._places
        first = 0 if self._certificate.k is None else 1
        order = proof.row * places.width + proof.start
        inside = (proof.row >= 0) & (proof.row < places.n_rows) & (proof.start >= first)
        inside &= (proof.start <= proof.end) & (proof.end <= places.horizon)
        if not np.all(inside) or np.any(np.diff(order) <= 0):
            raise InputError("targets are not about users and steps that exist, in order")
        for target in range(len(proof)):
            if not self._steps(target, self._whole(target), None, safe=True):
                self._refuse(target, "asks about nothing")

    def _refuse(self, target: int, what: str) -> NoReturn:
        raise InputError(f"target {target} {what}")

    def _whole(self, target: int) -> Stretch:
        return Stretch(int(self._proof.start[target]), int(self._proof.end[target]))

    def _steps(self, target: int, about: Stretch, k: int | None, *, safe: bool) -> int:
        """How much of what is asked about a target a claim with this k settles on a stretch.

        None: all of it.
        """
        whole = self._whole(target)
        begin, end = max(about.begin, whole.begin), min(about.end, whole.end)
        row = int(self._proof.row[target])
        if self._asked is None:
            fits = k is None or k == self._certificate.k
            return self._published(row, begin, end) if fits else 0
        mine = self._asked.those(slice(*np.searchsorted(self._asked.row, (row, row + 1)).tolist()))
        those = (begin <= mine.time) & (mine.time <= end)
        if k is not None:
            those &= (mine.k <= k) if safe else (mine.k >= k)
        return int(np.count_nonzero(those))

    def _published(self, row: int, begin: int, end: int) -> int:
        """Number of steps of a stretch in which something of a user is published."""
        if end < begin:
            return 0
        one = (np.array([value]) for value in (row, begin, end))
        return int(self._certificate.problem.zones.time_of(*one)[0])

    def _needed(self, target: int) -> tuple[int, int]:
        """How much must be safe for a target to pass, and how much is asked about."""
        total = self._steps(target, self._whole(target), None, safe=True)
        return int(self._certificate.rule.needed(np.array([total]))[0]), total

    def _stretch(self, row: int, step: int) -> Stretch:
        """Between which zones of a row a step is."""
        begins = self._places.begins(row)
        at = int(np.searchsorted(begins, step, side="right")) - 1
        return Stretch(int(begins[at]), int(begins[at + 1]) - 1)

    def _settled(self, target: int, steps: Whole, k: Whole, *, safe: bool) -> int:
        """How much some claims about a target settle, each on another stretch."""
        row = int(self._proof.row[target])
        stretches = [self._stretch(row, step) for step in steps.tolist()]
        if len(set(stretches)) < len(stretches):
            self._refuse(target, "has two claims about one stretch")
        several = zip(stretches, k.tolist(), strict=True)
        return sum(self._steps(target, about, one, safe=safe) for about, one in several)

    def _check_lower(self, target: int, survivors: list[range]) -> None:
        """No fewer sightings than is said contradict all survivors."""
        lower = int(self._proof.lower[target])
        if lower < 0:
            self._refuse(target, "is broken by fewer sightings than none")
        only = int(self._proof.row[target]) if self._proof.sightings == "self" else None
        distinct = self._certificate.problem.knowledge.distinct
        spots = Spots(self._places, only, self._proof.away, distinct=distinct)
        found = [self._survivor(target, spots, one) for one in survivors]
        if lower and that_withstand(found, lower - 1) is None:
            self._refuse(target, f"may be broken by fewer sightings than {lower}")

    def _survivor(self, target: int, spots: Spots, numbers: range) -> Contradicted:
        """Sightings that contradict claims with which a target passes."""
        claims, row = self._certificate.claims, self._proof.row[target]
        which = np.array(numbers)
        if not np.all(claims.row[which] == row):
            self._refuse(target, "has a claim about another user")
        if (
            self._settled(target, claims.start[which], claims.k[which], safe=True)
            < (self._needed(target)[0])
        ):
            self._refuse(target, "does not pass with the claims of a survivor")
        single, shown = 0, list[tuple[int, ...]]()
        for claim in numbers:
            about = self._stretch(int(row), int(claims.start[claim]))
            for witness in claims.witnesses[claim].tolist():
                one = spots.contradicting(self._moves[witness], about)
                single |= one.single
                shown += one.shown
        return Contradicted(single, tuple(dict.fromkeys(shown)))

    def _check_broken(self, one: BrokenTarget, is_shown: Callable[[Certificate], bool]) -> None:
        """A target fails once the sightings are known."""
        target, row = one.target, int(self._proof.row[one.target])
        if self._proof.sightings == "self" and np.any(one.row != row):
            self._refuse(target, "is broken by sightings of another user")
        try:
            shown = is_shown(of_broken(self._certificate, one, row))
        except InputError as error:
            self._refuse(target, f"is not shown to be broken: {error.message}")
        if not shown:
            self._refuse(target, "is not shown to be broken")
        away = self._proof.away
        for step in one.step.tolist():
            if away is None:
                break
            about = self._stretch(row, step)
            if np.any((one.time >= about.begin - away) & (one.time <= about.end + away)):
                self._refuse(target, "is broken by a sighting that does not count")
        needed, total = self._needed(target)
        if total - self._settled(target, one.step, one.k, safe=False) >= needed:
            self._refuse(target, "may pass with the sightings that break it")


def _check_asked(certificate: Certificate) -> None:
    """Either k or requirements are asked, by a publisher, of all zones."""
    asked, k = certificate.problem.requirements, certificate.k
    if certificate.audited is not None or certificate.chosen is not None:
        raise InputError("breaking numbers are about what a publisher asks of all zones")
    if (asked is None) == (k is None):
        raise InputError("breaking numbers need either k or requirements")
    if k is not None and k < 1:
        raise InputError(f"k = {k} asks for nothing")


def _by_row(asked: Requirements | None) -> Requirements | None:
    """Requirements in the order of their users."""
    return None if asked is None else asked.those(np.argsort(asked.row, kind="stable"))


def of_broken(certificate: Certificate, one: BrokenTarget, row: int) -> Certificate:
    """The claims that a broken target is: with more sightings there are too few candidates."""
    n, problem = len(one.step), certificate.problem
    knowledge = problem.knowledge.with_more(one.row, one.time)
    asked = Requirements(np.full(n, row, np.int32), one.step, one.k)
    claims = Claims(
        asked.row, asked.time, asked.time, asked.k,
        np.full(n, UNSAFE, np.int8), np.zeros(n, np.uint8), Ragged.empty(n), one.left, one.proof,
    )  # fmt: skip
    presolved = replace(problem, knowledge=knowledge, requirements=asked)
    proofs = HallSets.of(one.hall_sets), ClauseProofs.of(one.refutations)
    return Certificate(presolved, certificate.rule, None, claims, Witnesses.home(0), *proofs)
