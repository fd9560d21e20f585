"""Security requirements (u, t, k), and the rule by which a user passes."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Literal, SupportsIndex

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError


@dataclass(frozen=True, eq=False)
class Requirements:
    """Security requirements (CSP paper, definition 7): row, step and k of each.

    Parameters
    ----------
    row, time, k
        (n_requirements,) int32 each; k >= 1. What is read asks for 2 or more (:func:`check_k`);
        more than there are users is never met.
    """

    row: npt.NDArray[np.int32]
    time: npt.NDArray[np.int32]
    k: npt.NDArray[np.int32]

    def __repr__(self) -> str:
        return f"<Requirements: {len(self):,}>"

    def __len__(self) -> int:
        return len(self.row)

    def those(self, which: npt.NDArray[np.int64] | npt.NDArray[np.bool_] | slice) -> Requirements:
        """Some of them: by number, by a mask, or a slice."""
        return Requirements(self.row[which], self.time[which], self.k[which])


LEAST_K = 2
"""Candidates that protect, at least: everybody is a candidate for herself."""

MOST_K = 2**31 - 1

NO_K = f"is not from {LEAST_K} to {MOST_K}"
"""What is wrong with a number of candidates."""


def outside_k(k: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Which numbers, (n,), are no numbers of candidates to ask for.

    More than there are users are: no user has so many.
    """
    return np.asarray((k < LEAST_K) | (k > MOST_K))


def check_k(k: int, called: str = "k =") -> None:
    """Refuse a number of candidates that protects nobody.

    Parameters
    ----------
    called
        What it is called where it was said.

    Raises
    ------
    InputError
        It is below 2, or too large.
    """
    if not LEAST_K <= k <= MOST_K:
        hint = "with one candidate, the true one, everybody can be followed" if k == 1 else None
        raise InputError(f"{called} {k} {NO_K}", hint=hint)


def checked_k(k: object) -> int | None:
    """A number of candidates, whole; None: none was said.

    Raises
    ------
    InputError
        It is no whole number, or protects nobody.
    """
    if k is None:
        return None
    whole = whole_number(k, "k =")
    check_k(whole)
    return whole


def whole_number(given: object, called: str) -> int:
    """A number that somebody said in Python, as an integer.

    Parameters
    ----------
    called
        What it is called where it was said.

    Raises
    ------
    InputError
        It is no whole number.
    """
    if isinstance(given, bool) or not isinstance(given, SupportsIndex):
        raise InputError(f"{called} {given!r} is not a whole number", hint="as 3")
    return operator.index(given)


@dataclass(frozen=True)
class Rule:
    """When a user passes.

    Parameters
    ----------
    kind
        ``every``: at every time asked; ``some``: at some time; ``share``: for at least the
        share ``share`` of the time.
    share
        For ``share``: 0 < share <= 1.
    by_default
        Nobody asked for this rule by name.

    Raises
    ------
    InputError
        An unknown rule or a share outside (0, 1].
    """

    kind: Literal["every", "some", "share"]
    share: float = 1.0
    by_default: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        if self.kind not in ("every", "some", "share"):
            raise InputError(f"unknown rule '{self.kind}'", hint="use every, some or share:P")
        if not 0 < self.share <= 1:
            raise InputError(f"a share of {self.share} is not above 0 and at most 1")

    @classmethod
    def default(cls, *, every_time: bool) -> Rule:
        """The rule where none was said.

        Parameters
        ----------
        every_time
            Whether every time was asked about: ``some`` then, because close to a sighting nobody
            can be safe; ``every`` where times were named.
        """
        return cls("some" if every_time else "every", by_default=True)

    @classmethod
    def of(cls, said: Rule | str | None) -> Rule | None:
        """A rule, or what :meth:`parse` makes of a text; None: none was said.

        Raises
        ------
        InputError
            It is neither.
        """
        if said is None or isinstance(said, Rule):
            return said
        if not isinstance(said, str):
            raise InputError(f"a rule is a text, not {said!r}", hint="use every, some or share:P")
        return cls.parse(said)

    @classmethod
    def parse(cls, text: str) -> Rule:
        """Rule from ``every``, ``some`` or ``share:P``.

        Raises
        ------
        InputError
            Anything else.
        """
        kind, colon, share = text.partition(":")
        if kind != "share":
            if colon or kind not in ("every", "some"):
                raise InputError(f"unknown rule '{text}'", hint="use every, some or share:P")
            return cls("every" if kind == "every" else "some")
        try:
            return cls("share", float(share))
        except ValueError:
            raise InputError(
                f"'{text}' is not a rule", hint="write share:0.9 for 90% of the time"
            ) from None

    def __str__(self) -> str:
        return f"share:{self._exact:f}" if self.kind == "share" else self.kind

    def needed(self, total: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """At how many of the times that are asked about, (n,), users must be safe to pass.

        A share is what its decimals say: 0.7 of 10 is 7, whatever the rounding of 0.7.
        """
        if self.kind == "every":
            return total
        if self.kind == "some":
            return np.minimum(total, 1)
        share = Fraction(self._exact)
        each, place = np.unique(total, return_inverse=True)
        return np.array([math.ceil(share * times) for times in each.tolist()], np.int64)[place]

    @property
    def words(self) -> str:
        """The rule in a sentence."""
        if self.kind == "every":
            return "a user passes if safe at every time asked"
        if self.kind == "some":
            return "a user passes if safe at some time asked"
        return f"a user passes if safe for at least {self.percent} of the time asked"

    @property
    def percent(self) -> str:
        """The share in percent."""
        return f"{(100 * self._exact).normalize():f}%"

    @property
    def _exact(self) -> Decimal:
        """The share as its decimals say it, all of them and no zeros after them."""
        return Decimal(repr(float(self.share))).normalize()
