"""Show roles of docstrings, such as ``:func:`mixsafe.extract.pose.pose```, as links.

mkdocstrings loads it (``mkdocs.yml``); without it, pages show roles as they are written.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_ROLE = re.compile(r":(?:func|class|meth|attr|data|mod):`(~?)([\w.]+)`")


class Roles(griffe.Extension):
    """Replace the roles in each docstring by links; what has no page is left as code."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = _ROLE.sub(lambda role: _link(obj, role), obj.docstring.value)


def _link(obj: griffe.Object, role: re.Match[str]) -> str:
    """A link to the object of a role, in Markdown."""
    name = role[2]
    words = name.rpartition(".")[2] if role[1] or name.startswith("mixsafe.") else name
    return f'<autoref identifier="{_path(obj, name)}" optional><code>{words}</code></autoref>'


def _path(obj: griffe.Object, name: str) -> str:
    """The full name of an object, as seen from another one."""
    first, dot, rest = name.partition(".")
    try:
        return name if first == "mixsafe" else obj.resolve(first) + dot + rest
    except griffe.NameResolutionError:
        return name
