"""Which column of a table is what: its label, its weights, its groups, and what is left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from separatrix.data import InputError
from separatrix.tables.cells import n_values
from separatrix.tables.files.svmlight import GROUP, LABEL
from separatrix.tables.options import Reading
from separatrix.tables.raw import RawTable
from separatrix.tables.wording import Problems, listed, nearest, shown

LAST = "last"  # --label last: the last column of a file without names


@dataclass(frozen=True, slots=True)
class Roles:
    """Which column is what, by the exact names; `label` is None where it could not be found."""

    label: str | None
    weight: str | None
    group: str | None
    drop: tuple[str, ...]
    text: tuple[str, ...]

    @property
    def extra(self) -> tuple[str, ...]:
        named = (self.label, self.weight, self.group)
        return (*(name for name in named if name is not None), *self.drop)


def roles_of(raw: RawTable, asked: Reading, label: str | None, problems: Problems) -> Roles:
    """Return the exact names of the columns asked for; problems name the nearest ones."""
    group = asked.group
    if raw.format == "svmlight":
        label = label or LABEL
        group = GROUP if group is None and GROUP in raw.names else group
    if not label:
        two = [column.name for column in raw.columns if n_values(column) == 2]
        said = f"Columns with two values: {listed(two)}. " if two else ""
        with problems.noted():
            raise InputError(
                f"{raw.name}: say which column holds the labels with --label NAME. {said}"
                f"The columns are {listed(raw.names)}."
            )

    def found(option: str, name: str | None) -> list[str]:
        if name:
            with problems.noted():
                return [find_column(raw, option, name)]
        return []

    roles = Roles(
        next(iter(found("label", label)), None),
        next(iter(found("weight", asked.weight)), None),
        next(iter(found("group", group)), None),
        tuple(dict.fromkeys(exact for name in asked.drop for exact in found("drop", name))),
        tuple(exact for name in asked.text for exact in found("text", name)),
    )
    with problems.noted():
        twice, times = Counter(roles.extra or [""]).most_common(1)[0]
        if times > 1:
            raise InputError(
                f"column {shown(twice)} cannot be two of label, weight, group and dropped at once."
            )
        if set(raw.names) <= set(roles.extra):
            raise InputError(
                f"{raw.name} has no feature column left: there is nothing to learn from."
            )
    return roles


def find_column(raw: RawTable, option: str, name: str) -> str:
    if name in raw.names:
        return name
    if not raw.has_header and raw.format == "csv":
        numbers = {str(k): column for k, column in enumerate(raw.names, 1)}
        numbers[LAST] = raw.names[-1]
        if name in numbers:
            return numbers[name]
    bare = [column for column in raw.names if column.strip() == name.strip()]
    if len(bare) == 1:  # a header such as "age, income, label"
        return bare[0]
    raise InputError(
        f"{raw.name} has no column {shown(name)} (--{option}). {nearest(name, raw.names)}"
    )
