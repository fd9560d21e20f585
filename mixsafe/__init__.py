"""Decide exactly whether pseudonymized location traces are safe to publish.

The shop window: what a user of the library needs, loaded when it is first asked for.

>>> import mixsafe
>>> traces = mixsafe.load(mixsafe.sample("town"))
>>> answer = mixsafe.verify(traces, k=3)
>>> answer.users.head()  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING

from mixsafe.version import __version__ as __version__

if TYPE_CHECKING:
    from mixsafe.breaking.breaking import breaking
    from mixsafe.breaking.breaking_answer import BreakingNumbers
    from mixsafe.certify.certify import certify
    from mixsafe.check.checker import Checked
    from mixsafe.compare.comparison import Comparison, compare
    from mixsafe.compare.experiment import Question
    from mixsafe.errors import InputError, MixsafeError
    from mixsafe.extract.adversaries import knowledge
    from mixsafe.extract.exchange.rules import ExchangeRules
    from mixsafe.extract.pose import pose
    from mixsafe.extract.positions import positions
    from mixsafe.extract.select import select
    from mixsafe.extract.zones import mix_zones
    from mixsafe.interactive.asking import audit, optimize, verify
    from mixsafe.io.certificates.certificate_reader import read_certificates
    from mixsafe.io.certificates.certificate_writer import write_certificates
    from mixsafe.io.gbfs.reading import read_feed
    from mixsafe.io.sources import load
    from mixsafe.model.answer.certificate import Certificate
    from mixsafe.model.answer.verdict import Verdict
    from mixsafe.model.limits import SolveLimits
    from mixsafe.model.mobility.trace_matrix import TraceMatrix
    from mixsafe.model.mobility.traces import Positions, Traces
    from mixsafe.model.question.adversary import Knowledge
    from mixsafe.model.question.mix_zones import MixZones
    from mixsafe.model.question.problem import Problem
    from mixsafe.model.question.requirement import Requirements, Rule
    from mixsafe.model.release.sightings import Sightings
    from mixsafe.network.graphs import graph
    from mixsafe.optimize.answer import MinimumZones
    from mixsafe.release.audit import Audit
    from mixsafe.release.pseudonymize import Release, pseudonymize
    from mixsafe.report.reporting import report
    from mixsafe.report.view_models.places import Atlas
    from mixsafe.synthesize.ppmtf.synthesizing import synthesize
    from mixsafe.synthesize.ppmtf.virtual_users import SamplingPlan
    from mixsafe.synthesize.samples import sample
    from mixsafe.synthesize.scenarios.cabs import cabs
    from mixsafe.synthesize.scenarios.town import town
    from mixsafe.tasks.checking import check
    from mixsafe.tasks.remedies.applying import apply_remedy
    from mixsafe.tasks.remedies.protecting import protect
    from mixsafe.tasks.remedies.remedy import Protection
    from mixsafe.tasks.varying import vary
    from mixsafe.tracklets.feeds import links
    from mixsafe.tracklets.rules import LinkRules
    from mixsafe.verify.verification import Verification
    from mixsafe.weigh.exchange_models import TakingPart
    from mixsafe.weigh.weighing import Weighing, weigh

__all__ = [
    "Atlas",
    "Audit",
    "BreakingNumbers",
    "Certificate",
    "Checked",
    "Comparison",
    "ExchangeRules",
    "InputError",
    "Knowledge",
    "LinkRules",
    "MinimumZones",
    "MixZones",
    "MixsafeError",
    "Positions",
    "Problem",
    "Protection",
    "Question",
    "Release",
    "Requirements",
    "Rule",
    "SamplingPlan",
    "Sightings",
    "SolveLimits",
    "TakingPart",
    "TraceMatrix",
    "Traces",
    "Verdict",
    "Verification",
    "Weighing",
    "apply_remedy",
    "audit",
    "breaking",
    "cabs",
    "certify",
    "check",
    "compare",
    "graph",
    "knowledge",
    "links",
    "load",
    "mix_zones",
    "optimize",
    "pose",
    "positions",
    "protect",
    "pseudonymize",
    "read_certificates",
    "read_feed",
    "report",
    "sample",
    "select",
    "synthesize",
    "town",
    "vary",
    "verify",
    "weigh",
    "write_certificates",
]

_HOME = {
    "Atlas": "report.view_models.places",
    "Audit": "release.audit",
    "BreakingNumbers": "breaking.breaking_answer",
    "Certificate": "model.answer.certificate",
    "Checked": "check.checker",
    "Comparison": "compare.comparison",
    "ExchangeRules": "extract.exchange.rules",
    "InputError": "errors",
    "Knowledge": "model.question.adversary",
    "LinkRules": "tracklets.rules",
    "MinimumZones": "optimize.answer",
    "MixZones": "model.question.mix_zones",
    "MixsafeError": "errors",
    "Positions": "model.mobility.traces",
    "Problem": "model.question.problem",
    "Protection": "tasks.remedies.remedy",
    "Question": "compare.experiment",
    "Release": "release.pseudonymize",
    "Requirements": "model.question.requirement",
    "Rule": "model.question.requirement",
    "SamplingPlan": "synthesize.ppmtf.virtual_users",
    "Sightings": "model.release.sightings",
    "SolveLimits": "model.limits",
    "TakingPart": "weigh.exchange_models",
    "TraceMatrix": "model.mobility.trace_matrix",
    "Traces": "model.mobility.traces",
    "Verdict": "model.answer.verdict",
    "Verification": "verify.verification",
    "Weighing": "weigh.weighing",
    "apply_remedy": "tasks.remedies.applying",
    "audit": "interactive.asking",
    "breaking": "breaking.breaking",
    "cabs": "synthesize.scenarios.cabs",
    "certify": "certify.certify",
    "check": "tasks.checking",
    "compare": "compare.comparison",
    "graph": "network.graphs",
    "knowledge": "extract.adversaries",
    "links": "tracklets.feeds",
    "load": "io.sources",
    "mix_zones": "extract.zones",
    "optimize": "interactive.asking",
    "pose": "extract.pose",
    "positions": "extract.positions",
    "protect": "tasks.remedies.protecting",
    "pseudonymize": "release.pseudonymize",
    "read_certificates": "io.certificates.certificate_reader",
    "read_feed": "io.gbfs.reading",
    "report": "report.reporting",
    "sample": "synthesize.samples",
    "select": "extract.select",
    "synthesize": "synthesize.ppmtf.synthesizing",
    "town": "synthesize.scenarios.town",
    "vary": "tasks.varying",
    "verify": "interactive.asking",
    "weigh": "weigh.weighing",
    "write_certificates": "io.certificates.certificate_writer",
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
