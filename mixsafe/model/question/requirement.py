"""Requirements (u, t, k), and the rule by which a user passes."""

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
from mixsafe.model.numerals import parse_decimal


@dataclass(frozen=True, eq=False)
class Requirements:
    """Requirements (CSP paper, definition 7): row, step and k of each.

    Parameters
    ----------
    row, time, k
        (n_requirements,) int32 each; k >= 1. Input must have k >= 2 (:func:`check_k`). A k above
                the number of users is never met.
    """

    row: npt.NDArray[np.int32]
    time: npt.NDArray[np.int32]
    k: npt.NDArray[np.int32]

    def __repr__(self) -> str:
        return f"<Requirements: {len(self):,}>"

    def __len__(self) -> int:
        return len(self.row)

    def those(self, which: npt.NDArray[np.int64] | npt.NDArray[np.bool_] | slice) -> Requirements:
        """Select requirements by number, mask or slice."""
        return Requirements(self.row[which], self.time[which], self.k[which])


LEAST_K = 2
"""Least k that protects: each user is a candidate for herself."""

MOST_K = 2**31 - 1

NO_K = f"is not from {LEAST_K} to {MOST_K}"
"""Message for an invalid number of candidates."""


def outside_k(k: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Mask of the invalid values of k, (n,).

    Values above the number of users are valid: no user meets them.
    """
    return np.asarray((k < LEAST_K) | (k > MOST_K))


def check_k(k: int, called: str = "k =") -> None:
    """Refuse a number of candidates that protects no user.

    Parameters
    ----------
    called
        Name of the value in messages.

    Raises
    ------
    InputError
        k is below 2 or too large.
    """
    if not LEAST_K <= k <= MOST_K:
        hint = "each user is a candidate, so protection begins at 2" if k < LEAST_K else None
        raise InputError(f"{called} {k} {NO_K}", hint=hint)


def checked_k(k: object) -> int | None:
    """Validate a number of candidates; None stays None.

    Raises
    ------
    InputError
        k is not a whole number, or is out of range.
    """
    if k is None:
        return None
    whole = whole_number(k, "k =")
    check_k(whole)
    return whole


def whole_number(given: object, called: str) -> int:
    """Convert a Python argument to an integer.

    Parameters
    ----------
    called
        Name of the value in messages.

    Raises
    ------
    InputError
        It is not a whole number.
    """
    if isinstance(given, bool) or not isinstance(given, SupportsIndex):
        raise InputError(f"{called} {given!r} is not a whole number", hint="give an integer")
    return operator.index(given)


@dataclass(frozen=True)
class Rule:
    """When a user passes.

    Parameters
    ----------
    kind
        ``every``: at every time asked about; ``some``: at one of them or more; ``share``: for at
        least the share ``share`` of the time.
    share
        For ``share``: 0 < share <= 1.
    by_default
        True: the rule is the default, not given by the user.

    Raises
    ------
    InputError
        The rule is unknown, or the share is outside (0, 1].
    """

    kind: Literal["every", "some", "share"]
    share: float = 1.0
    by_default: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        if self.kind not in ("every", "some", "share"):
            raise InputError(f"unknown rule '{self.kind}'", hint="use every, some or share:P")
        if not 0 < self.share <= 1:
            raise InputError(f"the share {self.share} is not above 0 and at most 1")

    @classmethod
    def default(cls, *, every_time: bool) -> Rule:
        """The default rule.

        Parameters
        ----------
        every_time
            True if the question is about every time: the default is then ``some``, because no user
            can be safe close to a sighting; ``every`` if times were given.
        """
        return cls("some" if every_time else "every", by_default=True)

    @classmethod
    def of(cls, said: Rule | str | None) -> Rule | None:
        """A rule, or the result of :meth:`parse` for a text; None stays None.

        Raises
        ------
        InputError
            The argument is neither.
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
            The text has another form.
        """
        kind, colon, share = text.partition(":")
        if kind != "share":
            if colon or kind not in ("every", "some"):
                raise InputError(f"unknown rule '{text}'", hint="use every, some or share:P")
            return cls("every" if kind == "every" else "some")
        try:
            return cls("share", parse_decimal(share))
        except ValueError:
            raise InputError(
                f"'{text}' is not a rule", hint="write share:0.9 for 90% of the time"
            ) from None

    def __str__(self) -> str:
        return f"share:{_written(self._exact)}" if self.kind == "share" else self.kind

    def needed(self, total: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Number of times, of (n,) totals asked about, at which users must be safe to pass.

        The share is used as an exact decimal: 0.7 of 10 is 7, in spite of binary rounding.
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
        return f"{_written((100 * self._exact).normalize())}%"

    @property
    def _exact(self) -> Decimal:
        """The share as an exact decimal without trailing zeros."""
        return Decimal(repr(float(self.share))).normalize()


def _written(number: Decimal) -> str:
    """A number in digits; a very small one with an exponent, as Python writes it."""
    return f"{number:f}" if number.adjusted() >= -12 else f"{number:g}"
