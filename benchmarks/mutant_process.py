"""A process for each mutant: forked from one that has loaded what is heavy, so that it is quick."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import signal
import sys
import time
import types
from collections.abc import Sequence

Code = tuple[str, types.CodeType] | None
"""Name of a module, and what it is to be; None: nothing is changed."""

BASELINE: Code = None

_HEAVY = (
    "hypothesis",
    "networkx",
    "numba",
    "numpy",
    "ortools.sat.python.cp_model",
    "pandas",
    "pyarrow",
    "pysat.solvers",
    "pytest",
    "scipy.sparse.csgraph",
)
_OPTIONS = (
    *("-x", "-q", "--tb=no", "--hypothesis-profile=mutants"),
    *("-p", "no:cacheprovider", "-p", "no:unraisableexception"),
    # Plain Python says so when 64-bit hashes overflow, as they are meant to.
    *("-W", "ignore::RuntimeWarning", "-W", "ignore::pytest.PytestAssertRewriteWarning"),
    *("-W", "ignore::hypothesis.errors.HypothesisSideeffectWarning"),
)
_PATIENCE = 10  # times the limit that a process may sleep
_MEMORY = 6 << 30  # bytes of addresses: a mutant may ask for far too much


class _Mutated(importlib.abc.Loader, importlib.abc.MetaPathFinder):
    """Gives one module another code."""

    def __init__(self, name: str, code: types.CodeType) -> None:
        self._name, self._code = name, code

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The one module, where it was."""
        if name != self._name:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None:
            return None
        return importlib.util.spec_from_loader(name, self, origin=spec.origin)

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the other code."""
        exec(self._code, module.__dict__)


class Killer:
    """Runs tests about mutants, each in a fork of this process."""

    def __init__(self) -> None:
        for name in _HEAVY:
            importlib.import_module(name)
        # The first example that fails is enough: nobody reads the smallest.
        hypothesis = importlib.import_module("hypothesis")
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile(
            "mutants", deadline=None, derandomize=True, phases=phases
        )
        # It reads the constants of all modules that are loaded: once, not again in each fork.
        hypothesis.given(hypothesis.strategies.integers())(lambda _: None)()

    def fate(self, code: Code, tests: tuple[str, ...], limit: int) -> str:
        """``killed``: a test fails; ``timeout``: none has failed in time; or ``survived``.

        ``limit`` is in seconds of the processor, so that other work beside does not matter.
        """
        return self.seconds(code, tests, limit)[0]

    def seconds(self, code: Code, tests: tuple[str, ...], limit: int) -> tuple[str, float]:
        """The fate, and the seconds of the processor that it took."""
        child = os.fork()
        if child == 0:
            os._exit(_run(code, tests, limit))
        until = time.monotonic() + _PATIENCE * limit
        while time.monotonic() < until:
            done, status, used = os.wait4(child, os.WNOHANG)
            if done:
                out_of_time = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU
                fate = "timeout" if out_of_time else "killed" if status else "survived"
                return fate, used.ru_utime + used.ru_stime
            time.sleep(0.05)
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return "timeout", float(limit)


def _run(code: Code, tests: tuple[str, ...], limit: int) -> int:
    """Exit status of the tests."""
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    if code is not None:
        sys.meta_path.insert(0, _Mutated(*code))
    pytest = importlib.import_module("pytest")
    try:
        return int(pytest.main([*_OPTIONS, *tests]))
    except BaseException:  # noqa: BLE001 - whatever it was, it was noticed
        return 1
