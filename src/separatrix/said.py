"""Sentences that can be said again in another language: they know what they were made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial, reduce


class Said(str):
    """An English sentence, with its template and the values of its places."""

    template: str
    values: Mapping[str, object]

    __slots__ = ("template", "values")

    def __new__(cls, template: str, /, **values: object) -> Said:
        said = super().__new__(cls, template.format(**values) if values else template)
        said.template, said.values = template, values
        return said

    @classmethod
    def made(cls, text: str) -> Said:
        """Return a text as it is, or as a sentence without places."""
        return text if isinstance(text, Said) else cls(text)

    def __reduce__(self) -> tuple[partial[Said], tuple[()]]:
        return partial(type(self), self.template, **self.values), ()


class Own(str):
    """A name of the user's: whatever it is, no word of ours, and the same in every language."""

    __slots__ = ()


def all_of(items: Sequence[Said]) -> Said:
    """Return "a, b and c" of at least one sentence or name."""
    *few, last = items
    if not few:
        return last
    first = reduce(lambda a, b: Said("{a}, {b}", a=a, b=b), few)
    return Said("{a} and {b}", a=first, b=last)
