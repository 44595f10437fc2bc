"""The published schema of proof files, from the forms that `verify.py` checks."""

from __future__ import annotations

import json
from typing import Any

from separatrix import verify

Schema = Any
HEAD = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A separatrix proof",
    "description": (
        "Claims about the rows z_n = y_n (1, x_n) of a table, each with what it takes to check it "
        "in exact arithmetic; verify.py does. Rows are counted from 0. "
        "Numbers as text are whole or p/q in hexadecimal. The words under claim and left_out are "
        "for people."
    ),
}


def named_forms() -> dict[str, Schema]:
    """Return the forms that have a name in `verify.py`."""
    named = {name: a for name, a in vars(verify).items() if name.isupper() and type(a) is dict}
    return {name: a for name, a in named.items() if not {"type", "anyOf", "enum"}.isdisjoint(a)}


def schema() -> str:
    """Return the text of `proof.schema.json`: each named form stands in it once."""
    forms = named_forms() | {f"claim {kind}": one.form for kind, one in verify.CLAIMS.items()}
    named = {
        name: form for name, form in forms.items() if len(str(form)) > len("{'type': 'boolean'}")
    }

    def short(item: Schema, *, whole: bool = False) -> Schema:
        known = None if whole else next((k for k, form in named.items() if form == item), None)
        if known is not None:
            return {"$ref": f"#/$defs/{known.lower().replace(' ', '_')}"}
        if isinstance(item, dict):
            return {key: short(value) for key, value in item.items()}
        return [short(value) for value in item] if isinstance(item, list) else item

    proofs = verify.PROOF, verify.PROOF_OF_QUESTIONS
    kinds = [short(proof) for proof in proofs]
    defined = {
        name.lower().replace(" ", "_"): short(form, whole=True) for name, form in named.items()
    }
    return json.dumps({**HEAD, "anyOf": kinds, "$defs": defined}, indent=1) + "\n"
