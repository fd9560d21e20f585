"""The samples that ship."""

from __future__ import annotations

from pathlib import Path

import pytest

from mixsafe.errors import InputError
from mixsafe.synthesize.samples import SAMPLES, Sample, sample


@pytest.mark.parametrize("known", SAMPLES, ids=lambda known: known.name)
def test_the_recipe_makes_the_sample_byte_for_byte(known: Sample, tmp_path: Path) -> None:
    known.write(tmp_path / known.file)
    assert (tmp_path / known.file).read_bytes() == sample(known.name).read_bytes()


def test_the_samples_are_small() -> None:
    assert sum(sample(known.name).stat().st_size for known in SAMPLES) < 1_000_000


def test_a_sample_that_there_is_not_is_refused_with_the_names_of_those_there_are() -> None:
    with pytest.raises(InputError, match="town, cabs"):
        sample("village")
