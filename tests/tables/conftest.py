"""Writes files for tests of reading."""

import pytest


@pytest.fixture
def write(tmp_path):

    def put(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put
