"""The SHA-256 in a model file: of its content, whatever its layout.

The content is the file's object without the member "sha256". Its canonical bytes are what Python's
``json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)`` writes, in UTF-8:
members sorted by name, no blanks, every double as the shortest decimal that reads back to it.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

KEY = "sha256"


def checksum(data: dict[str, Any]) -> str:
    """Return the digest of a model file's content, in hexadecimal."""
    content = {name: value for name, value in data.items() if name != KEY}
    text = json.dumps(
        content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return hashlib.sha256(text.encode()).hexdigest()


def sealed(data: dict[str, Any]) -> dict[str, Any]:
    """Return the same content with its digest."""
    return {**data, KEY: checksum(data)}
