"""Display of an answer: a line, a summary for notebooks, a page and pictures."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Protocol

from mixsafe.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

FIRST = 5
"""Number of users that a notebook lists, the least protected first."""


class Pages(Protocol):
    """Maker of the page and the pictures of an answer, with the context of the question."""

    def page(self, answer: Any, output: str | os.PathLike[str] | None) -> str:  # noqa: ANN401
        """The page, written to ``output`` unless that is None."""

    def picture(self, answer: Any, output: str | os.PathLike[str] | None) -> Figure:  # noqa: ANN401
        """The pictures, written to ``output`` unless that is None."""


@dataclass(frozen=True, eq=False, repr=False)
class Shown:
    """An answer with a page, a figure and a notebook summary.

    Parameters
    ----------
    pages
        Maker of the page and the pictures; None: the answer was made without one.
    """

    pages: Pages | None = field(default=None, kw_only=True)

    @property
    @abstractmethod
    def facts(self) -> Mapping[str, str]:
        """Summary lines: texts by name."""

    def report(self, output: str | os.PathLike[str] | None = None) -> str:
        """The page about the answer: one HTML file that works offline.

        Parameters
        ----------
        output
            File for the page; None: only return it. A notebook displays it.

        Raises
        ------
        InputError
            The file cannot be written.
        """
        return self._made().page(self, output)

    def plot(self, output: str | os.PathLike[str] | None = None) -> Figure:
        """The pictures of the page as a matplotlib figure.

        Parameters
        ----------
        output
            File for it, ``.png`` or ``.svg``; None: only return it.

        Raises
        ------
        InputError
            There is nothing to draw, or the file cannot be written.
        """
        return self._made().picture(self, output)

    def _made(self) -> Pages:
        if self.pages is None:
            raise InputError("this answer has no pages", hint="use mixsafe.report(answer)")
        return self.pages

    def __repr__(self) -> str:
        said = ", ".join(f"{name}: {value}" for name, value in self.facts.items())
        return f"<{type(self).__name__} {said}>"

    def _repr_html_(self) -> str:
        return as_html(self.facts, getattr(self, "users", None))


def as_html(facts: Mapping[str, str], users: pd.DataFrame | None) -> str:
    """Summary of an answer for notebooks: its facts, and the least protected users."""
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in facts.items()
    )
    least = ""
    if users is not None and len(users):
        worst = users.sort_values("safe_share", kind="stable").head(FIRST)
        least = f"<p>Least protected:</p>{worst.to_html(index=False)}"
    return f"<table>{rows}</table>{least}"


def verdicts(users: Mapping[str, int]) -> str:
    """Number of users by verdict, in words."""
    return ", ".join(f"{count:,} {word}" for word, count in users.items())
