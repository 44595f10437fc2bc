"""Files of SAS (.sas7bdat), Stata (.dta) and SPSS (.sav) as columns; labelled values by labels."""

from __future__ import annotations

import io

from separatrix.data import InputError
from separatrix.tables.files.source import Source
from separatrix.tables.files.values import cells_of, extra
from separatrix.tables.raw import RawColumn
from separatrix.tables.scan import refuse_duplicates
from separatrix.tables.wording import shown

SAS = b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c\x18\x1f\x10\x11"
SPSS = b"$FL2", b"$FL3"
STATA = b"<stata_dta>"
OLD_STATA = range(110, 116)  # the first byte up to Stata 12; the next are 1 or 2, and 1


def statistical_format(source: Source) -> str | None:
    """Return "sas7bdat", "dta" or "sav" by how the bytes begin; None for another file."""
    data = source.data
    if data[12 : 12 + len(SAS)] == SAS:
        return "sas7bdat"
    if data.startswith(SPSS):
        return "sav"
    old = len(data) > 4 and data[0] in OLD_STATA and data[1] in (1, 2) and data[2:4] == b"\1\0"
    return "dta" if data.startswith(STATA) or old else None


def statistical_columns(source: Source, form: str) -> tuple[RawColumn, ...]:
    """Return the columns of a file; a variable with value labels is one of categories."""
    pyreadstat = extra("pyreadstat", "stat", f"a .{form} file")
    read = getattr(pyreadstat, f"read_{form}")
    try:
        values, about = read(io.BytesIO(source.data), output_format="dict")
    except Exception as error:  # whatever a broken file makes of its reader
        raise InputError(
            f"{source.name} is a broken .{form} file ({shown(str(error))}). Write it again."
        ) from None
    names = tuple(str(name) for name in values)
    refuse_duplicates(source.name, names)
    if not names or not len(next(iter(values.values()))):
        raise InputError(f"{source.name} has {len(names)} columns and no rows.")
    columns = []
    for name, column in zip(names, values.values(), strict=True):
        labels = about.variable_value_labels.get(name) or {}
        plain = column.tolist() if hasattr(column, "tolist") else list(column)
        cells = cells_of(name, [labels.get(v, v) for v in plain])
        columns.append(RawColumn(name, cells, is_category=bool(labels)))
    return tuple(columns)
