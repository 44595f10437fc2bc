"""The plain table of a proof, made again of the files that it was made of."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from separatrix import verify
from separatrix.data import InputError
from separatrix.proving.any_size import plain_table
from separatrix.proving.plain import PlainTable, sha256_of
from separatrix.scale import NpySource, Rows
from separatrix.tables import read_classes, read_table
from separatrix.tables.options import ReadingOptions
from separatrix.verdict.cases import Cases

OPTIONS = {"label", "yes", *ReadingOptions.__annotations__}


def made_again(
    proof: str | os.PathLike[str], files: Sequence[str], folder: str | os.PathLike[str]
) -> list[str]:
    """Write the plain table of a proof into a folder; return its files.

    Raises
    ------
    InputError
        Where another table comes of these files.
    """
    try:
        told = verify.read_proof(Path(proof).read_bytes()).data
        made_of = told["table"]["made_of"]
        asked = made_of["asked"]
        options = {name: a for name, a in asked["options"].items() if name in OPTIONS}
        rule, degree = asked["multiclass"], int(asked["degree"])
        of_rows = len(files) - made_of.get("label_files", 0)
        y = files[of_rows:] or ("label_files" in made_of and int(options["label"]))
    except (OSError, LookupError, TypeError, ValueError, AttributeError, verify.CannotCheck):
        raise InputError(f"{os.fspath(proof)!r} does not say how its table was made.") from None
    form = told["table"]["format"]
    if "label_files" in made_of:
        made = plain_table(Rows(NpySource(files[:of_rows], y)))
    elif asked.get("in_blocks"):
        from separatrix.scale.tables_of_files import open_table

        made = plain_table(open_table(list(files), **options))
    else:
        read = read_table if rule is None else read_classes
        cases = Cases.of(read(files[0], **options), rule, degree)
        made = PlainTable.of(cases.table, cases.encoding)
    if made.form == form:
        paths = made.write(Path(folder) / "proof")
        if [sha256_of(path) for path in paths] == [f["sha256"] for f in told["table"]["files"]]:
            return paths
    raise InputError(
        f"{', '.join(files)}, read as the proof says, gives another table than that of the proof: "
        "the proof was changed, or another version of separatrix made it. Make the proof again."
    )
