"""JSON with one part changed, lost, doubled, moved or replaced by something strange."""

import copy

from tests.verify.corruption import walk

STRANGE = [
    None, True, False, 0, -1, 1, 2**53, 2**63, 10**400, 0.5, -0.0, 5e-324, 1.7e308, -1.7e308, "",
    "inf", "nan", "a", "\0", "\U0001f989", [], [0], {}, {"a": 1}, [[[[[[[[[[[[[[]]]]]]]]]]]]]],
]  # fmt: skip


def change(data, draw):
    """Change one part of it, drawn from all."""
    box, key = draw.choice(list(walk(data)))
    value, way = box[key], draw.randrange(8)
    of_its_kind = draw.random() < 0.75
    if of_its_kind and isinstance(value, float | int) and not isinstance(value, bool):
        box[key] = draw.choice([-value, value * 2.0 ** draw.randint(-60, 60), value + 1, value - 2])
    elif of_its_kind and isinstance(value, str):
        box[key] = draw.choice([value[1:], "-" + value, value + "1", value.upper(), "=" + value])
    elif way == 4 and isinstance(value, list) and value:
        draw.shuffle(value)
    elif way == 5 and isinstance(value, list) and value:
        value.append(copy.deepcopy(draw.choice(value)))
    elif way >= 6:
        del box[key]
    elif isinstance(box, dict) and way == 3:
        box["surprise"] = value
    else:
        box[key] = copy.deepcopy(draw.choice(STRANGE))
