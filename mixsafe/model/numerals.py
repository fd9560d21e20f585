"""Numbers as texts and as parameters: decimal, in ASCII digits, and within a range.

This is the rule of all readers and options. Python's ``int`` and ``float`` take more, such as
``1_000`` and full-width digits, and PyArrow takes ``0x10``; names of users may be any of these.
"""

from __future__ import annotations

import re

from mixsafe.errors import InputError

WHOLE = r"[+-]?[0-9]+"
"""Pattern of a whole number, for Python and for PyArrow."""

DECIMAL = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
"""Pattern of a number with or without decimals, likewise."""

MOST_WHOLE = 2**31 - 1
"""Largest whole number of an option."""

MOST_SEED = 2**128 - 1
"""Largest seed, as large as one that nobody gave."""

MOST = 1e12
"""Largest number of an option with decimals: its products with times and distances are finite."""

LARGEST_INTEGER = 2**63 - 1
"""Largest whole number in a column; the smallest one is its negative."""

_DIGITS = 40
"""Digits, leading zeros left out, of the longest number that is converted; no range has more."""

_SHOWN = 40
"""Characters of a text that a message shows."""


def in_ascii_digits(text: str) -> bool:
    r"""Whether all digits in a text are ASCII; Python's ``isdigit`` takes others.

    Examples
    --------
    >>> in_ascii_digits("14 März"), in_ascii_digits("\uff12024")
    (True, False)
    """
    return text.isascii() or all(one.isascii() or not one.isdigit() for one in text)


def is_decimal(text: str) -> bool:
    """Whether a text is a decimal number, blanks around it left out."""
    return re.fullmatch(DECIMAL, text.strip(" \t")) is not None


def integer_of(text: str) -> int | None:
    """The whole number of 64 bits that a text is; None: it is none.

    Examples
    --------
    >>> integer_of(" +42"), integer_of("1_000"), integer_of("9" * 5000)
    (42, None, None)
    """
    number = _converted(text)
    return None if number is None or abs(number) > LARGEST_INTEGER else number


def _converted(text: str) -> int | None:
    """The whole number in a text; None: it is none, or so long that Python might refuse it."""
    text = text.strip(" \t")
    if re.fullmatch(WHOLE, text) is None or len(text.lstrip("+-0")) > _DIGITS:
        return None
    number = int(text.lstrip("+-0") or "0")
    return -number if text.startswith("-") else number


def parse_whole(text: str, least: int | None = None, most: int = MOST_WHOLE) -> int:
    """The whole number in a text.

    Parameters
    ----------
    least, most
        What is allowed; None: from ``-most`` on, and the caller says what is too small.

    Raises
    ------
    InputError
        It is none, or out of range.

    Examples
    --------
    >>> parse_whole("9223372036854775808", 1)
    Traceback (most recent call last):
    mixsafe.errors.InputError: 9223372036854775808 is not from 1 to 2147483647
    """
    if re.fullmatch(WHOLE, text.strip(" \t")) is None:
        raise InputError(f"'{_short(text)}' is not a whole number")
    number = _converted(text)
    if number is None or not (-most if least is None else least) <= number <= most:
        raise InputError(f"{_short(text)} {_outside(text, least, most)}")
    return number


def parse_decimal(text: str, least: float | None = None, most: float = MOST) -> float:
    """The number in a text, with or without decimals; as :func:`parse_whole`.

    Raises
    ------
    InputError
        It is none, or out of range.
    """
    if not is_decimal(text):
        raise InputError(f"'{_short(text)}' is not a number")
    number = float(text)
    if not (-most if least is None else least) <= number <= most:
        raise InputError(f"{_short(text)} {_outside(text, least, most)}")
    return number


def check_most(number: float, called: str, most: float = MOST) -> None:
    """Refuse a number, given in Python, that is too large.

    Raises
    ------
    InputError
        It is above ``most``, or not a number.
    """
    if not number <= most:
        raise InputError(f"{called} {number:.10g} is above {most:.10g}")


def _outside(text: str, least: float | None, most: float) -> str:
    """What is wrong with a number out of range."""
    limit = f"{most}" if isinstance(most, int) else f"{most:g}"
    if least is not None:
        return f"is not from {least:g} to {limit}"
    return f"is below -{limit}" if text.strip().startswith("-") else f"is above {limit}"


def _short(text: str) -> str:
    """A text as messages show it."""
    text = text.strip()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
