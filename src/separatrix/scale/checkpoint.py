"""A checkpoint: the finished work of a run, so that it can go on after it was killed.

What a run does follows from the results of its passes over the rows. They are kept, those of the
pass under way up to the last block that was done. A run that starts again takes them from the file
instead of reading the rows, and from there on does what it would have done: the same bytes. The
file is replaced as a whole, so that a kill at any moment leaves the former one or the new one.

The digest finds damage, not malice: like the data, a checkpoint must come from its user. What it
holds is read as JSON and arrays, and compared with what a pass begins with; where a run fails with
it all the same, the error says that it is the checkpoint.
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
import math
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import NoReturn, TypeVar

import numpy as np
from numba.core.errors import NumbaError

from separatrix._types import Untyped
from separatrix._version import __version__
from separatrix.data import InputError
from separatrix.files import refuse_unwritable, write_atomically
from separatrix.scale.rows import Journal

KINDS = "biufSU"  # of arrays that hold numbers or text


def to_bytes(value: Untyped) -> bytes:
    """Return a value as bytes: a line of JSON, then its arrays as files of numpy's."""
    arrays = io.BytesIO()
    tree = json.dumps(_plain(value, arrays), separators=(",", ":"))
    return tree.encode() + b"\n" + arrays.getvalue()


def from_bytes(data: bytes | memoryview) -> Untyped:
    whole = io.BytesIO(data)
    return _value(json.loads(whole.readline()), whole)


def _plain(value: Untyped, arrays: io.BytesIO) -> Untyped:
    if value is None or (isinstance(value, bool | int | str) and not isinstance(value, np.generic)):
        made: Untyped = value
    elif isinstance(value, np.generic | np.ndarray) and value.dtype.kind in KINDS:
        np.lib.format.write_array(arrays, np.asarray(value, order="C"), allow_pickle=False)
        made = {"array": isinstance(value, np.ndarray)}
    elif isinstance(value, float):
        made = {"float": value.hex()}
    elif isinstance(value, Fraction):
        made = {"fraction": str(value)}
    elif isinstance(value, list):
        made = [_plain(item, arrays) for item in value]
    elif isinstance(value, tuple):
        made = {"tuple": [_plain(item, arrays) for item in value]}
    elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
        made = {"dict": [[key, _plain(item, arrays)] for key, item in value.items()]}
    else:
        raise TypeError(f"{type(value).__name__} is not written")
    return made


def _value(tree: Untyped, arrays: io.BytesIO) -> Untyped:
    if isinstance(tree, list):
        return [_value(item, arrays) for item in tree]
    if not isinstance(tree, dict):
        return tree
    ((kind, held),) = tree.items()
    if kind == "array":  # or a number of numpy's
        array = np.lib.format.read_array(arrays, allow_pickle=False)
        return array if held else array[()]
    if kind == "dict":
        return {key: _value(item, arrays) for key, item in held}
    if kind == "tuple":
        return tuple(_value(item, arrays) for item in held)
    return float.fromhex(held) if kind == "float" else Fraction(held)


T = TypeVar("T")

log = logging.getLogger("separatrix")

FORMAT = "separatrix checkpoint 3"
EVERY = 1.0  # seconds between two writes, at least
SHARE = 20  # of the time may go into writing: one part in this many
ALL = 1 << 62  # blocks done of a pass that is finished
NUMBERS = (bool, int, float, np.bool_, np.number, Fraction)
UNFIT = (  # what a run raises that was given something else than it wrote
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, NumbaError,
    RuntimeError, TypeError, ValueError,
)  # fmt: skip


class Checkpoint(Journal):
    """The journal of one run of a table, kept in a file."""

    keeps = True

    def __init__(
        self, path: str, fingerprint: str, *, every: float = EVERY, share: int = SHARE
    ) -> None:
        self.path, self.every, self.share = path, every, share
        self.about = {"format": FORMAT, "version": __version__, "data": fingerprint}
        self.parts: list[str] = []  # what the run was asked, part by part
        self.passes: list[tuple[int, bytes]] = []  # blocks done and value; the last may go on
        self.resumed = False
        self.before = 0.0  # seconds of the runs whose work is kept
        self._began = time.monotonic()
        self._part = self._pass = 0
        self._wait_until = 0.0
        refuse_unwritable(path)
        if Path(path).exists():
            self._read()
            self.resumed = True

    def part(self, asked: str) -> AbstractContextManager[None]:
        if self._part < len(self.parts) and self.parts[self._part] != asked:
            raise InputError(
                f"the checkpoint {self.path!r} is of another run: it was asked "
                f"{self.parts[self._part]}, and this one is asked {asked}. Ask the same, or "
                "name another file."
            )
        if self._part == len(self.parts):
            self.parts.append(asked)
        self._part += 1
        return self.explained()

    @contextmanager
    def explained(self) -> Iterator[None]:
        try:
            yield
        except InputError:
            raise
        except UNFIT as error:
            if not self.resumed:
                raise
            raise InputError(
                f"the run cannot go on from the checkpoint {self.path!r}, whose contents do not "
                f"fit it ({type(error).__name__}). Remove it, and run it again."
            ) from error

    def begin(self, start: T) -> tuple[int, T]:
        if self._pass < len(self.passes):
            done, data = self.passes[self._pass]
            try:
                value = from_bytes(data)
            except (*UNFIT, RecursionError):
                self._refuse_broken()
            if not alike(value, start):
                raise InputError(
                    f"the run cannot go on from the checkpoint {self.path!r}, whose contents do "
                    f"not fit it (pass {self._pass + 1:,}). Remove it, and run it again."
                )
            return done, value
        self.passes.append((0, to_bytes(start)))
        return 0, start

    def note(self, done: int, value: object) -> None:
        if time.monotonic() >= self._wait_until:
            self.passes[self._pass] = (done, to_bytes(value))
            self._write()

    def end(self, value: object) -> None:
        if self.passes[self._pass][0] != ALL:
            self.passes[self._pass] = (ALL, to_bytes(value))
            if time.monotonic() >= self._wait_until:
                self._write()
        self._pass += 1

    def remove(self) -> None:
        if self.resumed:
            said = "done in %.1f s, %.1f s of them before it was resumed"
            log.info(said, self._seconds(), self.before)
        Path(self.path).unlink(missing_ok=True)

    def _seconds(self) -> float:
        return self.before + time.monotonic() - self._began

    def _write(self) -> None:
        began = time.monotonic()
        about = {
            **self.about, "parts": self.parts, "seconds": self._seconds(),
            "passes": [[done, len(value)] for done, value in self.passes],
        }  # fmt: skip
        body = b"".join([json.dumps(about).encode(), b"\n", *(value for _, value in self.passes)])
        write_atomically(self.path, hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        ended = time.monotonic()
        self._wait_until = ended + max(self.every, self.share * (ended - began))

    def _read(self) -> None:
        try:
            data = Path(self.path).read_bytes()
        except OSError as error:
            raise InputError(f"cannot read {self.path!r}: {error.strerror}.") from None
        digest, _, body = data.partition(b"\n")
        if hashlib.sha256(body).hexdigest().encode() != digest:
            self._refuse_broken()
        head, _, values = body.partition(b"\n")
        try:
            about: Untyped = json.loads(head)
        except (ValueError, RecursionError):
            self._refuse_broken()
        if not isinstance(about, dict):
            self._refuse_broken()
        other = {
            "format": f"another format ({about.get('format')!r})",
            "version": f"another version of separatrix ({about.get('version')!r})",
            "data": "other data, or the same file read with other options",
        }
        for key, what in other.items():
            if about.get(key) != self.about[key]:
                raise InputError(
                    f"the checkpoint {self.path!r} is of {what}, so a run cannot go on from it. "
                    "Remove it, or name another file."
                )
        parts, passes, seconds = (about.get(key) for key in ("parts", "passes", "seconds"))
        if not (
            type(seconds) is float
            and 0.0 <= seconds < math.inf
            and isinstance(parts, list)
            and all(isinstance(part, str) for part in parts)
            and isinstance(passes, list)
            and all(isinstance(one, list) and len(one) == 2 for one in passes)
            and all(type(k) is int and 0 <= k <= ALL for one in passes for k in one)
            and sum(size for _, size in passes) == len(values)
        ):
            self._refuse_broken()
        self.parts, self.before, at = parts, seconds, 0
        for done, size in passes:
            self.passes.append((done, values[at : at + size]))
            at += size

    def _refuse_broken(self) -> NoReturn:
        raise InputError(
            f"{self.path!r} is not a checkpoint, or it is broken. Name another file for the "
            "checkpoint, or remove this one."
        ) from None


def alike(value: Untyped, start: Untyped) -> bool:
    """Whether a pass that begins with `start` can have a value: by kinds, lengths and shapes."""
    if isinstance(start, np.ndarray):
        same = isinstance(value, np.ndarray) and value.dtype == start.dtype
        return bool(same and (value.shape == start.shape if start.size else value.ndim))
    if start is None or isinstance(start, NUMBERS):
        return start is None or isinstance(value, NUMBERS)
    if type(value) is not type(start):
        return False
    if isinstance(start, tuple):
        return len(value) == len(start) and all(map(alike, value, start))
    if isinstance(start, dict) and start:
        return value.keys() >= start.keys() and all(alike(value[k], start[k]) for k in start)
    return True
