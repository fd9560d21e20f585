"""Rows of a table that cannot be read, and what is wrong with the first of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mixsafe.model.mobility.premises import MOST_EXAMPLES

Flags = npt.NDArray[np.bool_]


@dataclass(eq=False)
class Faults:
    """Rows at fault, collected while the columns of a table are validated.

    Parameters
    ----------
    count
        Rows that are no longer in the table.
    examples
        The first rows at fault: number in the file, and what is wrong.
    wrong
        (n_rows,) rows at fault that are still in the table; None: no row.
    """

    count: int = 0
    examples: list[tuple[int, str]] = field(default_factory=list)
    wrong: Flags | None = None

    def mark(self, wrong: Flags, rows: npt.NDArray[np.int64], messages: list[str]) -> None:
        """Add rows at fault.

        Parameters
        ----------
        wrong
            (n_rows,) flags.
        rows, messages
            Numbers of the first of these rows in the file, and what is wrong with each.
        """
        known = {row for row, _ in self.examples}
        fresh = [one for one in zip(rows.tolist(), messages, strict=True) if one[0] not in known]
        self.examples = sorted([*self.examples, *fresh])[:MOST_EXAMPLES]
        self.wrong = wrong.copy() if self.wrong is None else self.wrong | wrong

    def settle(self) -> Flags | None:
        """Count the marked rows as gone; return the flags of rows to keep, None: all."""
        if self.wrong is None or not self.wrong.any():
            self.wrong = None
            return None
        keep = ~self.wrong
        self.count += int(np.count_nonzero(self.wrong))
        self.wrong = None
        return keep
