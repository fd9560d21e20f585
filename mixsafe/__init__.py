"""Decide exactly whether pseudonymized location traces are safe to publish.

The shop window: what a user of the library needs, loaded when it is first asked for.

>>> import mixsafe
>>> problem = mixsafe.pose(mixsafe.load(mixsafe.sample("town")))
>>> answer = mixsafe.verify(problem, k=3)
>>> answer.users.head()  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mixsafe.errors import InputError, MixsafeError
    from mixsafe.extract.adversaries import knowledge
    from mixsafe.extract.pose import pose
    from mixsafe.extract.positions import positions
    from mixsafe.extract.select import select
    from mixsafe.extract.zones import mix_zones
    from mixsafe.io.sources import load
    from mixsafe.model.answer.verdict import Verdict
    from mixsafe.model.limits import SolveLimits
    from mixsafe.model.mobility.traces import Positions, Traces
    from mixsafe.model.question.adversary import Knowledge
    from mixsafe.model.question.mix_zones import MixZones
    from mixsafe.model.question.problem import Problem
    from mixsafe.model.question.requirement import Requirements, Rule
    from mixsafe.network.graphs import graph
    from mixsafe.synthesize.samples import sample
    from mixsafe.verify.verification import Verification, verify

__version__ = "0.1.0"

__all__ = [
    "InputError",
    "Knowledge",
    "MixZones",
    "MixsafeError",
    "Positions",
    "Problem",
    "Requirements",
    "Rule",
    "SolveLimits",
    "Traces",
    "Verdict",
    "Verification",
    "graph",
    "knowledge",
    "load",
    "mix_zones",
    "pose",
    "positions",
    "sample",
    "select",
    "verify",
]

_HOME = {
    "InputError": "errors",
    "Knowledge": "model.question.adversary",
    "MixZones": "model.question.mix_zones",
    "MixsafeError": "errors",
    "Positions": "model.mobility.traces",
    "Problem": "model.question.problem",
    "Requirements": "model.question.requirement",
    "Rule": "model.question.requirement",
    "SolveLimits": "model.limits",
    "Traces": "model.mobility.traces",
    "Verdict": "model.answer.verdict",
    "Verification": "verify.verification",
    "graph": "network.graphs",
    "knowledge": "extract.adversaries",
    "load": "io.sources",
    "mix_zones": "extract.zones",
    "pose": "extract.pose",
    "positions": "extract.positions",
    "sample": "synthesize.samples",
    "select": "extract.select",
    "verify": "verify.verification",
}


class _FrontDoor(ModuleType):
    """The front door, where a function keeps its name though a folder is called so, too.

    When ``mixsafe.verify.verification`` is first imported, Python binds the folder ``verify`` to
    its name here, and would take the place of the function of that name.
    """

    def __setattr__(self, name: str, value: object) -> None:
        """Bind a name, unless it is a folder's that is a function's, too."""
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _FrontDoor


def __getattr__(name: str) -> object:
    """Load a name from the module that it lives in."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """All names, loaded or not."""
    return sorted({*globals(), *__all__})
