"""Proof files, checked by the verifier, which uses nothing else of the package."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
from jsonschema import Draft202012Validator

from separatrix import read_table, separability, verify
from separatrix.proving.asking import prove_separability
from separatrix.proving.files import names_beside
from separatrix.tables import fit_encoding, take
from tests.verify import second_reader
from tests.verify.by_hand import opened, points_of

SCHEMA = json.loads((Path(verify.__file__).parent / "proof.schema.json").read_text())
FITS = Draft202012Validator(SCHEMA)


def proven(path, degree=1, **options):
    """The proof of a table's separability, and the answer it was made of."""
    table = read_table(path, **{"label": "label", **options})
    proof = prove_separability(table, path.read_bytes(), degree)
    kept = table.y.size if table.weight is None else table.weight > 0
    rows = np.arange(table.y.size)[:kept] if isinstance(kept, int) else np.flatnonzero(kept)
    columns = take(table.columns, rows)
    X = fit_encoding(columns, table.missing, degree).encode(columns, table.lines[rows])
    return proof, separability(X, table.y[rows])


def same_cells(path, **options):
    """The proof, once both readers and our encoding agree cell by cell."""
    table = read_table(path, **options)
    proof = prove_separability(table, path.read_bytes())
    told = json.loads(proof.text)
    FITS.validate(told)
    data = [*proof.beside.values()] or [path.read_bytes()]
    points, answers, weights = second_reader.read(data, told)
    read = opened(data, told)
    assert [[*map(Fraction, x[1:])] for x in points_of(read)] == points
    assert [*read.y] == answers
    assert [*(read.weights or [1] * read.n)] == weights
    encoding = fit_encoding(table.columns, table.missing)
    X = encoding.encode(table.columns, table.lines)
    present = slice(None) if table.weight is None else table.weight > 0
    X, y = X[present], table.y[present]
    assert [[*map(Fraction, x)] for x in X.tolist()] == points
    assert told["table"]["format"] != "csv" or tuple(read.names[1:]) == encoding.feature_names
    assert proof.beside or [read.source.first + n for n in read.index] == table.lines.tolist()
    assert y.tolist() == answers
    return proof


def checked(proof, table) -> str:
    """What is verified of a proof and the files that stand beside it, or that of its table."""
    files = [name for name in names_beside(proof) if Path(name).exists()]
    files = files or [str(path) for path in (table if isinstance(table, list) else [table])]
    code, answer = verify.check_files(str(proof), files)
    assert code == verify.VERIFIED, answer
    return answer


WORDS = {
    "separable": "are linearly separable",
    "touching": "quasi-completely separated",
    "overlapping": "The rows overlap",
}

HOSTILE = {
    "quoted newlines": 'a,"b\nb",label\n1,"x\ny",no\n2,"z",yes\n3,"z",no\n',
    "semicolons and a decimal comma": "a;label\n1,5;no\n2,5;yes\n",
    "tabs": "a\tb\tlabel\n1\t2\tno\n2\t1\tyes\n2\t3\tyes\n",
    "blank lines and mixed ends": "a,label\r\n\r\n1,no\n   \n2,yes\r\n",
    "blanks around": " a , label\n 1 , no\n 2 , yes\n",
    "a sign column": "s,a,label\n+,1,no\n-,2,yes\n+,3,yes\n",
    "no value here and there": "s,a,label\nx,1,no\n?,2,yes\ny,,yes\nx,5,yes\ny,-4,no\n",
    "numbers of many kinds": "a,b,label\n1e300,-0,no\n-1E-300,+.5,yes\n007,3.,yes\n",
    "a nameless column": ",a,label\n0,1,no\n1,2,yes\n2,3,no\n",
    "names that are not friendly": '<script>,"=cmd()",\u202egnp,label\n1,2,3,no\n2,2,4,yes\n',
}
