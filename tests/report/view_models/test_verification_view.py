"""A digest agrees with the answer that it is made of."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mixsafe.errors import InputError
from mixsafe.report.view_models.verification_view import view_model
from mixsafe.verify.verification import Verification, verify


def test_counts_and_shares_are_those_of_the_summary(
    town: Verification, town_view: dict[str, Any]
) -> None:
    summary = town.summary
    assert town_view["people"] == summary["users"]
    assert town_view["time"]["safe"] == pytest.approx(summary["share_of_time_safe"], abs=1e-5)
    assert town_view["asked"]["questions"] == summary["requirements"]
    assert town_view["verdict"] == town.verdict.value


def test_users_have_the_figures_of_the_answer_in_order_of_protection(
    town: Verification, town_view: dict[str, Any]
) -> None:
    users = town_view["users"]
    assert users["other"] == 0
    known = town.users.assign(name=town.users["user_id"].astype(str)).set_index("name")
    known = known.loc[users["user"]]
    assert users["verdict"] == known["verdict"].tolist()
    assert users["least"] == known["lower"].tolist()
    assert users["safe"] == pytest.approx(known["safe_share"].tolist(), abs=1e-4)
    assert town.wires is not None
    best = town.wires.groupby(town.wires["user_id"].astype(str))["lower"].max()
    assert users["best"] == best.loc[users["user"]].tolist()
    assert [story["user"] for story in town_view["least"]] == users["user"][:20]


def test_requirements_are_shown_at_their_times_only(walkers: Verification) -> None:
    shown = view_model(walkers)
    assert shown["asked"]["times"] == "some"
    assert shown["asked"]["k"] is None
    assert shown["timeline"]["moments"] == [4, 5]
    assert sorted(shown["timeline"]["level"]) == [[-1, 2], [2, -1]]
    assert shown["over_time"]["share"][-1] == [1.0, 1.0]


def test_json_can_hold_it(town_view: dict[str, Any]) -> None:
    assert json.loads(json.dumps(town_view, allow_nan=False)) == town_view


def test_an_answer_without_candidates_is_refused(walkers: Verification) -> None:
    with pytest.raises(InputError, match="keep_candidates=True"):
        view_model(verify(walkers.problem))
