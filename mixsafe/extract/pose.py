"""From traces to a problem in one step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mixsafe.errors import InputError, SpanError
from mixsafe.extract.adversaries import knowledge
from mixsafe.extract.exchange.follow_sample import follow_sample
from mixsafe.extract.exchange.rotation import Rotated
from mixsafe.extract.exchange.rules import ExchangeRules, with_rules
from mixsafe.extract.positions import everywhere, far_off, persons, positions
from mixsafe.extract.zones import Extraction, mix_zones, with_companions
from mixsafe.geometry.grid import CellSize
from mixsafe.model.arguments import of_kind
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.places import TrackPlaces
from mixsafe.model.question.problem import Problem


def pose(
    source: Traces | Extraction | MixZones | list[Problem],
    *,
    adversary: str = "endpoints",
    cell_size: CellSize = 100.0,
    time_step: int = 60,
    min_users: int = 2,
    steps_per_day: int = 20,
    rules: ExchangeRules | None = None,
    placed: bool = True,
    keep_together: bool = False,
    followed: bool = True,
    name: str = "traces",
) -> Problem:
    """Pose the problem: where users meet, and when the adversary sees them.

    Parameters
    ----------
    source
        What ``load`` returned: traces, or mix zones (or what was extracted), which have no use for
        ``cell_size``, ``time_step`` and ``min_users``. Problems are posed already, and refused.
    adversary
        ``none``, ``endpoints``, ``daily`` or ``home``.
    cell_size, time_step
        Side of a grid cell, metres, or ``h3:9``, H3 cells, where places are no regions; length of a
        step, seconds, where times are no numbers.
    min_users
        Fewest users who make a mix zone, >= 2.
    steps_per_day
        Of traces whose times are numbers, >= 1.
    rules
        Which exchanges are possible; None: at mix zones all of them, and none elsewhere.
    placed
        Keep where tracks are at each step, 16 bytes a fix, for questions about places.
    keep_together
        Users who are always together are different people; else they are merged into one, as in
        :func:`mixsafe.extract.positions.persons`.
    followed
        Also say what a follower who bets makes of the mix zones, where places have coordinates or
        are the contest's regions: half a second of large data.
    name
        For people; repeated in the answer.

    Returns
    -------
    Problem, without requirements: ``verify(problem, k=3)`` says what is asked.

    Raises
    ------
    InputError
        A value out of range, problems, an unknown adversary, ``home`` without positions, rules that
        do not fit the source.
    """
    if isinstance(source, list):
        raise InputError("problems already contain their questions", hint="verify each of them")
    kinds = (Traces, Extraction, MixZones)
    of_kind("source", source, kinds, "traces or mix zones", "give what mixsafe.load returns")
    tracks = None
    if isinstance(source, Traces):
        source = persons(
            source, cell_size=cell_size, time_step=time_step, keep_together=keep_together
        )
    if isinstance(source, MixZones):
        zones, where = with_companions(source), None
    elif isinstance(source, Extraction):
        zones, where = source.zones, source.positions
        tracks = TrackPlaces.of(where) if placed else None
    else:
        where = positions(source, cell_size=cell_size, time_step=time_step)
        zones = mix_zones(where, min_users=min_users)
        if placed:
            whole = everywhere(source, where, cell_size=cell_size, time_step=time_step)
            tracks = TrackPlaces.of(whole, source.shapes)
    with _located(source):
        seen = knowledge(adversary, zones, where, steps_per_day=steps_per_day)
    traces = source if isinstance(source, Traces) else None
    allowed = with_rules(zones, rules or ExchangeRules(), traces, steps_per_day)
    real = None
    if followed and traces is not None:
        share = 0.0 if rules is None else rules.believable
        possible = allowed.possible or Rotated.never(zones)
        real = follow_sample(possible, allowed.zones, traces, steps_per_day, believable=share)
    return Problem(name, allowed.zones, seen, track_places=tracks, followed=real)


@contextmanager
def _located(source: object) -> Iterator[None]:
    """Errors about traces that reach too far name the time that is farthest off."""
    try:
        yield
    except SpanError as error:
        if isinstance(source, Traces):
            raise far_off(source, error.message, error.hint) from None
        raise
