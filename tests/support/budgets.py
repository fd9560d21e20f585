"""Other budgets for a part of a search, for the length of a block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import pytest


@contextmanager
def budgets(of: ModuleType, **numbers: float) -> Iterator[None]:
    """Change numbers of a module, which are named in lower case."""
    with pytest.MonkeyPatch.context() as patch:
        for name, number in numbers.items():
            patch.setattr(of, name.upper(), number)
        yield
