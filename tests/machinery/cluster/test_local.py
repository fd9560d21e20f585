"""Workers of a local cluster: what they find is what one process finds, to the last byte."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import dask
import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.io.files.writing import write_tables
from mixsafe.machinery.cluster.connecting import ClusterWanted, connected
from mixsafe.machinery.cluster.dask_executor import DaskExecutor, content_of, framed
from mixsafe.model.course import Deadline, MemoryLimits, SolveLimits
from mixsafe.verify.tables import table_parts
from mixsafe.verify.verification import verify
from tests.support.machines import once_done
from tests.support.random_problems import crowd
from tests.support.strategies import problem


@pytest.fixture(scope="module")
def shared(tmp_path_factory) -> Path:
    """The folder of the crew."""
    return tmp_path_factory.mktemp("shared")


@pytest.fixture(scope="module")
def executor(shared) -> Iterator[DaskExecutor]:
    """Two workers."""
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        connected(ClusterWanted("local:2", str(shared))) as found,
    ):
        yield found


def table(asked, path: Path, limits: SolveLimits, k: int = 4) -> bytes:
    """The table that a command writes."""
    answer = verify(asked, k=k, limits=limits)
    zones, found = asked.zones, answer.rows
    write_tables(path, lambda rows: table_parts(zones, found, answer.every_wire, rows))
    return path.read_bytes()


def test_one_large_component_gives_the_same_table_though_a_worker_is_killed(executor, tmp_path):
    memory = MemoryLimits(sparse_bytes=0, counted_wires=30, listed_wires=5)
    asked = crowd(11, 60, 12, 12, "endpoints")
    alone = table(asked, tmp_path / "one.csv", SolveLimits(workers=1, memory=memory))
    before = {one["pid"] for one in pids(executor)}
    with once_done(5, lambda: os.kill(min(before), signal.SIGKILL)) as done:
        cut = table(asked, tmp_path / "two.csv", SolveLimits(executor=executor, memory=memory))
    assert len(done) > 10
    assert min(before) not in {one["pid"] for one in pids(executor)}
    assert cut == alone


def pids(executor: DaskExecutor) -> list[dict[str, int]]:
    """Processes of the workers."""
    return [{"pid": pid} for pid in executor._client.run(os.getpid).values()]


def test_parts_that_never_meet_give_the_same_table(executor, shared, tmp_path):
    asked, memory = two_towns(), MemoryLimits(whole_bytes=0, part_bytes=1, part_wires=1)
    alone = table(asked, tmp_path / "one.csv", SolveLimits(workers=1, memory=memory))
    before = len(list(shared.glob("block-*")))
    limits = SolveLimits(executor=executor, memory=memory)
    assert table(asked, tmp_path / "two.csv", limits) == alone
    assert len(list(shared.glob("block-*"))) == before + 2


def two_towns():
    """Two crowds that never meet."""
    one, other = (crowd(seed, 40, 12, 8, "now and then") for seed in (3, 4))
    n, zones, more = one.zones.n_users, one.zones, other.zones
    met = [
        (time, [shift + row for row in members.tolist()])
        for shift, part in ((0, zones), (n, more))
        for time, members in zip(
            part.time.tolist(), np.split(part.members, part.ptr[1:-1]), strict=True
        )
    ]
    known = [
        (shift + row, time)
        for shift, part in ((0, one.knowledge), (n, other.knowledge))
        for row, time in zip(part.row.tolist(), part.time.tolist(), strict=True)
    ]
    return problem(2 * n, zones.axis.steps, sorted(met, key=lambda zone: zone[0]), known)


def double(context, task):
    return {"found": context["numbers"][task] * 2}


def cut_short(context, task):
    return {"passed": np.array([context.passed, task.passed])}


def fails(context, task):
    raise InputError(f"task {task} cannot be done")


def dies(context, task):
    os.kill(os.getpid(), signal.SIGKILL)


def test_what_is_found_comes_in_the_order_of_tasks_and_stays_in_the_folder(executor, shared):
    name = executor.share({"numbers": np.arange(10)})
    tasks = [7, 3, 5]
    assert [int(one["found"]) for one in executor.each(double, name, tasks)] == [14, 6, 10]
    files = {path: path.stat().st_mtime_ns for path in shared.glob("block-*")}
    assert [int(one["found"]) for one in executor.each(double, name, [5, 7])] == [10, 14]
    assert files == {path: path.stat().st_mtime_ns for path in shared.glob("block-*")}


def test_a_damaged_block_is_done_again(executor, shared):
    name = executor.share({"numbers": np.arange(100)})
    before = set(shared.glob("block-*"))
    list(executor.each(double, name, [99]))
    (block,) = set(shared.glob("block-*")) - before
    block.write_bytes(block.read_bytes()[:-1])
    assert [int(one["found"]) for one in executor.each(double, name, [99])] == [198]


def test_what_a_deadline_cut_short_is_handed_on_and_not_kept(executor, shared):
    before = set(shared.glob("block-*"))
    name = executor.share(Deadline(1e-9))
    (found,) = executor.each(cut_short, name, [Deadline(1000.0)])
    assert found["passed"].tolist() == [True, False]
    assert set(shared.glob("block-*")) == before


def test_an_error_of_a_task_is_that_of_the_run(executor):
    with pytest.raises(InputError, match="task 4 cannot be done"):
        list(executor.each(fails, executor.share(None), [4]))


def test_a_task_that_ends_every_worker_is_given_up(executor):
    with pytest.raises(InputError, match=r"ended 2 workers.* memory"):
        list(executor.each(dies, executor.share(None), [0]))


def test_a_file_that_is_torn_holds_nothing():
    whole = framed({"found": np.arange(3)})
    assert content_of(whole)["found"].tolist() == [0, 1, 2]
    assert content_of(whole[:-1]) is None
    assert content_of(whole[:-1] + b"x") is None
    assert content_of(b"") is None
