"""What a team is given: traces of users that no other team has."""

from __future__ import annotations

from dataclasses import dataclass

from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix


@dataclass(frozen=True, eq=False)
class DataSet:
    """Traces of one team's users.

    Parameters
    ----------
    original
        What the team obfuscates; nobody else ever sees it.
    reference
        Earlier traces of the same users; given to everybody. Both become read-only.

    Raises
    ------
    InputError
        Traces of different numbers of users.
    """

    original: TraceMatrix
    reference: TraceMatrix

    def __post_init__(self) -> None:
        if self.original.n_users != self.reference.n_users:
            raise InputError(
                f"{self.original.n_users} users in the original traces,"
                f" but {self.reference.n_users} in the reference traces"
            )
        # No team's code changes what the judge or another team works with.
        for traces in (self.original, self.reference):
            traces.region.flags.writeable = False
