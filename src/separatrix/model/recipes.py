"""Recipes of columns in a model file, read with every part of them checked."""

from __future__ import annotations

import datetime

from separatrix._types import ArrayLike
from separatrix.model.strict import Unusable, decoded, keys_of, kind_of, list_of
from separatrix.tables import CategoryEncoding, Encoding
from separatrix.tables.recipes import KINDS, ORDERS, Amounts, Dates, Levels, Recipe


def recipes_of(data: ArrayLike, encoding: Encoding) -> tuple[Recipe, ...]:
    """Return the recipes in a file; `Unusable` where they do not make columns of the encoding."""
    recipes = tuple(_recipe(part) for part in list_of(data, "recipes"))
    names = [name for recipe in recipes for name in recipe.names]
    columns = {column.name: column for column in encoding.columns}
    if len({recipe.column for recipe in recipes}) < len(recipes) or not set(names) <= set(columns):
        raise Unusable("recipes are not those of the columns")
    for recipe in recipes:
        made = [isinstance(columns[name], CategoryEncoding) for name in recipe.names]
        if made != [isinstance(recipe.how, Levels), *([False] if recipe.indicator else [])]:
            raise Unusable("a recipe makes another kind of column")
    return recipes


def _recipe(data: ArrayLike) -> Recipe:
    cls, rest = kind_of(data, KINDS, "a recipe")
    own = () if cls is None else cls.__dataclass_fields__
    how = cls and decoded(cls, {k: rest.pop(k) for k in own if k in rest}, "a recipe")
    keys_of(rest, {"column", "indicator"}, "a recipe")
    column = decoded(str, rest["column"], "column")
    recipe = Recipe(column, how, decoded(bool, rest["indicator"], "indicator"))
    if how is None and not recipe.indicator:
        raise Unusable("a recipe does nothing")
    if isinstance(how, Amounts) and how.decimal not in (".", ","):
        raise Unusable("amounts are not as they should be")
    if isinstance(how, Dates) and not (how.order in ORDERS and _is_day(how.first)):
        raise Unusable("dates are not as they should be")
    return recipe


def _is_day(text: str) -> bool:
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
