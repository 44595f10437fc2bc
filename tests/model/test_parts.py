"""Votes and kernels of a file that cannot be."""

import pytest

from separatrix import InputError, load
from tests.model.files import kept, written

ROW = [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (kept("voted", weights=[1.0, 2.0, 3.0, 4.0]), "has no weights"),
        (kept("voted", votes=[1]), "votes has 1 numbers"),
        (kept("voted", visited=[10**6]), "visited is no list of whole numbers"),
        (kept("voted", visited=[-1]), "visited is no list of whole numbers"),
        (kept("voted", visited=[0], votes=[2**53 - 1, 2**53 - 1]), "too many votes"),
        (kept("voted", signs=[2]), "signs"),
        (kept("voted", start=[0.0]), "start has 1 numbers"),
        (kept("voted", intercept=1), "no truth value"),
        (kept("voted", surprise=1), "'surprise'"),
        (kept("dual", rows={"columns": 3, "values": [ROW]}), "'places'"),
        (kept("dual", rows={"columns": 0, "values": [], "places": None}), "no count of columns"),
        (kept("dual", rows={"columns": 2, "values": [ROW], "places": None}), "a row has 3"),
        (kept("dual", rows={"columns": 9, "values": [ROW], "places": [[2, 1, 3]]}), "ascending"),
        (kept("dual", rows={"columns": 9, "values": [ROW], "places": [[1, 2]]}), "a row has 3"),
        (kept("dual", rows={"columns": 9, "values": [ROW], "places": [[1, 2, 9]]}), "from 0 to 8"),
        (kept("dual", rows={"columns": 9, "values": [ROW], "places": []}), "places"),
        (kept("dual", updates=[1]), "updates has 1 numbers"),
        (kept("dual", signs=[0]), "signs"),
        (kept("dual", parameters={"kernel": "exec"}), "kernel='exec'"),
        (kept("dual", parameters={"gamma": "wide"}), "kernel cannot be used"),
    ],
)
def test_votes_and_kernels_that_are_none_are_refused(tmp_path, change, words):
    with pytest.raises(InputError, match=words):
        load(written(tmp_path, change))
