"""Certificates of audits that somebody changed, by kind of change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from mixsafe.model.answer.certificate import Audited, Certificate
from mixsafe.model.csr import Ragged
from mixsafe.model.question.adversary import Pins
from tests.support.tampered import Change, Random, fewer_exchanges_of, one_value, with_exchange

AuditedChange = Callable[[Audited, Random], Audited]


def of_audited(change: AuditedChange) -> Change:
    def changed(certificate: Certificate, random: Random) -> Certificate:
        audited = certificate.audited
        if audited is None:
            return certificate
        return replace(certificate, audited=change(audited, random))

    return changed


def of_pins(change: Callable[[Pins, Random], Pins]) -> Change:
    def changed(audited: Audited, random: Random) -> Audited:
        seen = audited.seen
        return replace(audited, seen=replace(seen, pins=change(seen.pins, random)))

    return of_audited(changed)


def fewer_pins(pins: Pins, random: Random) -> Pins:
    kept = np.ones(len(pins), bool)
    if len(pins):
        kept[random.integers(len(pins))] = False
    return pins.those(np.flatnonzero(kept))


def another_pin(pins: Pins, random: Random) -> Pins:
    """A sighting is of another user, at another step, or on other tracks."""
    what = ("token", "time", "rows")[random.integers(3)]
    return replace(pins, **{what: one_value(getattr(pins, what), random)})


def wider_pin(pins: Pins, random: Random) -> Pins:
    """A sighting is on any track."""
    listed = [pins.rows[pins.ptr[i] : pins.ptr[i + 1]].tolist() for i in range(len(pins))]
    if listed:
        listed[random.integers(len(listed))] = list(range(int(pins.rows.max(initial=0)) + 2))
    made = Ragged.of(listed)
    return replace(pins, ptr=made.ptr, rows=made.values)


def other_users(audited: Audited, random: Random) -> Audited:
    """A known user more, one less, or in another order."""
    seen = audited.seen
    users: Any = seen.users
    what = random.integers(3)
    if what == 0:
        users = np.append(users, users[:1])
    elif what == 1:
        users = users[:-1]
    else:
        users = random.permutation(users)
    return replace(audited, seen=replace(seen, users=users))


AUDIT_KINDS: dict[str, Change] = {
    "an auditor's sighting left out": of_pins(fewer_pins),
    "an auditor's sighting changed": of_pins(another_pin),
    "an auditor's sighting on any track": of_pins(wider_pin),
    "known users": of_audited(other_users),
    "an exchange of the base changed": of_audited(
        lambda one, random: replace(one, base=with_exchange(one.base, random))
    ),
    "an exchange of the base left out": of_audited(
        lambda one, random: replace(one, base=fewer_exchanges_of(one.base, random))
    ),
    "no word of an audit": lambda one, random: replace(one, audited=None),
}
"""Changes of what a certificate of an audit has beside others."""
