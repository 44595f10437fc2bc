"""Recipes of columns in a model file, read with every part of them checked."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

from separatrix._types import ArrayLike
from separatrix.model.strict import Unusable, keys_of, list_of, texts_of
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
        if made != _categories(recipe):
            raise Unusable("a recipe makes another kind of column")
    return recipes


def _categories(recipe: Recipe) -> list[bool]:
    indicator = [False] if recipe.indicator else []
    if isinstance(recipe.how, Levels):
        return [True, *indicator]
    return [False, *indicator]


def _recipe(data: ArrayLike) -> Recipe:
    kind = data.get("kind") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise Unusable("a recipe is of no known kind")
    cls = KINDS[kind]
    own = () if cls is None else cls.__dataclass_fields__
    data = keys_of(data, {"column", "kind", "indicator", *own}, "a recipe")
    column, indicator = data["column"], data["indicator"]
    if not isinstance(column, str) or type(indicator) is not bool:
        raise Unusable("a recipe is not as it should be")
    if cls is None and not indicator:
        raise Unusable("a recipe does nothing")
    return Recipe(column, None if cls is None else _HOW[kind](data), indicator)


def _amounts(data: dict[str, Any]) -> Amounts:
    if data["decimal"] not in (".", ",") or not isinstance(data["unit"], str):
        raise Unusable("amounts are not as they should be")
    return Amounts(data["decimal"], data["unit"])


def _dates(data: dict[str, Any]) -> Dates:
    try:
        first = datetime.date.fromisoformat(data["first"]).isoformat()
    except (TypeError, ValueError):
        raise Unusable("the first of the dates is none") from None
    if data["order"] not in ORDERS or first != data["first"]:
        raise Unusable("dates are not as they should be")
    return Dates(data["order"], first)


def _levels(data: dict[str, Any]) -> Levels:
    fold, missing, kept = data["fold"], data["missing"], data["kept"]
    if type(fold) is not bool or type(missing) is not bool:
        raise Unusable("levels are not as they should be")
    return Levels(fold, missing, None if kept is None else texts_of(kept, "kept"))


_HOW: dict[str, Callable[[dict[str, Any]], Amounts | Dates | Levels]] = {
    "amounts": _amounts,
    "dates": _dates,
    "levels": _levels,
}
