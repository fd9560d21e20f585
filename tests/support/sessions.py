"""Sessions on pages: commands, and whether they print what is shown.

Numbers with decimals are compared as numbers: sums, exponentials and logarithms are rounded
otherwise by other processors, and the last digit that is printed with them. All else is text, of
which any white space is the same, and ``...`` stands for whatever there is.
"""

from __future__ import annotations

import re

TOLERANCE = 0.01
"""Relative difference of two numbers that pass for one, besides one of their last digit."""

_PARTS = re.compile(r"(?P<number>\d[\d,]*\.\d+)|(?P<space>\s+)|(?P<any>\.\.\.)|.", re.DOTALL)
_ANY = ("any", "...")

Part = tuple[str, str]


def session(page: str) -> list[tuple[str, str]]:
    """Commands of a page's console blocks, and what each is shown to print."""
    steps = []
    for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL):
        for step in block.split("$ ")[1:] if block.startswith("$ ") else []:
            command, _, shown = step.partition("\n")
            steps.append((command, shown))
    return steps


def is_shown(shown: str, printed: str) -> bool:
    """Whether what a page shows is what was printed."""
    wanted, found = _parts(shown), _parts(printed)
    want = here = 0
    again: tuple[int, int] | None = None  # after the last ..., and where it is taken to end
    while here < len(found):
        if want < len(wanted) and wanted[want] == _ANY:
            want += 1
            again = want, here
        elif want < len(wanted) and _same(wanted[want], found[here]):
            want, here = want + 1, here + 1
        elif again is not None:
            again = again[0], again[1] + 1
            want, here = again
        else:
            return False
    return all(part == _ANY for part in wanted[want:])


def _parts(text: str) -> list[Part]:
    """Numbers with decimals, white space, ``...`` and single letters, by what they are."""
    found = ((str(part.lastgroup), part[0]) for part in _PARTS.finditer(text.strip()))
    return [(kind, " " if kind == "space" else what) for kind, what in found]


def _same(shown: Part, printed: Part) -> bool:
    """Whether two parts pass for one."""
    if shown[0] != "number" or printed[0] != "number":
        return shown == printed
    decimals = [len(what.partition(".")[2]) for _, what in (shown, printed)]
    one, other = (float(what.replace(",", "")) for _, what in (shown, printed))
    last = 10.0 ** -decimals[0]
    return decimals[0] == decimals[1] and abs(one - other) <= max(TOLERANCE * one, 1.001 * last)
