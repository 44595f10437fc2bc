"""How the verifier reads the table that a proof is about, and how readers that share no code do."""

import hashlib
import json
import random

import pytest

from separatrix.verify import VERIFIED, CannotCheck, Refuted, check_files, read_table, statements
from tests.proving.checking import HOSTILE, same_cells
from tests.verify.by_hand import AND, SEPARABLE, XOR, csv_of, proof_of, said


def test_the_words_of_the_proof_are_never_read():
    proof = proof_of(AND, [SEPARABLE], claim=["all rows are purple"])
    assert "purple" not in said(AND, proof)


@pytest.mark.parametrize("words", [None, 3, "a line", {"a": "line"}, [3], [["a line"]]])
def test_words_of_the_proof_are_a_list_of_texts(words):
    with pytest.raises(CannotCheck, match="'claim' in the proof"):
        said(AND, proof_of(AND, [SEPARABLE], claim=words))


def test_of_many_labels_one_side_is_named_in_full():
    yes, no = [f"y{k}" for k in range(15)], [f"n{k}" for k in range(14)]
    data = csv_of([*((1, text) for text in yes), *((0, text) for text in no)])
    proof = proof_of(data, [{"kind": "separable", "weights": [-0.5, 1]}])
    proof["table"]["label"] |= {"yes": yes, "no": no}
    text = said(data, proof)
    assert all(f"'{name}'" in text for name in no)
    assert "'y8' and 1 more (yes, 15 rows)" in text


def test_another_table_is_not_checked():
    with pytest.raises(CannotCheck, match="SHA-256"):
        said(XOR, proof_of(AND, [SEPARABLE]))


def test_categories_become_one_column_for_every_level_but_the_first():
    data = b"c,answer\na,n\nb,y\nc,n\n"
    proof = proof_of(data, [{"kind": "separable", "weights": [-1, 2, 0]}])
    proof["table"]["columns"][0] |= {"levels": ["a", "b", "c"]}
    assert "'c=b', 'c=c'" in said(data, proof)
    proof["table"]["columns"][0] |= {"levels": ["a", "b"]}
    with pytest.raises(CannotCheck, match="level that the proof lacks"):
        said(data, proof)


def test_lines_are_counted_as_an_editor_counts_them():
    data = b'x,answer\n\n0,n\n"1\n","y"\n2,y\n'
    proof = proof_of(data, [{"kind": "separable", "weights": [0, 1]}])
    with pytest.raises(Refuted, match="line 3"):
        said(data, proof)
    proof["claims"] = [{"kind": "separable", "weights": [-1.5, 1]}]
    with pytest.raises(Refuted, match="line 4"):
        said(data, proof)
    third = b'x,answer\n\n0,n\n"1\n","y"\n2,n\n'
    claim = {"kind": "separable", "weights": [-0.5, 1]}
    with pytest.raises(Refuted, match="line 6"):  # the quoted cell runs over lines 4 and 5
        said(third, proof_of(third, [claim]))


def test_without_an_intercept_the_line_has_none():
    data = csv_of([(1, "y"), (-1, "n")])
    proof = proof_of(data, [{"kind": "separable", "weights": [0, 1]}], intercept=False)
    assert "through the origin" in said(data, proof)
    assert "measured in x: PLA" in said(data, proof)
    proof["claims"] = [{"kind": "separable", "weights": [1, 1]}]
    with pytest.raises(CannotCheck, match="intercept"):
        said(data, proof)


@pytest.mark.parametrize("words", [["The rows are not separable."], []])
def test_words_in_a_proof_that_are_not_the_verifiers_own_are_pointed_at(words, tmp_path):
    (tmp_path / "t.csv").write_bytes(AND)
    proof = proof_of(AND, [SEPARABLE])
    for claim, pointed in ((words, True), (statements(json.dumps(proof).encode(), AND), False)):
        (tmp_path / "p.json").write_text(json.dumps({**proof, "claim": claim}))
        code, answer = check_files(str(tmp_path / "p.json"), str(tmp_path / "t.csv"))
        assert code == VERIFIED
        assert answer.endswith("only these above count.)") == pointed


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
        ("latin-1", "ISO-8859-1", "latin-1"), ("cp1252", "windows-1252", "cp1252"),
        ("utf-16", None, "utf-16"), ("utf-8-sig", None, "utf-8-sig"), ("utf-8", "UTF8", "utf-8"),
        ("gb18030", "GB18030-2000", "gb18030"), ("utf-16-le", "utf-16-le", None),
        ("utf-32", None, None), ("cp850", "cp850", None),
    ],
)  # fmt: skip
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


CELLS = [
    "1", "-2.5", "+.5", "3.", "1e-300", "-0", " 7 ", "\t8", "1_000", "nan", "inf", "1e999",
    "1\x1c", "", "?", ".", "-", "1e", "0x1", "\u00a05", "\u0661", "1\x0b", "E5", "--1",
]  # fmt: skip


def read(text, d):
    """What is read of a table, or that it cannot be."""
    data = text.encode()
    proof = proof_of(csv_of([(0,) * d + ("n",)]), [{}])
    proof["table"]["sha256"] = hashlib.sha256(data).hexdigest()
    try:
        table = read_table(data, json.loads(json.dumps(proof)))
    except CannotCheck as why:
        return str(why)
    return table.points, table.y, table.lines, table.n_read


GOOD = {"1", "-2.5", "+.5", "3.", "1e-300", "-0", " 7 ", "\t8", "1\x0b"}  # blanks around are cut


def unreadable(rows):
    """Rows without a gap, which take part, that hold something other than numbers."""
    return [r for r in rows if not {"", "?"} & set(r[:-1]) and set(r[:-1]) - {*GOOD, "2"}]


def test_plain_text_is_read_as_quoted_text_is():
    draw = random.Random(5)
    read_well = 0
    for _ in range(400):
        d = draw.randrange(1, 4)
        rows = [["1"] * d + ["y"], ["2"] * d + ["n"]]
        for _ in range(draw.randrange(3)):
            cells = [draw.choice(CELLS if draw.random() < 0.3 else CELLS[:6]) for _ in range(d)]
            rows.append([*cells, draw.choice("yn")])
        head = ",".join([*(f"x{j}" for j in range(d)), "answer"])
        gap = draw.choice(["\n", "\n\n"])
        plain = gap.join([head, *(",".join(row) for row in rows)]) + draw.choice(["", "\n"])
        quoted = gap.join([head, *(",".join(f'"{c}"' for c in row) for row in rows)]) + "\n"
        found = read(plain, d)
        assert found == read(quoted, d) == read(plain.replace("\n", "\r\n"), d), plain
        assert isinstance(found, str) == bool(unreadable(rows)), plain
        read_well += not isinstance(found, str)
    assert 100 < read_well < 390


@pytest.mark.parametrize("delimiter", ["\n", "\r"])
def test_lines_do_not_separate_cells(delimiter):
    data = csv_of([(0, "n"), (1, "y")])
    proof = proof_of(data, [])
    proof["table"]["dialect"]["delimiter"] = delimiter
    with pytest.raises(CannotCheck, match="'delimiter'"):
        read_table(data, proof)
