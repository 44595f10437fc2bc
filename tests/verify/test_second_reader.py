"""Two readers that share no code, and our own encoding, read the same cells of every table."""

import json

import pytest

from tests.proving.checking import HOSTILE, same_cells


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("missing", ["drop", "fill"])
def test_odd_tables_are_read_alike(name, missing, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(HOSTILE[name].encode())
    decimal = "," if "comma" in name else "."
    assert same_cells(path, label="label", missing=missing, decimal=decimal).canonical is None


ENCODED = "größe,w,label\n1,1,ja\n2.5,0.5,nein\n3,2,ja\n"


@pytest.mark.parametrize(
    ("encoding", "asked", "own"),
    [
        ("latin-1", "ISO-8859-1", "latin-1"),
        ("cp1252", "windows-1252", "cp1252"),
        ("utf-16", None, "utf-16"),
        ("utf-8-sig", None, "utf-8-sig"),
        ("utf-8", "UTF8", "utf-8"),
        ("gb18030", "GB18030-2000", "gb18030"),
        ("utf-16-le", "utf-16-le", None),
        ("utf-32", None, None),
        ("cp850", "cp850", None),
    ],
)
def test_tables_in_encodings_that_proofs_do_not_know_have_a_canonical_csv(
    encoding, asked, own, tmp_path
):
    path = tmp_path / "t.csv"
    path.write_bytes(ENCODED.encode(encoding))
    proof = same_cells(path, label="label", weight="w", encoding=asked)
    told = json.loads(proof.text)["table"]["dialect"]["encoding"]
    assert (told, proof.canonical is None) == (own or "utf-8", own is not None)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("a^label\n1^no\n2^yes\n", {"delimiter": "^"}),
        ("a,label\n'1',no\n2,yes\n", {"quote": "'"}),
        ('a,label,c\n1,no,5" pipe\n2,yes,7" pipe\n', {}),
        ('a,label,c\n1,no,"x\n2,yes,y"\n', {"quote": ""}),
        ("a,label,c\n1,no,u\rv\n", {}),
        ("yes,c\nyes,u\nno,v\n", {"label": "yes"}),
    ],
)
def test_tables_that_others_read_otherwise_have_a_canonical_csv(text, options, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    if "\r" in text:
        path.write_bytes(b'a,label,c\n1,no,"u\rv"\n2,yes,w\n')
    proof = same_cells(path, **{"label": "label", **options})
    assert proof.canonical is not None
