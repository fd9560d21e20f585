"""Methods by name, and what they are called in tables."""

import pytest

from mixsafe.contest.base.parts import label
from mixsafe.contest.link_attack import LinkIds, LinkTraces
from mixsafe.contest.obfuscations import MergeAndHide, PlanarLaplace
from mixsafe.contest.registry import (
    ANONYMISERS,
    ATTACKERS,
    anonymiser,
    anonymiser_labelled,
    attacker,
    attacker_labelled,
    organizers_anonymisers,
    parse_parameters,
    teams_anonymisers,
)
from mixsafe.contest.team_attacks import FuzzyVisitVector
from mixsafe.errors import InputError


def test_short_and_long_names_mean_the_same_in_any_case():
    assert anonymiser("A4", [4, 1]) == anonymiser("a4-pl", [4, 1]) == PlanarLaplace(4, 1)
    assert attacker("i3") == attacker("I3-HomeProb")


def test_missing_parameters_have_their_defaults():
    assert anonymiser("A2") == MergeAndHide(2, 2, 0.5)
    assert anonymiser("A2", [1]) == MergeAndHide(1, 2, 0.5)


def test_every_method_is_found_by_both_its_names():
    for kind in ANONYMISERS:
        assert type(anonymiser(kind.short)) is type(anonymiser(kind.long)) is kind
    for kind in ATTACKERS:
        assert type(attacker(kind.short)) is type(attacker(kind.long)) is kind


def test_the_grid_is_the_organizers():
    names = [label(method) for method in organizers_anonymisers()]
    assert len(names) == len(set(names)) == 37
    assert names[:3] == ["A1", "A2-0-0-0.1", "A2-0-0-0.2"]
    assert names[5] == "A2-1-1-0"
    assert names[-1] == "A5-1"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: anonymiser("A9"), "unknown anonymiser 'A9'; use one of A1, A2"),
        (lambda: attacker("A1"), "unknown attacker 'A1'; use one of I1"),
        (lambda: anonymiser("A1", [1]), "1 parameters for A1-none, which has none"),
        (lambda: anonymiser("A5", [1, 2]), "2 parameters for A5-YA, which has share"),
        (lambda: anonymiser("A2", [1.5]), "A2 needs a whole number, not 1.5"),
        (lambda: anonymiser("A2", [float("inf")]), "A2 needs a whole number, not inf"),
        (lambda: parse_parameters("1;2"), "'1;2' are not parameters"),
    ],
)
def test_what_does_not_exist_is_said_in_one_line(build, message):
    with pytest.raises(InputError) as caught:
        build()
    assert message in str(caught.value)


def test_parameters_are_numbers_with_commas():
    assert parse_parameters("4, 1") == [4, 1]
    assert parse_parameters("") == []


@pytest.mark.parametrize(
    "method", [*organizers_anonymisers(), *teams_anonymisers(), FuzzyVisitVector(0.33, 1, 4)]
)
def test_a_label_names_the_method_that_it_is_of(method):
    read = attacker_labelled if isinstance(method, FuzzyVisitVector) else anonymiser_labelled
    assert read(label(method)) == method


def test_a_name_with_a_hyphen_is_not_taken_for_a_shorter_one():
    assert attacker_labelled("LINK-T-0") == LinkTraces(0)
    assert attacker_labelled("LINK-T") == LinkTraces()
    assert attacker_labelled("link-0") == LinkIds(0)
    assert anonymiser_labelled("A4-PL-4-1") == PlanarLaplace(4, 1)


@pytest.mark.parametrize("text", ["", "A44-1", "A4-x", "LINKS"])
def test_a_label_of_nothing_is_refused(text):
    with pytest.raises(InputError):
        anonymiser_labelled(text)
