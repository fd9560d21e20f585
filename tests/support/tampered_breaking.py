"""Certificates of breaking numbers that somebody changed, by kind, and whether they are true."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from mixsafe.breaking.breaking import breaking
from mixsafe.breaking.plan import DEFAULT, BreakingPlan
from mixsafe.breaking.proof.certify_breaking import certify_breaking, not_certified
from mixsafe.check.checker import Checked
from mixsafe.check.robust.breaking_bounds import of_broken
from mixsafe.model.answer.breaking_proof import BreakingProof, BrokenTarget, BrokenTargets
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.answer.proof import HallSet
from mixsafe.model.answer.ragged import Ragged
from tests.support.breaking_questions import Drawn, drawn
from tests.support.oracles import breaking_number, breaks_under, domains_of, zones_of
from tests.support.tampered import Random, is_true, lists, one_value
from tests.support.tampered_proofs import other_hall_sets, other_refutations, with_proofs

SMALL = {"max_users": 4, "max_horizon": 4, "max_assignments": 40}

Change = Callable[[BreakingProof, Random], BreakingProof]


def certified(question: Drawn, plan: BreakingPlan = DEFAULT) -> tuple[Certificate, int]:
    """The certificate of an answer, and how many numbers are known better than it shows."""
    found = breaking(
        question.problem, k=question.k, target=question.target, sightings=question.sightings,
        away=question.away, at_most=2, keep_witnesses=True, plan=plan,
    )  # fmt: skip
    made = certify_breaking(found)
    return made, not_certified(found, made)


def questions(random: Random) -> Iterator[Drawn]:
    """Questions that certificates answer; of single requirements none is there twice."""
    while True:
        one = drawn(random, **SMALL)
        asked = one.problem.requirements
        pairs = [] if asked is None else np.stack([asked.row, asked.time], axis=1).tolist()
        if one.sightings in ("self", "anybody") and len(set(map(tuple, pairs))) == len(pairs):
            yield one


def broken_with_proofs(made: Certificate) -> Certificate:
    """The certificate with Hall sets and refutations of all that breaks, needed or not."""
    proof = made.breaking
    assert proof is not None
    several = []
    for one in proof.broken:
        own = with_proofs(of_broken(made, one, int(proof.row[one.target])))
        left, refuted = own.claims.candidates, own.claims.proof
        proofs = tuple(own.hall_sets), tuple(own.clause_proofs)
        several.append(one._replace(left=left, proof=refuted)._replace(
            hall_sets=proofs[0], refutations=proofs[1],
        ))  # fmt: skip
    return replace(made, breaking=replace(proof, broken=BrokenTargets.of(several)))


def bounds_hold(made: Certificate, found: Checked) -> bool:
    """Whether brute force agrees with all that was found in a certificate."""
    proof, bounds = made.breaking, found.breaking
    if proof is None or bounds is None:
        return is_true(made, domains_of(made.problem))
    told = zip(proof.row.tolist(), proof.start.tolist(), proof.end.tolist(), strict=True)
    for target, about in enumerate(told):
        asked = pieces(made, *about)
        total = sum(weight for *_, weight in asked)
        needed = float(made.rule.needed(np.array([total]))[0])
        users = [about[0]] if proof.sightings == "self" else range(made.problem.zones.n_users)
        steps = range(made.problem.zones.axis.steps + 1)
        allowed = [(user, step) for user in users for step in steps]
        away, fewer = proof.away, int(bounds.lower[target]) - 1
        question = made.problem, asked, needed, allowed
        if breaking_number(*question, away=away, at_most=fewer) is not None:
            return False
        upper = int(bounds.upper[target])
        if upper >= 0:
            one = next(one for one in proof.broken if one.target == target)
            seen = list(zip(one.row.tolist(), one.time.tolist(), strict=True))
            if len(seen) != upper or not set(seen) <= set(allowed):
                return False
            if not breaks_under(made.problem, asked, needed, away)(seen):
                return False
    return True


def pieces(
    made: Certificate, user: int, start: int, end: int
) -> list[tuple[int, int, int, int, int]]:
    """What is asked about a target, as brute force has it."""
    asked, horizon = made.problem.requirements, made.problem.zones.axis.steps
    events = [0, *(t for t, members in zones_of(made.problem) if user in members), horizon + 1]
    wires = [(low, high - 1) for low, high in itertools.pairwise(events)]
    if asked is None:
        found = [
            (user, low, high, made.k or 0, min(high, end) - max(low, start) + 1)
            for low, high in wires
        ]
        return [one for one in found if one[4] > 0]
    table = zip(asked.row.tolist(), asked.time.tolist(), asked.k.tolist(), strict=True)
    return [
        (user, low, high, k, 1)
        for row, time, k in table
        for low, high in wires
        if row == user and start <= time <= end and low <= time <= high
    ]


def _column(name: str) -> Change:
    """A number of a column of targets is another one."""

    def change(proof: BreakingProof, random: Random) -> BreakingProof:
        return replace(proof, **{name: _other(getattr(proof, name), random)})

    return change


def _broken_column(name: str) -> Change:
    """A number of a column of what breaks is another one."""

    def change(proof: BreakingProof, random: Random) -> BreakingProof:
        values = _other(getattr(proof.broken, name), random)
        return replace(proof, broken=replace(proof.broken, **{name: values}))

    return change


def _other(values: Any, random: Random) -> Any:
    return lists(values, random) if isinstance(values, Ragged) else one_value(values, random)


def _higher(proof: BreakingProof, random: Random) -> BreakingProof:
    made = proof.lower.copy()
    if len(made):
        made[random.integers(len(made))] += 1
    return replace(proof, lower=made)


def _of_others(proof: BreakingProof, _: Random) -> BreakingProof:
    return replace(proof, sightings="self" if proof.sightings == "anybody" else "anybody")


def _nearer(proof: BreakingProof, random: Random) -> BreakingProof:
    away = (None, 0, 1, 2)[int(random.integers(4))]
    return replace(proof, away=away)


def _of_one(change: Callable[[BrokenTarget, Random], BrokenTarget | None]) -> Change:
    """A target that is broken is broken otherwise; None: it is left out."""

    def changed(proof: BreakingProof, random: Random) -> BreakingProof:
        several = list[BrokenTarget | None](proof.broken)
        if several:
            place = int(random.integers(len(several)))
            one = several[place]
            assert one is not None
            several[place] = change(one, random)
        kept = [one for one in several if one is not None]
        return replace(proof, broken=BrokenTargets.of(kept))

    return changed


def _fewer_sightings(one: BrokenTarget, random: Random) -> BrokenTarget:
    if not len(one.row):
        return one
    gone = int(random.integers(len(one.row)))
    return one._replace(row=np.delete(one.row, gone), time=np.delete(one.time, gone))


def _another_sighting(one: BrokenTarget, random: Random) -> BrokenTarget:
    """One more, of the same user as another one or of anybody."""
    row = one.row[0] if len(one.row) and random.integers(2) else random.integers(5)
    time = np.append(one.time, np.int32(random.integers(6)))
    return one._replace(row=np.append(one.row, np.int32(row)), time=time)


def _fewer_steps(one: BrokenTarget, random: Random) -> BrokenTarget:
    """One step less is said to have too few candidates."""
    if not len(one.step):
        return one
    kept = np.delete(np.arange(len(one.step)), int(random.integers(len(one.step))))
    left = Ragged.of(one.left[place].tolist() for place in kept.tolist())
    return one._replace(step=one.step[kept], k=one.k[kept], left=left, proof=one.proof[kept])


def _claimed_closed(one: BrokenTarget, random: Random) -> BrokenTarget:
    """Fewer sightings, and Hall sets say that each token is at home, where they are asked."""
    fewer = _fewer_sightings(one, random)
    row = np.array([random.integers(4)])
    told = [HallSet(int(step), row, row) for step in one.step.tolist()]
    return fewer._replace(hall_sets=(*fewer.hall_sets, *told))


def _hall_sets(one: BrokenTarget, random: Random) -> BrokenTarget:
    columns = BrokenTargets.of([one])
    return one._replace(hall_sets=tuple(other_hall_sets(columns.hall_sets, random)))


def _refutations(one: BrokenTarget, random: Random) -> BrokenTarget:
    columns = BrokenTargets.of([one])
    return one._replace(refutations=tuple(other_refutations(columns.refutations, random)))


def _of_another(proof: BreakingProof, random: Random) -> BreakingProof:
    """What breaks one target is said to break another one."""
    several = list(proof.broken)
    if several:
        place, target = int(random.integers(len(several))), int(random.integers(len(proof)))
        several[place] = several[place]._replace(target=target)
    return replace(proof, broken=BrokenTargets.of(sorted(several, key=lambda one: one.target)))


def fewer_survivors(made: Certificate, random: Random) -> Certificate:
    """A survivor is left out, with its claims."""
    proof = made.breaking
    if proof is None or not len(made.claims):
        return made
    sizes = [one.tolist() for one in (proof.sizes[place] for place in range(len(proof)))]
    full = [place for place, one in enumerate(sizes) if one]
    target = int(random.choice(full))
    gone = int(random.integers(len(sizes[target])))
    first = sum(map(sum, sizes[:target])) + sum(sizes[target][:gone])
    kept = np.delete(np.arange(len(made.claims)), slice(first, first + sizes[target].pop(gone)))
    columns = {
        name: Ragged.of(column[i] for i in kept.tolist())
        if isinstance(column, Ragged)
        else column[kept]
        for name, column in vars(made.claims).items()
    }
    claims = replace(made.claims, **columns)
    return replace(made, claims=claims, breaking=replace(proof, sizes=Ragged.of(sizes)))


def _of_proof(change: Change) -> Callable[[Certificate, Random], Certificate]:
    def changed(made: Certificate, random: Random) -> Certificate:
        proof = made.breaking
        return made if proof is None else replace(made, breaking=change(proof, random))

    return changed


BREAKING_KINDS: dict[str, Callable[[Certificate, Random], Certificate]] = {
    "a larger lower bound": _of_proof(_higher),
    "of whom sightings are": _of_proof(_of_others),
    "how far away sightings count": _of_proof(_nearer),
    **{
        f"a target's {name}": _of_proof(_column(name))
        for name in ("row", "start", "end", "lower", "sizes")
    },
    **{
        f"of a broken target: {name}": _of_proof(_broken_column(name))
        for name in (
            *("target", "row", "time", "n_unsafe", "n_hall_sets", "n_refutations"),
            *("step", "k", "left", "proof"),
        )
    },
    "of a broken target: it is left out": _of_proof(_of_one(lambda one, random: None)),
    "of a broken target: fewer sightings": _of_proof(_of_one(_fewer_sightings)),
    "of a broken target: fewer sightings, and Hall sets": _of_proof(_of_one(_claimed_closed)),
    "of a broken target: another sighting": _of_proof(_of_one(_another_sighting)),
    "of a broken target: a step less": _of_proof(_of_one(_fewer_steps)),
    "of a broken target: Hall sets": _of_proof(_of_one(_hall_sets)),
    "of a broken target: refutations": _of_proof(_of_one(_refutations)),
    "of a broken target: that of another one": _of_proof(_of_another),
    "a survivor left out": fewer_survivors,
    "no word of breaking": lambda made, random: replace(made, breaking=None),
}
"""Changes of what a certificate of breaking numbers has beside others."""
