"""Answers with pages, pictures and a summary for notebooks."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from html import escape
from typing import TYPE_CHECKING, NamedTuple, Self

from mixsafe.documents.atlas import Atlas
from mixsafe.verify.verification import Verification

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mixsafe.optimize.answer import MinimumZones
    from mixsafe.release.audit import Audit
    from mixsafe.report.base.page import Page

FIRST = 5
"""Number of users that a notebook lists, the least protected first."""


class KnownBesides(NamedTuple):
    """Context that an answer does not contain.

    Parameters
    ----------
    adversary
        Her knowledge, in words.
    atlas
        Coordinates and names of places; None: unknown.
    """

    adversary: str = ""
    atlas: Atlas | None = None


NOTHING_KNOWN = KnownBesides()


@dataclass(frozen=True, eq=False, repr=False)
class ShowsItself:
    """An answer with a page, a figure and a notebook summary.

    Parameters
    ----------
    setting
        Context that the answer does not contain.
    """

    setting: KnownBesides = NOTHING_KNOWN

    @classmethod
    def of(cls, answer: Verification | Audit | MinimumZones, setting: KnownBesides) -> Self:
        """The same answer as an object of this class."""
        made = {one.name: getattr(answer, one.name) for one in fields(answer)}
        kind: Callable[..., Self] = cls  # a record that extends the answer's own
        return kind(**made, setting=setting)

    @property
    @abstractmethod
    def facts(self) -> Mapping[str, str]:
        """Summary lines: texts by name."""

    def report(self, output: str | os.PathLike[str] | None = None) -> Page:
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
        from mixsafe.report.reporting import report

        return report(self, output, **self.setting._asdict())  # type: ignore[arg-type]

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
        from mixsafe.report.reporting import picture

        return picture(self, output, **self.setting._asdict())  # type: ignore[arg-type]

    def __repr__(self) -> str:
        said = ", ".join(f"{name}: {value}" for name, value in self.facts.items())
        return f"<{type(self).__bases__[1].__name__} {said}>"

    def _repr_html_(self) -> str:
        """The summary for notebooks, and the least protected users."""
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th>"
            f"<td style='text-align:left'>{escape(value)}</td></tr>"
            for name, value in self.facts.items()
        )
        users = getattr(self, "users", None)
        least = ""
        if users is not None and len(users):
            worst = users.sort_values("safe_share", kind="stable").head(FIRST)
            least = f"<p>Least protected:</p>{worst.to_html(index=False)}"
        return f"<table>{rows}</table>{least}"


def verdicts(users: Mapping[str, int]) -> str:
    """Number of users by verdict, in words."""
    return ", ".join(f"{count:,} {word}" for word, count in users.items())


@dataclass(frozen=True, eq=False, repr=False)
class VerificationShown(ShowsItself, Verification):
    """An answer of ``verify``."""

    @property
    def facts(self) -> Mapping[str, str]:
        """The question and its result."""
        summary, data = self.summary, self.problem.zones
        return {
            "data": f"{self.problem.name}, {data.n_users:,} users, {data.axis.steps:,} steps,"
            f" {len(data):,} mix zones",
            "verdict": f"{self.verdict.value} by rule {self.rule}",
            "users": verdicts(summary["users"]),
            "answer": f"{self.headline.sentence} {self.headline.exposure}",
        }
