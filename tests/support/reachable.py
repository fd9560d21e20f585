"""All objects that code can get at from what it is given, and the truth among them."""

from __future__ import annotations

import gc
import types
from collections.abc import Iterator

import numpy as np

from mixsafe.model.release import IdTable

OUTSIDE = (types.ModuleType, type, types.BuiltinFunctionType, types.CodeType)
"""What everybody has: modules, classes, compiled functions."""


def reachable(*roots: object) -> Iterator[object]:
    """Everything that can be reached from some objects, themselves included.

    Fields and other attributes, contents of containers, memory that arrays are views of, what
    functions have closed over, seeds of random numbers. Modules are outside: what they hold does
    not depend on what is given.
    """
    seen, waiting = {}, list(roots)
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, OUTSIDE):
            continue
        seen[id(one)] = one  # kept alive, so that no other object gets its number
        yield one
        if isinstance(one, types.FunctionType):
            waiting += [one.__closure__, one.__defaults__, one.__kwdefaults__, one.__dict__]
        elif isinstance(one, np.ndarray):
            waiting.append(one.base)
            if one.dtype == object:
                waiting += one.reshape(-1).tolist()
        elif isinstance(one, memoryview):
            waiting.append(one.obj)
        else:
            waiting += gc.get_referents(one)
            # Compiled classes do not tell the collector about all that they hold.
            for name in ("bit_generator", "seed_seq", "_seed_seq", "entropy"):
                waiting.append(getattr(one, name, None))


def truth_among(objects, original, table, redrawn):
    """Why objects give the truth away, a word for each that does.

    Parameters
    ----------
    original, table
        Original traces and ID table.
    redrawn
        The table that a seed gives.
    """
    secrets = {
        "original": original.region,
        "table": table.user,
        "pseudonyms": table.pseudonym,
    }
    return [word for one in objects for word in _given_away(one, secrets, redrawn)]


def _given_away(one, secrets, redrawn):
    if isinstance(one, IdTable):
        return ["an ID table"]
    if isinstance(one, np.random.SeedSequence):
        again = np.array_equal(redrawn(one.entropy).user, secrets["table"])
        return ["the seed of the table"] if again else []
    if isinstance(one, bytes | bytearray):
        return [
            f"{name}, as bytes"
            for name, secret in secrets.items()
            if secret.tobytes() in one or secret.T.tobytes() in one
        ]
    if isinstance(one, list | tuple) and len(one) == len(secrets["table"]):
        one = _as_array(one)
    if isinstance(one, np.ndarray) and one.dtype != object:
        return [name for name, secret in secrets.items() if _shows(one, secret)]
    return []


def _shows(array, secret):
    """Whether an array is memory of a secret, or a copy in any shape, counted from 0 or from 1."""
    if np.shares_memory(array, secret):
        return True
    return array.size == secret.size and any(
        np.array_equal(array.reshape(-1) - shift, flat.reshape(-1))
        for flat in (secret, secret.T)
        for shift in (0, 1)
    )


def _as_array(values):
    """Numbers of a list as an array; whatever else there is, as it is."""
    try:
        return np.asarray(values)
    except ValueError:
        return values
