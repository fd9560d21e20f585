"""What answers can do for people: pages, pictures, a few words."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from html import escape
from typing import TYPE_CHECKING, NamedTuple, Self

from mixsafe.report.view_models.places import Atlas
from mixsafe.verify.verification import Verification

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mixsafe.optimize.answer import MinimumZones
    from mixsafe.release.audit import Audit
    from mixsafe.report.base.page import Page

FIRST = 5
"""Users who are listed in a notebook: those who are protected least."""


class KnownBesides(NamedTuple):
    """What an answer does not know itself.

    Parameters
    ----------
    adversary
        What she knows, in words.
    atlas
        Where places are; None: it is not known.
    """

    adversary: str = ""
    atlas: Atlas | None = None


NOTHING_KNOWN = KnownBesides()


@dataclass(frozen=True, eq=False, repr=False)
class ShowsItself:
    """An answer that shows itself.

    Parameters
    ----------
    setting
        What it does not know itself.
    """

    setting: KnownBesides = NOTHING_KNOWN

    @classmethod
    def of(cls, answer: Verification | Audit | MinimumZones, setting: KnownBesides) -> Self:
        """An answer of the same kind, so that it shows itself."""
        made = {one.name: getattr(answer, one.name) for one in fields(answer)}
        kind: Callable[..., Self] = cls  # a record that extends the answer's own
        return kind(**made, setting=setting)

    @property
    @abstractmethod
    def told(self) -> Mapping[str, str]:
        """What there is to say in a few words, by what it is."""

    def report(self, output: str | os.PathLike[str] | None = None) -> Page:
        """The page about the answer: one file that opens in any browser, without a network.

        Parameters
        ----------
        output
            File for the page; None: it is only returned. In a notebook, it shows itself.

        Raises
        ------
        InputError
            The file cannot be written.
        """
        from mixsafe.report.reporting import report

        return report(self, output, **self.setting._asdict())  # type: ignore[arg-type]

    def plot(self, output: str | os.PathLike[str] | None = None) -> Figure:
        """The pictures of the page, as a figure of matplotlib.

        Parameters
        ----------
        output
            File for it, ``.png`` or ``.svg``; None: it is only returned.

        Raises
        ------
        InputError
            There is nothing to draw, or the file cannot be written.
        """
        from mixsafe.report.reporting import picture

        return picture(self, output, **self.setting._asdict())  # type: ignore[arg-type]

    def __repr__(self) -> str:
        said = ", ".join(f"{name}: {value}" for name, value in self.told.items())
        return f"<{type(self).__bases__[1].__name__} {said}>"

    def _repr_html_(self) -> str:
        """The same for notebooks, and whom it protects least."""
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th>"
            f"<td style='text-align:left'>{escape(value)}</td></tr>"
            for name, value in self.told.items()
        )
        users = getattr(self, "users", None)
        least = ""
        if users is not None and len(users):
            worst = users.sort_values("safe_share", kind="stable").head(FIRST)
            least = f"<p>Least protected:</p>{worst.to_html(index=False)}"
        return f"<table>{rows}</table>{least}"


def verdicts(users: Mapping[str, int]) -> str:
    """How many there are of each verdict."""
    return ", ".join(f"{count:,} {word}" for word, count in users.items())


@dataclass(frozen=True, eq=False, repr=False)
class VerificationShown(ShowsItself, Verification):
    """An answer of ``verify``."""

    @property
    def told(self) -> Mapping[str, str]:
        """What was asked, and what came out."""
        summary, data = self.summary, self.problem.zones
        return {
            "data": f"{self.problem.name}, {data.n_users:,} users, {data.axis.steps:,} steps,"
            f" {len(data):,} mix zones",
            "verdict": f"{self.verdict.value} by rule {self.rule}",
            "users": verdicts(summary["users"]),
            "answer": f"{self.headline.sentence} {self.headline.exposure}",
        }
