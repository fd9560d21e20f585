"""A team that hands in files, as in the contest: a folder with whatever there is so far."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mixsafe.contest.base.parts import AnswerKind
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.tournament.teams import Numbers, Target
from mixsafe.io.contest.reading import read_anonymized, read_inferred_ids, read_inferred_traces
from mixsafe.io.contest.submissions import DataSetName, check_attackers, find_submission
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells, IdTable


@dataclass(frozen=True)
class FolderTeam:
    """A team's folder of submissions.

    Parameters
    ----------
    name
        The team.
    folder
        With ``anotraces….csv``, and for each other team's release that was attacked
        ``etable_team001-002….csv`` and ``etraces_team001-002….csv``: team 1 attacks team 2.
    number
        The team's, from 1.
    data_set
        That of the challenge.
    """

    name: str
    folder: Path
    number: int
    data_set: DataSetName

    def obfuscate(
        self, original: TraceMatrix, rules: Rules, random: np.random.Generator
    ) -> Cells | None:
        """What stands in the team's file.

        Raises
        ------
        InputError
            Names the file, or the line, that is not as it should be.
        """
        path = find_submission(self.folder, "anotraces", self.data_set, self.number)
        return None if path is None else read_anonymized(path, original, rules.regions.count)

    def attack(
        self,
        answers: AnswerKind,
        target: Target,
        reference: Reference,
        release: Cells,
        random: np.random.Generator,
    ) -> Numbers | None:
        """What stands in the team's file about this release.

        Raises
        ------
        InputError
            Names the file, or the line, that is not as it should be.
        """
        check_attackers(self.folder, self.data_set, self.number)
        kind = "etable" if answers == "ids" else "etraces"
        start = f"{kind}_team{target.attacker:03d}-{target.victim:03d}"
        path = find_submission(self.folder, start, self.data_set, self.number)
        if path is None:
            return None
        if answers == "ids":
            # Only the shape of the table counts here: who is who is the judge's secret.
            everyone = np.arange(release.n_rows, dtype=np.int32)[:, None]
            anyone = np.repeat(everyone, release.n_steps, axis=1)
            return read_inferred_ids(path, IdTable(anyone, release.first_time))
        shape = TraceMatrix(np.zeros(release.code.shape, np.int32), release.first_time)
        return read_inferred_traces(path, shape, release.n_regions)
