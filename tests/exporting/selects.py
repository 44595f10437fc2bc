"""Answers of an exported SELECT."""


def answered(con, sql):
    return con.execute(sql).fetchall()
