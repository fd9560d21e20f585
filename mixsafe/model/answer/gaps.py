"""Gaps of published tracks: three readings of steps in which a track shows nothing."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mixsafe.errors import InputError
from mixsafe.model.answer.verdict import Verdict

GREATEST_SPEED = 130.0
"""Greatest speed of a person in a gap where none is given, kilometres per hour."""


class Gaps(enum.Enum):
    """Which tracks without a fix may belong to a person who was seen then.

    Each reading allows what the one before it allows. A cell that is hidden on purpose, as ``*``
    in the contest's form, is no gap: it may hide anybody by every reading.
    """

    ABSENT = "absent"
    REACHABLE = "reachable"
    ANYWHERE = "anywhere"

    @classmethod
    def named(cls, name: Gaps | str | None) -> Gaps | None:
        """The reading of that name; None: the strictest that contradicts nothing.

        Raises
        ------
        InputError
            There is no such reading.
        """
        if name is None or isinstance(name, Gaps):
            return name
        if name not in NAMES:
            raise InputError(f"unknown reading of gaps '{name}'", hint=f"use {', '.join(NAMES)}")
        return cls(name)

    @property
    def level(self) -> int:
        """Position among the readings; 0 is the strictest."""
        return READINGS.index(self)

    @property
    def about(self) -> str:
        """What it assumes, as a clause."""
        return _ABOUT[self]


READINGS = tuple(Gaps)
"""All readings, the strictest first."""

NAMES = tuple(one.value for one in READINGS)
"""Their names."""

_ABOUT = {
    Gaps.ABSENT: "a person who was seen has a fix then",
    Gaps.REACHABLE: "a gap may hide a person who can get there and back in time",
    Gaps.ANYWHERE: "a gap may hide anybody",
}

_WORDS = {
    Verdict.SAFE: "VALID",
    Verdict.WEAK_PASS: "WEAK PASS",
    Verdict.UNSAFE: "INVALID",
    Verdict.UNDECIDED: "UNDECIDED",
    None: "contradicted by the sightings",
}


@dataclass(frozen=True)
class GapVerdicts:
    """Verdicts of an audit by each reading of gaps.

    Parameters
    ----------
    verdicts
        By reading; None: the sightings contradict the release by it.
    asked
        The reading that was asked for; None: sighting by sighting the strictest one that
        contradicts nothing.
    used
        The strictest reading that counts for some sighting.
    wider, sightings
        Number of sightings for which a wider reading than ``used`` counts, and of all.
    speed
        Greatest speed of the reading *reachable*, kilometres per hour; None: nobody knows how far
        places are apart, so that it says what *anywhere* says.
    own
        The verdict by the reading that was used.
    strictest
        The verdict by the strictest reading that contradicts nothing, sighting by sighting.
    hides
        Whether some track hides a cell on purpose when somebody was seen.
    suppressed
        The verdict if tracks that show nothing at any step were not those of known people, as far
        as the sightings allow; None: there is no such track, or the answer does not pass.
    """

    verdicts: Mapping[Gaps, Verdict | None]
    asked: Gaps | None
    used: Gaps
    wider: int
    sightings: int
    speed: float | None
    own: Verdict
    strictest: Verdict
    hides: bool = False
    suppressed: Verdict | None = None

    @property
    def verdict(self) -> Verdict:
        """The verdict: a pass is weak if it needs a wider reading, or tracks that show nothing."""
        return Verdict.WEAK_PASS if self.own.passes and self.but else self.own

    @property
    def but(self) -> str:
        """What a pass rests on alone, as a clause; empty: nothing of this kind."""
        if not self.strictest.passes:
            return f"only as steps without a fix are read here ('{self.used.value}')"
        if self.suppressed is not None and not self.suppressed.passes:
            return "only as tracks that show nothing at all are counted"
        return ""

    @property
    def matter(self) -> bool:
        """Whether it matters how gaps are read."""
        return self.wider > 0 or len(set(self.verdicts.values())) > 1

    @property
    def sentence(self) -> str:
        """How tracks that show nothing count, and what each reading says; empty: all show a place.

        What each reading says is one line.
        """
        said = [self._by_reading] if self.matter else []
        if self.hides:
            said.append("A track that hides its cell may be anybody's then.")
        if self.suppressed is not None:
            said.append(
                f"If tracks that show nothing at all were not counted: {_WORDS[self.suppressed]}."
            )
        return " ".join(said)

    @property
    def _by_reading(self) -> str:
        speed = "" if self.speed is None else f" at {self.speed:g} km/h"
        said = ", ".join(
            f"'{one.value}'{speed if one is Gaps.REACHABLE else ''}: {_WORDS[self.verdicts[one]]}"
            for one in READINGS
        )
        also = f", {self.wider:,} of {self.sightings:,} sightings more widely" if self.wider else ""
        return (
            f"We assume that {self.used.about} (reading '{self.used.value}'){also}. By reading:"
            f" {said}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The verdicts as a JSON object: one for each reading, and which one counts."""
        words = {
            one.value: "contradicted" if found is None else found.value
            for one, found in ((one, self.verdicts[one]) for one in READINGS)
        }
        return {
            **words,
            "asked": None if self.asked is None else self.asked.value,
            "used": self.used.value,
            "strictest": self.strictest.value,
            "sightings_read_more_widely": self.wider,
            "max_speed": self.speed,
            "without_suppressed_tracks": None if self.suppressed is None else self.suppressed.value,
            "sentence": self.sentence,
        }
