"""Certificates that somebody changed, by kind of change, and whether what they claim is true."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.check.checker import Checked, check
from mixsafe.check.demands import compare, demand
from mixsafe.check.minima import alone
from mixsafe.check.unsafe import shown_unsafe
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Certificate, Claims, Witnesses
from mixsafe.model.answer.verdict import DECISIONS, SAFE, UNDECIDED, UNSAFE, Verdict
from mixsafe.model.csr import Ragged
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem, fingerprint
from mixsafe.model.question.requirement import Rule

Random = np.random.Generator
Domains = dict[tuple[int, int], set[int]]


def one_value(values: Any, random: Random) -> Any:
    """A column with another number at one place, near what was there or anywhere."""
    made = values.copy()
    if len(made):
        made[random.integers(len(made))] = random.integers(-1, 9)
    return made


def lists(found: Ragged, random: Random) -> Ragged:
    """Lists with one number changed, left out or doubled."""
    made = [one.tolist() for one in (found[i] for i in range(len(found)))]
    full = [i for i, one in enumerate(made) if one]
    if full:
        one = made[random.choice(full)]
        place, what = random.integers(len(one)), random.integers(3)
        if what == 0:
            one[place] = int(random.integers(0, 8))
        elif what == 1:
            del one[place]
        else:
            one.insert(place, one[place])
    return Ragged.of(made)


def claim_column(name: str) -> Callable[[Certificate, Random], Certificate]:
    def change(certificate: Certificate, random: Random) -> Certificate:
        claims = certificate.claims
        column = getattr(claims, name)
        made = lists(column, random) if isinstance(column, Ragged) else one_value(column, random)
        return replace(certificate, claims=replace(claims, **{name: made}))

    return change


def some_claims(certificate: Certificate, random: Random) -> Certificate:
    """A claim is left out, doubled, or changes places with another."""
    if not len(certificate.claims):
        return certificate
    claims, n = certificate.claims, len(certificate.claims)
    order = list(range(n))
    place, other = (int(random.integers(n)) for _ in range(2))
    what = random.integers(3)
    if what == 0:
        del order[place]
    elif what == 1:
        order.insert(place, place)
    else:
        order[place], order[other] = order[other], order[place]
    columns = {
        name: Ragged.of(column[i] for i in order) if isinstance(column, Ragged) else column[order]
        for name, column in vars(claims).items()
    }
    return replace(certificate, claims=Claims(**columns))


def saying(
    certificate: Certificate, place: int, verdict: int, witnesses: list[int], left: list[int]
) -> Certificate:
    """Another verdict in one claim, with witnesses or candidates."""
    claims = certificate.claims
    verdicts = claims.verdict.copy()
    verdicts[place] = verdict
    by, of = (
        [one.tolist() for one in (lists[i] for i in range(len(claims)))]
        for lists in (claims.witnesses, claims.candidates)
    )
    by[place], of[place] = witnesses, left
    lists = {"witnesses": Ragged.of(by), "candidates": Ragged.of(of)}
    return replace(certificate, claims=replace(claims, verdict=verdicts, **lists))


def made_safe(certificate: Certificate, random: Random) -> Certificate:
    """A claim is said to be safe, by whichever witnesses there are."""
    claims = certificate.claims
    if not len(claims):
        return certificate
    place = int(random.integers(len(claims)))
    pool, k = len(certificate.witnesses), max(0, int(claims.k[place]))
    witnesses = random.choice(pool, k, replace=pool < k).tolist() if pool else [0] * k
    return saying(certificate, place, SAFE, witnesses, [])


def made_unsafe(certificate: Certificate, random: Random) -> Certificate:
    """A claim is said to be unsafe, with fewer candidates than were asked for."""
    claims = certificate.claims
    if not len(claims):
        return certificate
    place = int(random.integers(len(claims)))
    return saying(certificate, place, UNSAFE, [], [int(claims.row[place])])


def with_exchange(pool: Witnesses, random: Random) -> Witnesses:
    """A step, a row or a token of an exchange is another one."""
    what = ("time", "rows", "tokens")[random.integers(3)]
    column = getattr(pool, what)
    if isinstance(column, Ragged):
        made: Any = Ragged(column.ptr, one_value(column.values, random))
    else:
        made = one_value(column, random)
    return replace(pool, **{what: made})


def fewer_exchanges_of(pool: Witnesses, random: Random) -> Witnesses:
    """An exchange is left out."""
    if not len(pool.time):
        return pool
    gone = int(random.integers(len(pool.time)))
    kept = [e for e in range(len(pool.time)) if e != gone]
    ptr = pool.ptr - (pool.ptr > gone)
    rows, tokens = (Ragged.of(one[e] for e in kept) for one in (pool.rows, pool.tokens))
    return Witnesses(ptr, pool.time[kept], rows, tokens)


def of_witnesses(change: Callable[[Witnesses, Random], Witnesses]) -> Any:
    def changed(certificate: Certificate, random: Random) -> Certificate:
        pool = Witnesses.joined(list(certificate.witnesses.pieces()))
        return replace(certificate, witnesses=change(pool, random))

    return changed


def of_problem(change: Callable[[Problem, Random], Problem]) -> Any:
    def changed(certificate: Certificate, random: Random) -> Certificate:
        return replace(certificate, problem=change(certificate.problem, random))

    return changed


def fewer_sightings(problem: Problem, random: Random) -> Problem:
    known = problem.knowledge
    kept = np.ones(len(known), bool)
    if len(known):
        kept[random.integers(len(known))] = False
    return replace(problem, knowledge=known.those(kept))


def another_sighting(problem: Problem, random: Random) -> Problem:
    known = problem.knowledge
    row, time = one_value(known.row, random), one_value(known.time, random)
    return replace(problem, knowledge=Knowledge.of(row, time, distinct=known.distinct))


def another_zone(problem: Problem, random: Random) -> Problem:
    """A zone more, one less, at another step, or of others."""
    zones = problem.zones
    listed = [
        [int(zones.time[z]), zones.members[zones.ptr[z] : zones.ptr[z + 1]].tolist()]
        for z in range(len(zones))
    ]
    what = random.integers(3)
    if zones.n_users < 2:
        return problem  # nobody to meet
    if what == 0 or not listed:
        two = random.choice(zones.n_users, 2, replace=False)
        listed.append([int(random.integers(1, zones.axis.steps + 1)), sorted(two.tolist())])
    elif what == 1:
        del listed[random.integers(len(listed))]
    else:
        listed[random.integers(len(listed))][0] = int(random.integers(1, zones.axis.steps + 1))
    listed.sort(key=lambda one: one[0])
    members = Ragged.of(one[1] for one in listed)
    time = np.array([one[0] for one in listed], np.int32)
    return replace(
        problem, zones=MixZones(zones.users, zones.axis, time, members.ptr, members.values)
    )


def another_requirement(problem: Problem, random: Random) -> Problem:
    asked = problem.requirements
    if asked is None:
        return problem
    name = ("row", "time", "k")[random.integers(3)]
    made = replace(asked, **{name: one_value(getattr(asked, name), random)})
    return replace(problem, requirements=made)


def proofs(name: str) -> Any:
    """A number of a proof is another one."""

    def change(certificate: Certificate, random: Random) -> Certificate:
        whole = getattr(certificate, name)
        column = sorted(vars(whole))[random.integers(len(vars(whole)))]
        values = getattr(whole, column)
        made = lists(values, random) if isinstance(values, Ragged) else one_value(values, random)
        return replace(certificate, **{name: replace(whole, **{column: made})})

    return change


Change = Callable[[Certificate, Random], Certificate]

KINDS: dict[str, Change] = {
    **{
        f"a claim's {name}": claim_column(name)
        for name in (
            *("row", "start", "end", "k", "verdict", "decided_by"),
            *("witnesses", "candidates", "proof"),
        )
    },
    "claims left out, doubled, exchanged": some_claims,
    "a claim made safe": made_safe,
    "a claim made unsafe": made_unsafe,
    "an exchange changed": of_witnesses(with_exchange),
    "an exchange left out": of_witnesses(fewer_exchanges_of),
    "a sighting left out": of_problem(fewer_sightings),
    "a sighting changed": of_problem(another_sighting),
    "a zone changed": of_problem(another_zone),
    "a requirement changed": of_problem(another_requirement),
    "a Hall set changed": proofs("hall_sets"),
    "a refutation changed": proofs("clause_proofs"),
    "another rule": lambda one, random: replace(
        one, rule=Rule(("every", "some", "share")[random.integers(3)], 0.5)
    ),
    "another k": lambda one, random: replace(
        one, k=None if one.k is None else int(random.integers(0, 6))
    ),
}
"""Changes of a certificate, by what they change."""


def tampered(
    certificate: Certificate, random: Random, kinds: Mapping[str, Change] = KINDS
) -> tuple[str, Certificate]:
    """A certificate with one change or two or three, and of what kinds they are.

    Raises
    ------
    InputError
        What was changed cannot even be written down.
    """
    names = random.choice(list(kinds), random.choice([1, 1, 2, 3]), replace=False).tolist()
    for name in names:
        certificate = kinds[name](certificate, random)
    return names[0] if len(names) == 1 else "several at once", certificate


def accepted(changed: Certificate, own: Certificate) -> Checked | None:
    """What the checker found, if a reader with the data accepts it, who demands what was asked."""
    try:
        demand(changed, k=own.k, rule=own.rule)
        if not is_of_the_same_problem(changed, own):
            return None
        found = check(changed)
    except InputError:
        return None
    about = changed if changed.chosen is None else alone(changed, changed.chosen)
    assert (found.users, found.users_claimed) == users_by_rule(about)
    return found if found.unsafe_claimed == 0 else None


def is_of_the_same_problem(changed: Certificate, own: Certificate) -> bool:
    """What a reader with the data finds, and one who knows the hash of the problem only."""
    other, seen = (None if one.audited is None else one.audited.seen for one in (changed, own))
    has_its_hash = fingerprint(changed.problem, other) == fingerprint(own.problem, seen)
    try:
        compare(changed, own.problem, seen)
    except InputError:
        assert not has_its_hash
        return False
    assert has_its_hash
    return True


def users_by_rule(certificate: Certificate) -> tuple[dict[Verdict, int], tuple[Hashable, ...]]:
    """How many users pass, fail, or may do either, and who fails by what is only claimed."""
    verdict = certificate.claims.verdict.copy()
    believed = by_rule(certificate, verdict)
    verdict[shown_unsafe(certificate).claimed] = UNDECIDED
    proven, audited = by_rule(certificate, verdict), certificate.audited
    names = certificate.problem.zones.users if audited is None else audited.seen.users
    claimed = sorted(row for row in proven if proven[row] is not believed[row])
    counts = {one: list(proven.values()).count(one) for one in DECISIONS}
    return counts, tuple(names[claimed].tolist()) if claimed else ()


def by_rule(certificate: Certificate, verdict: npt.NDArray[np.int8]) -> dict[int, Verdict]:
    """Whether each user passes, step by step and as the rule says in words."""
    claims, rule, k = certificate.claims, certificate.rule, certificate.k
    steps: dict[int, list[int]] = {}
    for i, row in enumerate(claims.row.tolist()):
        first = int(claims.start[i]) if k is None else max(int(claims.start[i]), 1)
        asked = steps.setdefault(row, [])
        asked += [int(verdict[i])] * (int(claims.end[i]) + 1 - first)
    if k is not None and certificate.audited is None:
        for row in certificate.problem.zones.absent.tolist():
            del steps[row]

    def passes(safe: int, of: int) -> bool:
        if rule.kind == "share":
            return safe >= Fraction(repr(rule.share)) * of
        return safe == of or (rule.kind == "some" and safe > 0)

    found: dict[int, Verdict] = {}
    for row, asked in steps.items():
        safe, open_ = asked.count(SAFE), asked.count(UNDECIDED)
        may = Verdict.UNDECIDED if passes(safe + open_, len(asked)) else Verdict.UNSAFE
        found[row] = Verdict.SAFE if passes(safe, len(asked)) else may
    return found


def is_true(certificate: Certificate, domains: Domains) -> bool:
    """Whether all that it claims is true: brute force says what is possible."""
    claims = certificate.claims
    for i in np.flatnonzero((claims.verdict == SAFE) | (claims.verdict == UNSAFE)).tolist():
        for step in range(int(claims.start[i]), int(claims.end[i]) + 1):
            enough = len(domains[int(claims.row[i]), step]) >= claims.k[i]
            if enough != (claims.verdict[i] == SAFE):
                return False
    return True
