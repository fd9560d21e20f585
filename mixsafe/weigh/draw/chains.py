"""Markov chains over solutions, started far apart, and their draws.

Zones are chosen adaptively: more moves where chains mix slowly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import MixsafeError
from mixsafe.machinery.compiled import compiled, side_by_side
from mixsafe.machinery.journal import once
from mixsafe.model.course import MEMORY, Course, Entry
from mixsafe.network.core import Core
from mixsafe.solver.local.generator import State, spread_beginning
from mixsafe.solver.state.witness import Assignment, fault
from mixsafe.weigh import plan
from mixsafe.weigh.draw.block_moves import BlockMemory, PathTables, draw_blocks, new_block, paths_of
from mixsafe.weigh.draw.convergence import PILOT, Estimates, estimate
from mixsafe.weigh.draw.pair_moves import OftenDrawn, exchange_pairs
from mixsafe.weigh.draw.solution import DrawnSolution, Instance, Ints, instance_of, solution_of
from mixsafe.weigh.draw.tempered_transitions import temper
from mixsafe.weigh.exchange_models import ZoneWeights

_FEWEST = 400.0
"""Effective draws of a wire required to compare chains."""

_ERROR = 0.01  # that is to be reached where it is more work than that

DRAW_BYTES = MEMORY // 2
"""Draws of all chains together; when they are as many, every second one is dropped."""

_BLOCK = 512  # wires that are looked at together


def often_drawn(found: Estimates, draws: int, instance: Instance, most: int) -> OftenDrawn:
    """Frequencies of moves by membership, from the draws so far.

    Parameters
    ----------
    found
        Of all wires.
    draws
        Of all chains together.
    instance
        What moves go over.
    most
        Maximum ratio of the frequencies of two zones.
    """
    effective = np.where(found.draws > 0, found.draws, draws * (1 - PILOT))
    needed = np.maximum(found.mean * (1 - found.mean) / _ERROR**2, _FEWEST)
    work = needed * draws * (1 - PILOT) / effective
    sides = (instance.before + 1, instance.before)
    return OftenDrawn(*(_as_often(work[wires], instance, most) for wires in sides))


def _as_often(work: npt.NDArray[np.float64], instance: Instance, most: int) -> Ints:
    """Memberships, those of zones with more work several times."""
    n_zones = len(instance.zone_time)
    of_zone = np.bincount(instance.zone_of, work, n_zones) / np.diff(instance.zone_ptr)
    usual = np.median(of_zone)
    times = np.clip(of_zone / max(usual, 1e-9), 1, most).astype(np.int64)
    return np.repeat(np.arange(len(instance.before)), times[instance.zone_of])


class DrawPace(NamedTuple):
    """What a chain does from one draw to the next.

    Parameters
    ----------
    pairs, blocks, neighbourhoods
        Moves of each kind; pairs only where no blocks can be drawn.
    """

    pairs: int
    blocks: int
    neighbourhoods: int

    @classmethod
    def of(cls, instance: Instance) -> DrawPace:
        """A sweep: as many moves as there are memberships."""
        n = len(instance.before)
        return cls(max(n, 8), max(n // 2, 8), max(n // 2000, 24))


@compiled
def _sweep(  # pragma: no cover - compiled
    sweeps: int,
    pace: DrawPace,
    longest: int,
    temperatures: npt.NDArray[np.float64],
    often: OftenDrawn,
    paths: PathTables | None,
    instance: Instance,
    solution: DrawnSolution,
    random: State,
    block: BlockMemory,
) -> None:
    """Make the moves from one draw to the next: block or pair moves and tempered transitions."""
    for _ in range(sweeps):
        if paths is None:
            exchange_pairs(pace.pairs, often, instance, solution, random)
        else:
            draw_blocks(pace.blocks, often, paths, instance, solution, random, block)
        temper(pace.neighbourhoods, longest, temperatures, instance, solution, random)


@dataclass(eq=False)
class Chains:
    """Several chains and their draws.

    Parameters
    ----------
    core, instance
        The question.
    solutions, randoms
        Current solution of each chain, and the state of its generator.
    room
        (n_chains, room, n_wires): token on each wire in each draw, the first ``filled`` of them.
    every
        Sweeps from one draw to the next.
    often
        From where moves go.
    """

    core: Core
    instance: Instance
    solutions: list[DrawnSolution]
    randoms: list[State]
    room: npt.NDArray[Any]
    filled: int = 0
    every: int = 1
    pace: DrawPace = field(init=False)
    paths: PathTables | None = field(init=False)
    blocks: list[BlockMemory] = field(init=False)
    often: OftenDrawn = field(init=False)

    def __post_init__(self) -> None:
        self.pace = DrawPace.of(self.instance)
        self.paths = paths_of(self.core, self.instance)
        self.blocks = [new_block() for _ in self.solutions]
        everywhere = np.arange(len(self.instance.before))
        self.often = OftenDrawn(everywhere, everywhere)

    @classmethod
    def begun(
        cls,
        core: Core,
        weights: ZoneWeights,
        starts: list[Assignment],
        seed: int,
    ) -> Chains:
        """Chains that begin at some solutions, in turn."""
        instance = instance_of(core, weights)
        starts = [starts[i % len(starts)] for i in range(plan.CHAINS)]
        solutions = [solution_of(core, instance, start) for start in starts]
        randoms = [spread_beginning(seed * 1000 + i + 1) for i in range(len(starts))]
        n_wires, n_rows = core.network.n_wires, core.network.n_rows
        kind = np.uint16 if n_rows <= 1 << 16 else np.int32
        fitting = DRAW_BYTES // (len(starts) * max(n_wires, 1) * np.dtype(kind).itemsize)
        draws = int(np.clip(fitting, plan.FEWEST_DRAWS, plan.MOST_DRAWS))
        draws -= draws % plan.DRAW_PARTS
        room = np.zeros((len(starts), draws, n_wires), kind)
        return cls(core, instance, solutions, randoms, room)

    @property
    def is_full(self) -> bool:
        """Whether there is room for no more draws."""
        return self.filled == self.room.shape[1]

    def thin(self) -> None:
        """Drop every second draw; those to come lie twice as far apart."""
        kept = self.filled // 2
        for chain in self.room:
            for d in range(kept):  # in place: the room is most of the memory
                chain[d] = chain[2 * d + 1]
        self.filled, self.every = kept, 2 * self.every

    def draw(self, course: Course) -> None:
        """Fill another part of the room; a part that is cut short is not kept for later."""
        number = self.room.shape[1] // plan.DRAW_PARTS
        step = f"draws {self.every} {self.filled}"
        done = once(course, step, partial(self._drawn, number, course))
        if done is not None:
            self._take_in(done)
            if self.every == 1 and self.filled in (number * 2, number * 8):
                self._look_where_it_is_slow(course)

    def _drawn(self, number: int, course: Course) -> Entry | None:
        """Draws of all chains, and their solutions after these; None: the time was up."""
        drawn = np.zeros((len(self.solutions), number, self.room.shape[2]), self.room.dtype)
        done = [0] * len(self.solutions)

        def walk(group: range) -> None:
            for d in range(number):
                for chain in group:
                    if course.passed:
                        return
                    self._sweep(chain)
                    drawn[chain, d] = self.solutions[chain].token
                    done[chain] = d + 1

        # A thread goes on with its chains in turn: where the time is up, they are equally far.
        n = len(self.solutions)
        threads = min(course.workers, n)
        side_by_side(walk, [range(first, n, threads) for first in range(threads)], threads)
        if min(done) < number:
            some = min(done)
            self.room[:, self.filled : self.filled + some] = drawn[:, :some]
            self.filled += some
            return None
        random = np.concatenate(self.randoms)
        return {"draws": drawn, "random": random}

    def _sweep(self, chain: int) -> None:
        """Make the moves of a chain up to its next draw."""
        _sweep(
            self.every,
            self.pace,
            plan.LONGEST_TRANSITION,
            np.array(plan.TEMPERATURES),
            self.often,
            self.paths,
            self.instance,
            self.solutions[chain],
            self.randoms[chain],
            self.blocks[chain],
        )

    def _look_where_it_is_slow(self, course: Course) -> None:
        """Let moves go where draws agree least, or are needed most, from then on."""
        wires = np.arange(self.core.network.n_wires)
        found = self.estimates(course.silent, wires)
        draws, most = self.filled * len(self.solutions), plan.ATTENTION
        self.often = often_drawn(found, draws, self.instance, most)

    def _take_in(self, entry: Entry) -> None:
        """Add draws, which may be recalled ones."""
        drawn = entry["draws"]
        self.room[:, self.filled : self.filled + drawn.shape[1]] = drawn
        self.filled += drawn.shape[1]
        for i, solution in enumerate(self.solutions):
            token = drawn[i, -1].astype(np.int32)
            if not np.array_equal(solution.token, token):  # recalled, not drawn just now
                self.solutions[i] = solution_of(self.core, self.instance, token)
            self.randoms[i][:] = entry["random"][i]

    def check(self) -> None:
        """Check that each chain is at a solution without violations.

        Raises
        ------
        MixsafeError
            A chain is not: a bug.
        """
        for solution in self.solutions:
            wrong = fault(self.core, solution.token)
            if wrong is not None or solution.violated[0]:
                raise MixsafeError(f"internal error, a chain is at no solution: {wrong}")

    def drawn(self, wires: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        """(n_chains, n_draws, len(wires)) tokens on some wires; an even number of draws."""
        return self.room[:, : self.filled - self.filled % 2][:, :, wires]

    @property
    def constant(self) -> npt.NDArray[np.bool_]:
        """(n_wires,) whether the token was the same in every draw of every chain."""
        found = np.ones(self.core.network.n_wires, bool)
        if not self.filled:
            return ~found
        for drawn in self.room[:, : self.filled]:
            found &= (drawn == self.room[0, 0]).all(axis=0)
        return found

    def estimates(self, course: Course, wires: npt.NDArray[np.int64]) -> Estimates:
        """Estimates of some wires."""
        found = Estimates.empty(len(wires))
        n = self.filled - self.filled % 2
        begin = begin_of(n)
        blocks = [slice(b, min(b + _BLOCK, len(wires))) for b in range(0, len(wires), _BLOCK)]

        def look(block: slice) -> None:
            drawn = self.drawn(wires[block]).astype(np.int32)
            tokens = np.ascontiguousarray(drawn.transpose(2, 0, 1))
            out = Estimates._make(column[block] for column in found)
            estimate(tokens, self.core.network.n_rows, begin, out)
            course.progress("comparing chains", block.stop, len(wires))

        side_by_side(look, blocks, course.workers)
        return found


def begin_of(draws: int) -> int:
    """First of an even number of draws that does not choose the likeliest token."""
    return int(draws * PILOT) // 2 * 2
