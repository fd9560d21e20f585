"""Clauses of a claim: exactly those that the definitions say, written here in another way."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from mixsafe.check.claim_clauses import (
    APART,
    BACK,
    BEGIN,
    FILLED,
    LAST,
    NEXT,
    OFF,
    ONWARD,
    ClaimClauses,
)
from mixsafe.check.reached import Reached
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import ClauseProof
from mixsafe.model.question.adversary import Pins
from tests.support.oracles import knowledge_of
from tests.support.random_problems import random_problem
from tests.support.relations import moves, with_random_pairs
from tests.support.strategies import problem

NOTHING = np.zeros(0, np.int32)


def written(told):
    """Every clause that there is, by its name."""
    found, n = {}, max(told.n_variables, len(told.wires)) + 2
    for kind in range(-1, 9):
        for about in range(-1, n):
            for other in range(-1, n) if kind == APART else (-1, 0, 1):
                with suppress(InputError):
                    found[kind, about, other] = sorted(told.clause(kind, about, other))
    return found


class Defined:
    """The clauses of a claim, wire by wire and step by step."""

    def __init__(self, asked, reached, proof):
        self.proof, self.reached = proof, reached
        self.zones = list(zip(asked.zones.time.tolist(), moves(asked), strict=True))
        self.known = knowledge_of(asked)
        steps = range(proof.begin, proof.end + 1)
        lasting = {int(wire) for step in steps for wire in reached.wires_at(step)}
        self.wires = sorted(lasting)
        self.tracked = proof.tracked.tolist()
        self.places = [
            (token, wire)
            for wire in self.wires
            for token in self.tracked
            if token in reached.tokens(wire)
        ]
        self.variable = {place: number for number, place in enumerate(self.places, 1)}

    def on(self, token, wires):
        return [self.variable[token, w] for w in wires if (token, w) in self.variable]

    def wire(self, row, step):
        return int(self.reached.wires_at(step)[row])

    def across(self, row, step, there):
        """Wires at ``there`` to which a token gets, or from which it came, by a pair of a zone.

        Of the zone of a row at a step in the stretch; None: the row has none.
        """
        if self.proof.begin < step <= self.proof.end:
            for time, pairs in self.zones:
                came, left = (1, 0) if there < step else (0, 1)
                met = sorted(pair[left] for pair in pairs if time == step and pair[came] == row)
                if met:
                    return [self.wire(member, there) for member in met]
        return None

    def seen_beside(self, wire, side):
        """Wire of the next sighting of an unnamed user (1), or of the one before (-1)."""
        row = int(self.reached.row[wire])
        wires = [self.wire(row, step) for who, step in sorted(self.known) if who == row]
        if (row, 0) in self.known or self.reached.pins is not None:
            return None
        different = [w for place, w in enumerate(wires) if place == 0 or wires[place - 1] != w]
        if wire not in different:
            return None
        place = different.index(wire) + side
        there = different[place] if 0 <= place < len(different) else None
        return [there] if there in self.wires else None

    def clauses(self):
        proof, reached, found = self.proof, self.reached, {}
        for i, token in enumerate(self.tracked):
            begins = [self.wire(row, proof.begin) for row in range(reached.n_rows)]
            found[BEGIN, i, 0] = self.on(token, begins)
        for i, wire in enumerate(self.wires):
            if set(reached.tokens(wire)) <= set(self.tracked):
                found[FILLED, i, 0] = [v for t in self.tracked for v in self.on(t, [wire])]
        for (token, wire), v in self.variable.items():
            row, start, end = (int(one[wire]) for one in (reached.row, reached.start, reached.end))
            for kind, there in (
                (ONWARD, self.across(row, end + 1, end + 1) if end < reached.horizon else None),
                (BACK, self.across(row, start, start - 1)),
                (NEXT, self.seen_beside(wire, 1)),
                (LAST, self.seen_beside(wire, -1)),
            ):
                if there is not None:
                    found[kind, v, 0] = sorted([-v, *self.on(token, there)])
            about, other = (row, token) if reached.pins is None else (token, row)
            if start <= proof.step <= end and about == proof.row and other in proof.off.tolist():
                found[OFF, v, 0] = [-v]
            for (second, beside), w in self.variable.items():
                both = range(max(start, reached.start[beside]), min(end, reached.end[beside]) + 1)
                if v < w and (wire == beside or (token == second and len(both))):
                    found[APART, v, w] = [-w, -v]
        return {name: sorted(clause) for name, clause in found.items() if clause}


def claim_about(asked, reached, random):
    n, horizon = asked.zones.n_users, asked.zones.axis.steps
    begin = int(random.integers(horizon + 1))
    end = int(random.integers(begin, horizon + 1))
    tracked = np.flatnonzero(random.random(n) < 0.8)
    row = int(random.choice(tracked)) if len(tracked) else 0
    off = tracked[random.random(len(tracked)) < 0.5]
    off = off if reached.pins is None else np.flatnonzero(random.random(n) < 0.5)
    step = int(random.integers(begin, end + 1))
    whole = tracked if len(tracked) else np.arange(n)
    return ClauseProof(row, step, off, whole, begin, end, NOTHING, NOTHING)


def test_a_publishers_clauses_are_those_of_the_definitions():
    random, kinds = np.random.default_rng(24), set()
    for _ in range(40):
        asked = random_problem(random, max_users=4, max_zones=7, max_assignments=10**6)
        asked = with_random_pairs(asked, random) if random.integers(2) else asked
        reached = Reached(asked)
        proof = claim_about(asked, reached, random)
        found = written(ClaimClauses(reached, proof))
        assert found == Defined(asked, reached, proof).clauses()
        kinds |= {kind for kind, _, _ in found}
    assert kinds == set(range(8))


PINS = Pins(
    np.array([1, 0, 2], np.int32),
    np.array([0, 2, 3], np.int32),
    np.array([0, 2, 3, 5]),
    np.array([0, 1, 2, 1, 3], np.int32),
)


def test_an_auditors_clauses_are_those_of_the_definitions():
    random, kinds = np.random.default_rng(25), set()
    whole = problem(4, 5, [(1, [0, 1]), (2, [1, 2]), (2, [0, 3]), (4, [0, 1, 2])])
    for asked in [whole] * 12 + [with_random_pairs(whole, random) for _ in range(4)]:
        reached = Reached(asked, PINS)
        proof = claim_about(asked, reached, random)
        found = written(ClaimClauses(reached, proof))
        assert found == Defined(asked, reached, proof).clauses()
        kinds |= {kind for kind, _, _ in found}
    assert kinds == {BEGIN, ONWARD, BACK, FILLED, APART, OFF}
