"""Spellings of users' names: which are one name, and which may be two.

Two spellings are *one name* if they differ only in what nobody writes on purpose: blanks around
them, invisible characters (zero-width spaces, byte order marks), the width of characters (the full
width digits of East Asian keyboards), the composition of accents (NFC), or a decimal point after a
whole number, as software writes a column of numbers with a missing value (``1.0`` for ``1``).

Two names are *alike* if they differ only in case, in compatibility characters (NFKC), in leading
zeros, in the number of blanks between words, or in the form of a number. They may be one person, or
two: the data do not say.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

from mixsafe.errors import InputError

SIMILAR = ("same", "different")
"""What alike names may be said to be."""

_WHOLE = re.compile(r"(-?[0-9]+)\.0*")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?(e[+-][0-9]{1,3})?")
_ZEROS = re.compile(r"(.*[^0-9.]|)0+([0-9]+)", re.DOTALL)
_DIGITS = re.compile(r"-?[0-9]+")

_LONGEST = 40
"""Digits of a number that is written out."""


def plain(name: str) -> str:
    """The name that a spelling stands for."""
    if not name.isascii():
        shown = "".join(_plain_character(one) for one in name)
        name = unicodedata.normalize("NFC", shown)
    name = name.strip()
    whole = _WHOLE.fullmatch(name)
    return name if whole is None else whole[1]


def _plain_character(one: str) -> str:
    """A character in its usual width; nothing if it is invisible."""
    category = unicodedata.category(one)
    if category == "Cf":
        return ""
    if category == "Zs":
        return " "
    kind, _, code = unicodedata.decomposition(one).partition(" ")
    return chr(int(code, 16)) if kind in ("<wide>", "<narrow>") else one


def alike(name: str) -> str:
    """A key that names share if they are alike; names as :func:`plain` returns them."""
    key = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
    if _NUMBER.fullmatch(key) and not _DIGITS.fullmatch(key):
        number = Decimal(key)
        if abs(number.adjusted()) < _LONGEST:
            key = format(number.normalize(), "f")
    zeros = _ZEROS.fullmatch(key)
    return key if zeros is None else zeros[1] + zeros[2]


def check_similar(said: str | None) -> None:
    """Refuse what alike names cannot be said to be.

    Raises
    ------
    InputError
        Names the words that there are.
    """
    if said is not None and said not in SIMILAR:
        hint = f"say {' or '.join(SIMILAR)}"
        raise InputError(f"--similar-names {said}: there is no such word", hint=hint)
