"""How much evidence counts under noise: found by attacking oneself.

Cells of a day depend on each other, and so count little; noise makes them less so. So the attacker
obfuscates the last reference day as the release was obfuscated, smooths its tracks with what the
other days tell, and lets mornings and later steps count as tells its users apart best.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.held_out import evidence_weights
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.posterior.pairs import smoothed_evidence
from mixsafe.contest.posterior.smoothing import SmoothedTracks, shown_likelihood
from mixsafe.contest.posterior.whereabouts import Floats
from mixsafe.model.release.cells import Cells


def track_weights(reference: Reference, release: Cells, kernel: Floats) -> tuple[float, Floats]:
    """How much the evidence of all mornings counts, and that of each step of the day.

    Reference traces of one day cannot be attacked with another: weights stay as they are, and
    so do weights that were trained on sample teams.

    Parameters
    ----------
    kernel
        (n_regions, n_regions) probability of showing each region (column) for each true one (row).

    Returns
    -------
    home
        Of all mornings jointly.
    steps
        (steps_per_day,) of each step; 0 at the first.
    """
    habits, held = reference.habits, reference.habits.held
    homes = reference.people.homes_before
    if held is None or homes is None or reference.trained is not None:
        return reference.people.home_weight, reference.people.step_weight.astype(np.float32)
    usual = habits.background.mean(axis=0)
    shown = obfuscated(release, kernel, usual, held.hidden, np.random.default_rng(1))
    tracks = SmoothedTracks.of_release(shown, kernel, homes, held.step_hidden)
    later = np.ones(reference.rules.steps_per_day, np.float32)
    later[0] = 0
    steps = smoothed_evidence(tracks, held.step_hidden, habits.ratio_before, later)
    home, each = evidence_weights([np.stack([homes.ratios(tracks.mornings), steps])])
    return float(home), each * later


def obfuscated(
    release: Cells,
    kernel: Floats,
    usual: Floats,
    region: npt.NDArray[np.int32],
    random: np.random.Generator,
) -> Cells:
    """Other traces, obfuscated as a release seems to be.

    Each region shows a content as often as people there do in the release: by Bayes' rule, from how
    often each content is shown, and which regions it may hide.

    Parameters
    ----------
    usual
        (n_regions,) everybody's probability of each region.
    region
        (n, n_steps) the traces.
    """
    content = np.arange(release.n_contents, dtype=np.int32)
    behind = shown_likelihood(release, kernel.T, content) * usual
    behind /= behind.sum(axis=1, keepdims=True)
    behind *= np.bincount(release.code.reshape(-1), minlength=release.n_contents)[:, None]
    until = np.cumsum(behind, axis=0)
    until /= np.maximum(until[-1], np.finfo(np.float32).tiny)
    drawn = random.random(region.shape, np.float32)
    code = np.empty_like(region)
    for column, (here, luck) in enumerate(zip(region.T, drawn.T, strict=True)):
        code[:, column] = (until[:, here] <= luck).sum(axis=0)
    code = np.minimum(code, release.n_contents - 1)
    return Cells(code, release.n_regions, release.ptr, release.member)
