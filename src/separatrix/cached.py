"""What an object computes once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801  # the name of functools'
    """As functools', of Python 3.12 on: before it one lock is held for all objects of a class.

    Runs that share reads wait for rows inside such a property: all of them get the first value.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, _: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, of: None, owner: type) -> cached_property[T]: ...

    @overload
    def __get__(self, of: object, owner: type) -> T: ...

    def __get__(self, of: Any, owner: type) -> Any:
        """Return the value: that of the object's own dictionary comes first once it is there."""
        if of is None:
            return self
        return vars(of).setdefault(self.name, self.compute(of))
