"""The built-in adversaries, by name: their sightings of each user.

To add one, write a function from a :class:`~mixsafe.extract.scene.Scene` to what she has seen
there, and register it::

    from mixsafe.extract.adversaries import ADVERSARIES, Adversary

    def at_noon(scene):
        from mixsafe.model.question.adversary import Knowledge
        ...
        return Knowledge.of(rows, steps)

    noon = Adversary("noon", "saw every user at noon", "The adversary saw every person at noon",
                     at_noon)
    with ADVERSARIES.registered(noon):
        ...

``--adversary noon`` works in the block in every command, and help texts, answers and pages say what
she knows. The table in ``docs/adversary.md`` has a line for each that comes with mixsafe.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mixsafe.extract.scene import Scene
from mixsafe.model.choices import Choices

if TYPE_CHECKING:
    from mixsafe.model.mobility.traces import Positions
    from mixsafe.model.question.adversary import Knowledge
    from mixsafe.model.question.mix_zones import MixZones
    from mixsafe.model.question.problem import Problem

DEFAULT = "endpoints"
"""The default adversary."""


@dataclass(frozen=True)
class Adversary:
    """An adversary: a selection of sightings, with a name and a description.

    Parameters
    ----------
    name
        Name in options.
    about
        What she does, after her name: for help texts and terminals.
    sentence
        The same for pages, as a sentence without its full stop.
    sees
        Her sightings in a scene. It loads what it needs when it is called.
    """

    name: str
    about: str
    sentence: str
    sees: Callable[[Scene], Knowledge]


def _none(scene: Scene) -> Knowledge:
    from mixsafe.model.question.adversary import Knowledge

    return Knowledge.of([], [], distinct=True)


def _endpoints(scene: Scene) -> Knowledge:
    from mixsafe.extract.schedules import at_endpoints

    return at_endpoints(scene)


def _daily(scene: Scene) -> Knowledge:
    from mixsafe.extract.schedules import daily

    return daily(scene)


def _home(scene: Scene) -> Knowledge:
    from mixsafe.extract.schedules import at_home

    return at_home(scene)


ADVERSARIES: Choices[Adversary] = Choices(
    "adversary",
    Adversary("none", "saw no user", "The adversary saw no person", _none),
    Adversary(
        DEFAULT,
        "saw every user before the first and at the last step",
        "The adversary saw every person before the first and at the last step",
        _endpoints,
    ),
    Adversary(
        "daily",
        "saw every user at the first and the last step of every day",
        "The adversary saw every person at the first and the last step of every day",
        _daily,
    ),
    Adversary(
        "home",
        "saw every user while the user is at home",
        "The adversary saw every person while that person is at home",
        _home,
    ),
    besides="a file of sightings",
)
"""The registered adversaries, the weakest first."""


def knowledge(
    name: str,
    zones: MixZones,
    positions: Positions | None = None,
    *,
    steps_per_day: int = 20,
    steps_per_hour: int = 2,
) -> Knowledge:
    """The sightings of an adversary, to whom different people are different.

    Parameters
    ----------
    name
        One of :data:`ADVERSARIES`. ``none``: nothing. ``endpoints``: every user at step 0 and at
        the last step. ``daily``: every user at step 0 and at the first and last step of every day.
        ``home``: every user at step 0 and at every step at which she is at home.
    zones, positions, steps_per_day, steps_per_hour
        Mix zones, where users are (None: only the zones are known), and the length of a day and of
        its first hour, in steps, where steps are only numbered.

    Raises
    ------
    InputError
        An unknown name, ``home`` without positions, or lengths below 1.
    """
    seen = ADVERSARIES[name].sees(Scene(zones, positions, steps_per_day, steps_per_hour))
    return seen if seen.distinct else replace(seen, distinct=True)


def sealed(problem: Problem) -> Knowledge:
    """The knowledge of a problem, and that everybody was seen at the last step.

    What is safe then stays safe, whatever happens and is learned later: every assignment goes on by
    the identity. Nothing else stays safe, because everybody may be seen in the next step.

    Users without data are not seen.
    """
    import numpy as np

    zones = problem.zones
    there = np.setdiff1d(np.arange(zones.n_users), zones.absent)
    return problem.knowledge.with_more(there, np.full(len(there), zones.axis.steps))
