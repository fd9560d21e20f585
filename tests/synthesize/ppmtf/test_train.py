"""PPMTF+: counts, factors, and the virtual users that are made of them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from mixsafe.errors import InputError
from mixsafe.io.traces.trace_model import read_model, write_model
from mixsafe.machinery.compiled import side_by_side
from mixsafe.model.mobility.complete_traces import TraceMatrix, TraceModel
from mixsafe.model.mobility.traces import Traces
from mixsafe.synthesize.ppmtf import train as training
from mixsafe.synthesize.ppmtf.train import (
    CountLimits,
    Trained,
    TrainingSettings,
    train,
    transition_counts,
    visit_counts,
)
from mixsafe.synthesize.ppmtf.virtual_users import (
    FLOOR,
    Habits,
    Home,
    SamplingPlan,
    Uniforms,
    sample,
    sample_blocks,
    walk,
)
from mixsafe.synthesize.training import TrainingTraces

N_REGIONS, STEPS = 9, 6


def commuters(n_users: int = 60, days: int = 2, seed: int = 0) -> TrainingTraces:
    """Half of the users go from region 0 to 4, the others from 8 to 2, with some noise."""
    random = np.random.default_rng(seed)
    region = np.empty((n_users, days, STEPS), np.int32)
    kind = np.arange(n_users) % 2
    region[:, :, :3] = np.where(kind, 0, 8)[:, None, None]
    region[:, :, 3:] = np.where(kind, 4, 2)[:, None, None]
    noise = random.random(region.shape) < 0.1
    region[noise] = random.integers(0, N_REGIONS, noise.sum())
    return TrainingTraces.of_matrix(TraceMatrix(region.reshape(n_users, -1)), N_REGIONS, STEPS)


SETTINGS = TrainingSettings(z=4, iterations=20, limits=CountLimits(zeros=40))


@pytest.fixture(scope="module")
def trained() -> Trained:
    return train(commuters(), SETTINGS, seed=1)


@given(st.integers(0, 999), st.integers(1, 4), st.integers(1, 8), st.integers(0, 30))
def test_a_tensor_holds_what_happened_within_the_limits(
    seed: int, largest: int, cells: int, zeros: int
) -> None:
    traces = commuters(5, 2, seed)
    limits = CountLimits(largest, cells, zeros)
    for make, n_last in ((transition_counts, N_REGIONS), (visit_counts, STEPS)):
        tensor = make(traces, limits, np.random.default_rng(seed))
        for user in range(5):
            mine = tensor.user == user
            keys = list(zip(tensor.region[mine], tensor.last[mine], strict=True))
            assert len(set(keys)) == len(keys)
            truth = counts_of(traces, user, transitions=n_last == N_REGIONS)
            said = dict(zip(keys, tensor.count[mine], strict=True))
            assert all(said[key] == min(truth.get(key, 0), largest) for key in keys)
            positive = sum(count > 0 for count in said.values())
            assert positive == min(len(truth), cells)
            assert len(said) - positive == min(zeros, N_REGIONS * n_last - len(truth))


def counts_of(traces: TrainingTraces, user: int, transitions: bool) -> dict[tuple[int, int], int]:
    """By the definition, visit after visit."""
    mine = [v for v in range(len(traces.user)) if traces.user[v] == user]
    found: dict[tuple[int, int], int] = {}
    for before, now in zip([None, *mine[:-1]], mine, strict=True):
        if not transitions:
            key = (int(traces.region[now]), int(traces.time[now]) % STEPS)
        elif before is None or traces.time[now] % STEPS == 0:
            continue
        else:
            key = (int(traces.region[before]), int(traces.region[now]))
        found[key] = found.get(key, 0) + 1
    return found


def test_nobody_moves_where_a_trace_has_a_gap_or_a_night() -> None:
    traces = Traces(
        users=np.array([7, 9]),
        user=np.array([0, 0, 0, 0, 1], np.int32),
        time=np.array([1, 2, 4, 7, 8]),
        clock="time_id",
        region=np.array([1, 2, 3, 4, 5]),
    )
    training = TrainingTraces.of_traces(traces, N_REGIONS, STEPS)
    assert training.moves().tolist() == [0]
    assert training.slot.tolist() == [0, 1, 3, 0, 1]
    assert TrainingTraces.of_traces(traces, N_REGIONS, STEPS, 3).slot.tolist() == [0, 0, 1, 0, 0]


def test_the_same_seed_trains_the_same_model_and_another_one_another(trained: Trained) -> None:
    again = train(commuters(), SETTINGS, seed=1)
    np.testing.assert_array_equal(trained.model.location, again.model.location)
    np.testing.assert_array_equal(trained.model.covariance, again.model.covariance)
    other = train(commuters(), SETTINGS, seed=2)
    assert np.any(other.model.location != trained.model.location)


def test_a_model_and_its_traces_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    known = TrainingTraces.of_matrix(
        TraceMatrix(np.random.default_rng(5).integers(0, 100, (300, 20), np.int32)), 100, 20
    )
    settings = TrainingSettings(z=24, iterations=2, limits=CountLimits(zeros=50))
    made = []
    for threads in (1, 4):
        some = partial(side_by_side, workers=threads)
        monkeypatch.setattr(training, "side_by_side", some)
        with threadpool_limits(threads, user_api="blas"):
            model = train(known, settings, seed=1).model
            made.append((model, sample(model, SamplingPlan(20, seed=1), workers=threads)))
    (one, traces), (other, again) = made
    for part in ("mean", "covariance", "location", "destination", "slot"):
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part), part)
    np.testing.assert_array_equal(traces.region, again.region)


def test_factors_reproduce_the_counts_that_they_were_trained_on(trained: Trained) -> None:
    model = trained.model
    visits = np.einsum("uk,ik,sk->uis", trained.features, model.location, model.slot)
    traces = commuters()
    truth = np.zeros((60, N_REGIONS, STEPS))
    np.add.at(truth, (traces.user, traces.region, traces.slot), 1)
    error = np.abs(visits - truth).mean()
    assert error < np.abs(truth - truth.mean(axis=0)).mean() / 2


def test_virtual_users_keep_the_two_kinds_of_days(trained: Trained) -> None:
    """What is common to users (where they are when) and what is not (who goes where) is kept."""
    made = sample(trained.model, SamplingPlan(200, 5, moves=4, seed=3)).region.reshape(-1, STEPS)
    morning, evening = made[:, 1], made[:, 4]
    assert np.isin(morning, [0, 8]).mean() > 0.6
    assert np.isin(evening, [4, 2]).mean() > 0.6
    right = (morning == 0) == (evening == 4)
    both = np.isin(morning, [0, 8]) & np.isin(evening, [2, 4])
    assert right[both].mean() > 0.8


def test_traces_do_not_depend_on_workers_or_on_how_many_users_there_are(trained: Trained) -> None:
    plan = SamplingPlan(300, 2, seed=5)
    one = sample(trained.model, plan, workers=1).region
    np.testing.assert_array_equal(one, sample(trained.model, plan, workers=3).region)
    fewer = sample(trained.model, SamplingPlan(40, 2, seed=5)).region
    np.testing.assert_array_equal(one[:40], fewer)
    assert [len(some) for some in sample_blocks(trained.model, plan)] == [256, 44]


def test_teams_and_seeds_have_other_users(trained: Trained) -> None:
    one, other, third = (
        sample(trained.model, SamplingPlan(20, 2, seed=seed, team=team)).region
        for seed, team in ((5, 0), (5, 1), (6, 0))
    )
    assert np.any(one != other)
    assert np.any(one != third)


def test_nobody_makes_a_transition_that_nobody_made(trained: Trained) -> None:
    model = trained.model
    source = np.repeat(np.arange(N_REGIONS), np.diff(model.edge_ptr))
    seen = np.eye(N_REGIONS, dtype=bool)  # to stay is always possible
    seen[source, model.edge_to] = True
    assert not seen.all()
    made = sample(model, SamplingPlan(200, 5, seed=3)).region.reshape(-1, STEPS)
    assert seen[made[:, :-1], made[:, 1:]].mean() > 0.999
    free = sample(model, SamplingPlan(200, 5, seed=3, seen_only=False)).region.reshape(-1, STEPS)
    assert seen[free[:, :-1], free[:, 1:]].mean() < 0.999


def test_a_home_is_where_the_day_begins_and_more_often_ends(trained: Trained) -> None:
    def stays(home: float) -> tuple[float, float]:
        plan = SamplingPlan(200, 6, moves=3, home=home, seed=3)
        made = sample(trained.model, plan).region.reshape(200, 6, STEPS)
        usual = np.array([np.bincount(row).argmax() for row in made[:, :, 0]])
        at_home = made == usual[:, None, None]
        return float(at_home[..., 0].mean()), float(at_home[..., -1].mean())

    morning, evening = stays(50.0)
    assert morning > 0.95
    assert morning > stays(0.0)[0]
    assert evening > stays(0.0)[1] + 0.1


def test_steps_and_skipped_slots_cut_the_day() -> None:
    plan = SamplingPlan(1, steps=20, skip_slots=2)
    slots, skipped = plan.slot_of_step(12)
    assert skipped == 4
    assert slots.tolist() == [slot for slot in range(12) for _ in range(2)]
    assert SamplingPlan(1).slot_of_step(5)[0].tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(InputError, match="none would be left"):
        SamplingPlan(1, skip_slots=5).slot_of_step(5)


@given(st.integers(0, 10**6), st.booleans())
def test_moves_leave_the_visit_probabilities_as_they_are(seed: int, seen_only: bool) -> None:
    """Metropolis-Hastings: after many moves in one slot, regions are visited as often as wanted."""
    random = np.random.default_rng(seed)
    taste, destination = random.random((4, 2)) + 0.2, random.random((2, 4)) + 0.2
    slot = random.random((1, 2)) + 0.2
    edges = np.arange(0, 17, 4), np.tile(np.arange(4, dtype=np.int32), 4)
    days = 3000
    start = np.full(days, 0.5)
    habits = Habits(taste, destination, slot, *edges, np.ones((1, 4), bool), seen_only)
    chances = Uniforms(0.5, start, random.random((days, 1, 12, 2)))
    made = walk(habits, Home(0.0, 0), np.zeros(2, np.int64), chances)
    wanted = taste @ slot[0]
    wanted /= wanted.sum()
    found = np.bincount(made[:, 1], minlength=4) / days
    assert np.abs(found - wanted).max() < 0.06


def test_without_a_count_nothing_is_likelier_than_anything_else() -> None:
    """A user whose counts are all negative walks uniformly: no count is below the floor."""
    taste, destination = -np.ones((3, 1)), np.ones((1, 3))
    edges = np.zeros(4, np.int64), np.zeros(0, np.int32)
    random = np.random.default_rng(0)
    visited = np.zeros((1, 3), bool)
    habits = Habits(taste, destination, np.ones((1, 1)), *edges, visited, seen_only=True)
    chances = Uniforms(0.5, random.random(2000), random.random((2000, 1, 1, 2)))
    made = walk(habits, Home(0.0, 0), np.zeros(2, np.int64), chances)
    assert np.bincount(made.reshape(-1)).min() > 4000 / 3 * 0.9
    assert FLOOR > 0


def test_a_model_comes_back_from_its_file_and_has_the_same_bytes(
    trained: Trained, tmp_path
) -> None:
    one, two = tmp_path / "one.npz", tmp_path / "two.npz"
    write_model(one, trained.model)
    again = read_model(one)
    write_model(two, again)
    assert one.read_bytes() == two.read_bytes()
    plan = SamplingPlan(5, 2, seed=1)
    np.testing.assert_array_equal(sample(trained.model, plan).region, sample(again, plan).region)


def test_a_model_holds_no_feature_of_a_training_user(trained: Trained, tmp_path) -> None:
    write_model(tmp_path / "model.npz", trained.model)
    with np.load(tmp_path / "model.npz") as parts:
        numbers = np.concatenate([parts[name].astype(float).reshape(-1) for name in parts])
    assert not np.isin(trained.features.reshape(-1), numbers).any()


@pytest.mark.parametrize("damage", ["text", "cut", "missing", "pickle", "shape"])
def test_a_damaged_model_is_refused_in_a_line(trained: Trained, tmp_path, damage: str) -> None:
    path = tmp_path / "model.npz"
    write_model(path, trained.model)
    if damage == "text":
        path.write_text("user_id,time_id\n")
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:300])
    else:
        with np.load(path) as archive:
            parts = {name: archive[name] for name in archive}
        if damage == "missing":
            del parts["slot"]
        elif damage == "pickle":
            parts["slot"] = np.array([{"run": "me"}], object)
        else:
            parts["slot"] = parts["slot"][:, :2]
        np.savez(path, **parts, allow_pickle=True)
    with pytest.raises(InputError, match=r"model\.npz"):
        read_model(path)


def test_what_cannot_be_trained_on_is_refused() -> None:
    with pytest.raises(InputError, match="one training user"):
        train(commuters(1), SETTINGS, seed=0)
    region = np.zeros((3, 1), np.int32)
    lonely = TrainingTraces.of_matrix(TraceMatrix(region), 4, 1)
    with pytest.raises(InputError, match="no user has positions in two"):
        train(lonely, SETTINGS, seed=0)
    with pytest.raises(InputError, match="region 9 is not one of the 5"):
        TrainingTraces.of_matrix(TraceMatrix(np.full((2, 2), 8, np.int32)), 5, 2)


def test_parts_of_a_model_that_do_not_fit_are_refused(trained: Trained) -> None:
    model = trained.model
    with pytest.raises(InputError, match="inconsistent shapes"):
        TraceModel(
            model.mean, model.covariance, model.location, model.destination[:-1], model.slot,
            model.edge_ptr, model.edge_to, model.visited, 60,
        )  # fmt: skip


def test_the_code_of_the_page_runs(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (root / "docs" / "synthesize.md").read_text(encoding="utf-8")
    for block in page.split("```python\n")[1:]:
        exec(compile(block.split("```")[0], "synthesize.md", "exec"), {"__name__": "page"})
    assert "TM-EMD" in capsys.readouterr().out
