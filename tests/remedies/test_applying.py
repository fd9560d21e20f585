"""Data of a remedy: written whole or not at all, and verified as they are read."""

from __future__ import annotations

import dataclasses
import json
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import mixsafe
from mixsafe.errors import InputError
from mixsafe.extract.exchange.rules import ExchangeRules
from mixsafe.extract.pose import pose
from mixsafe.extract.positions import persons
from mixsafe.extract.select import select
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.course import Course
from mixsafe.model.question.requirement import Rule
from mixsafe.remedies import applying
from mixsafe.remedies.applying import Protected, applied
from mixsafe.remedies.protecting import Trial, options
from mixsafe.remedies.publication import Asking, Form, Publication, ladders_of
from mixsafe.remedies.remedy import Option, Remedy
from mixsafe.verify.query import Query, Settings
from tests.support.walkers import walkers

QUERY = Query(3, None, Rule("share", 0.6))


def people(seed: int) -> mixsafe.Traces:
    """Some of whom pass, of most seeds."""
    return walkers(seed, 10, 600)


def asking_of(traces: mixsafe.Traces, **rules: object) -> Asking:
    def posed(traces: mixsafe.Traces, form: Form) -> Publication:
        problem = pose(traces, cell_size=form.cell_size or 1.0, time_step=form.time_step or 60)
        exchange = ExchangeRules(rotate=form.rotate, **rules)
        return Publication(problem, QUERY, exchange, traces)

    return Asking(persons(traces), posed)  # who is one person does not depend on the form


def all_options(asking: Asking) -> tuple[Option, ...]:
    form = Form(100.0, 60)
    ladders = ladders_of(form, [200.0], [180], ["every:5"])
    return options(asking(form), form, ladders)


def remedies(traces: mixsafe.Traces) -> list[tuple[Remedy, Asking]]:
    asking = asking_of(traces)
    trial = Trial(Settings(), Course.begin())
    return [(trial.of(one, asking(one.form)), asking) for one in all_options(asking)]


def write(remedy: Remedy, asking: Asking, folder: Path) -> applying.Applied:
    return applied(remedy, asking, folder, Settings(), Course.begin, np.random.default_rng(0))


@pytest.mark.parametrize("seed", range(3))
def test_each_remedy_that_passes_passes_when_its_files_are_read(seed: int, tmp_path: Path) -> None:
    """By a run of its own, which knows the files alone; with the same time protected."""
    names = set()
    for remedy, asking in remedies(people(seed)):
        if not remedy.passes:
            continue
        names.add(remedy.option.also)
        folder = tmp_path / str(remedy.option.number)
        done = write(remedy, asking, folder)
        assert done.verdict is Verdict.SAFE
        assert {str(one.relative_to(folder)) for one in folder.glob("*/*")} == {*done.files}
        if remedy.hiding is not None:
            (posed,) = mixsafe.load(folder / "secret" / "problem.json")
            assert mixsafe.verify(posed, rule="every").verdict is Verdict.SAFE
            continue
        axis = asking(remedy.form).problem.zones.axis
        end = axis.first + axis.steps * axis.step_seconds
        traces = select(mixsafe.load(folder / "secret" / "traces.csv"), start=axis.first, end=end)
        rules = ExchangeRules(rotate=remedy.form.rotate)
        posed = pose(traces, time_step=remedy.form.time_step, rules=rules)
        found = mixsafe.verify(posed, k=3, rule="share:0.6")
        assert found.verdict is Verdict.SAFE
        assert found.summary["share_of_time_safe"] == remedy.share_of_time_safe
    assert {"leave out", "hide stretches"} <= names


@pytest.mark.parametrize("seed", range(3))
def test_what_is_hidden_is_in_no_file_that_is_published(seed: int, tmp_path: Path) -> None:
    for remedy, asking in remedies(people(seed)):
        if remedy.hiding is None or not remedy.passes:
            continue
        folder = tmp_path / str(remedy.option.number)
        write(remedy, asking, folder)
        traces = pd.read_csv(folder / "secret" / "traces.csv")
        hidden = pd.read_csv(folder / "secret" / "hidden.csv", parse_dates=["from_time", "to_time"])
        assert len(hidden) > 0
        for one in hidden.itertuples():
            of_user = traces[traces.user_id == one.user_id]
            time = pd.to_datetime(of_user.time, unit="s", utc=True)
            assert not time.between(one.from_time, one.to_time).any()
        assert len(pd.read_csv(folder / "publish" / "release.csv")) == len(traces)


def test_where_some_times_are_asked_about_the_others_are_published_of_everybody() -> None:
    """To hide a track because all is hidden that was asked about it would tell whose it is."""
    traces = people(0)
    asked = dataclasses.replace(asking_of(traces)(Form(100.0, 60)), query=Query(3, [1, 9]))
    option = Option(3, None, Form(100.0, 60), "hide stretches")
    remedy = Trial(Settings(), Course.begin()).of(option, asked)
    assert remedy.passes
    assert remedy.hiding is not None
    published = Protected(remedy, asked, traces).published()
    shown = set(zip(published.traces.user.tolist(), published.steps.tolist(), strict=True))
    hidden = {(user, step) for user in range(10) for step in range(1, 21)} - shown
    few = remedy.hiding.rows.verdict != 0
    rows = remedy.hiding.rows
    assert hidden == set(zip(rows.user[few].tolist(), rows.start[few].tolist(), strict=True))
    assert {user for user, step in hidden if step == 1} & {
        user for user, step in hidden if step == 9
    }


@pytest.mark.parametrize("seed", range(3))
def test_a_release_changes_pseudonyms_in_mix_zones_only(seed: int) -> None:
    """Each time each place has as many pseudonyms as people, and who meets nobody keeps hers."""
    for remedy, asking in remedies(people(seed)):
        if not remedy.passes:
            continue
        asked = asking(remedy.form)
        protected = Protected(remedy, asked, asked.traces)
        published = protected.published()
        released = applying_release(protected, seed)
        traces = published.traces
        shown = pd.DataFrame({"time": traces.time, "reg_id": traces.region, "user": traces.user})
        counts = [one.groupby(["time", "reg_id"]).size() for one in (shown, released)]
        assert counts[0].equals(counts[1])
        assert not released.duplicated(["pseudonym", "time"]).any()
        together_at = set(
            zip(protected.zones.members.tolist(),
                protected.zones.time[protected.zones.zone_of_member].tolist(), strict=True)
        )  # fmt: skip
        shown["step"] = published.steps
        carried = carriers(shown, released)
        for user, steps in carried.items():
            for (before, one), (after, other) in pairwise(steps):
                if one.isdisjoint(other):  # the pseudonym changed for certain
                    assert any((user, step) in together_at for step in range(before + 1, after + 1))


def applying_release(protected: Protected, seed: int) -> pd.DataFrame:
    from mixsafe.remedies.applying import release

    random = np.random.default_rng(seed)
    table = release(protected.published(), protected.zones, protected.kept, random)
    return table.to_pandas()


def carriers(people: pd.DataFrame, released: pd.DataFrame) -> dict[int, list]:
    """Pseudonyms that each person may carry at each step: those at the same place and time."""
    there = released.groupby(["time", "reg_id"])["pseudonym"].agg(set)
    found: dict[int, list] = {}
    for one in people.itertuples():
        found.setdefault(one.user, []).append((one.step, there[one.time, one.reg_id]))
    return found


def test_who_is_left_out_is_in_no_file_but_the_list(tmp_path: Path) -> None:
    traces = people(0)
    remedy, asking = next(
        one for one in remedies(traces) if one[0].left_out and one[0].group and one[0].passes
    )
    write(remedy, asking, tmp_path / "out")
    kept = pd.read_csv(tmp_path / "out" / "secret" / "kept.csv")
    named = set(kept.user_id[kept.kept])
    assert set(pd.read_csv(tmp_path / "out" / "secret" / "traces.csv").user_id) == named
    assert len(named) == len(traces.users) - remedy.left_out
    command = json.loads((tmp_path / "out" / "secret" / "remedy.json").read_text())["verify"]
    assert command.startswith(f"mixsafe verify {tmp_path / 'out' / 'secret' / 'traces.csv'} ")


def test_what_does_not_pass_when_it_is_read_does_not_appear(tmp_path: Path, monkeypatch) -> None:
    """As if a place had been written wrong."""
    remedy, asking = next(
        one for one in remedies(people(0)) if one[0].passes and one[0].hiding is None
    )
    right = applying.read

    def wrong(*given):
        found = right(*given)
        return dataclasses.replace(found, region=np.arange(len(found.region)))

    monkeypatch.setattr(applying, "read", wrong)
    done = write(remedy, asking, tmp_path / "out")
    assert done.folder is None
    assert done.verdict is Verdict.UNSAFE
    assert list(tmp_path.iterdir()) == []


def test_what_one_search_leaves_open_another_one_is_asked(tmp_path: Path, monkeypatch) -> None:
    """And whoever verifies once more is told how: as on Osaka, where one of 66,290 stayed open."""
    remedy, asking = next(one for one in remedies(people(0)) if one[0].passes)
    right = applying.answer

    def open_at_first(problem, query, settings, course):
        if course.seed:
            return right(problem, query, settings, course)
        return SimpleNamespace(verdict=Verdict.UNDECIDED)

    monkeypatch.setattr(applying, "answer", open_at_first)
    done = write(remedy, asking, tmp_path / "out")
    assert done.verdict in (Verdict.SAFE, Verdict.WEAK_PASS)
    assert done.how.endswith(" --seed 1")
    written = (tmp_path / "out" / "secret" / "remedy.json").read_text()
    assert json.loads(written)["verify"] == done.how


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    remedy, asking = next(one for one in remedies(people(0)) if one[0].passes)
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(InputError, match="not empty"):
        write(remedy, asking, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_with_a_limit_of_movement_cells_are_not_enough(tmp_path: Path) -> None:
    traces = people(0)
    asking = asking_of(traces, max_speed=50.0)
    for option in all_options(asking):
        remedy = Trial(Settings(), Course.begin()).of(option, asking(option.form))
        if not remedy.passes:
            continue
        folder = tmp_path / str(option.number)
        if remedy.hiding is None:
            with pytest.raises(InputError, match="limit of movement"):
                write(remedy, asking, folder)
            assert not folder.exists()
        else:
            assert write(remedy, asking, folder).verdict is Verdict.SAFE
