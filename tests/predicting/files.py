"""Model files that were learned from a table."""

from separatrix import judge, read_table, save

TABLE = "age,sex,pays\n20,f,no\n25,m,no\n31,f,yes\n40,m,no\n44,f,yes\n,m,yes\n58,f,no\n23,f,no\n"

SEPARABLE = "age,sex,pays\n20,f,no\n25,m,no\n31,f,no\n40,m,yes\n44,f,yes\n52,m,yes\n"


def learned_file(folder, content=SEPARABLE, /, **options):
    (folder / "t.csv").write_text(content)
    table = read_table(folder / "t.csv", label="pays", **options)
    save(judge(table).model, folder / "m.json")
    return table
