"""Pages and pictures of answers to questions that were asked in a notebook."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mixsafe.documents.atlas import Atlas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mixsafe.report.page import Page
    from mixsafe.report.reporting import Answer


@dataclass(frozen=True)
class AskedPages:
    """Maker of pages, with context that an answer does not contain.

    Parameters
    ----------
    adversary
        Her knowledge, in words.
    atlas
        Coordinates and names of places; None: unknown.
    """

    adversary: str = ""
    atlas: Atlas | None = None

    def page(self, answer: Answer, output: str | os.PathLike[str] | None) -> Page:
        """The page, written to ``output`` unless that is None."""
        from mixsafe.report.reporting import report

        return report(answer, output, adversary=self.adversary, atlas=self.atlas)

    def picture(self, answer: Answer, output: str | os.PathLike[str] | None) -> Figure:
        """The pictures, written to ``output`` unless that is None."""
        from mixsafe.report.reporting import picture

        return picture(answer, output, adversary=self.adversary, atlas=self.atlas)
