"""Answers of an exported SELECT."""

from __future__ import annotations


def answered(con, sql):
    return con.execute(sql).fetchall()
