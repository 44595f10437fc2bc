"""The folder of the pages that several files read: their verdicts are made once."""

import pytest


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")
