"""The spreadsheet of a credit analyst: all that makes 400 rows hard to read, as people write it."""

import csv
import io

import numpy as np

HEADER = (
    "customer_id", "name_note", "since", "zip", "income", "rate", "owns_home", "job", "children",
    "years_employed", "defaulted",
)  # fmt: skip


def euros(value: float) -> str:
    return "€ " + f"{value:,.2f}".replace(",", " ").replace(".", ",").replace(" ", ".")


def messy_csv(n: int = 400, seed: int = 0, delimiter: str = ";") -> str:
    """Return the table as text: `n` rows, the answer in the last column."""
    random = np.random.default_rng(seed)
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(HEADER)
    for k in range(n):
        income = float(np.exp(random.normal(7.6, 0.5)))
        rate = float(random.uniform(1.5, 9.0))
        home = random.choice(
            ["yes", "Yes", "Y", "NO", "no", "n", ""], p=[0.2, 0.2, 0.1, 0.2, 0.1, 0.1, 0.1]
        )
        job = random.choice(
            ["employed", "Employed", "self-employed", "student", "retired", "diplomat", " "],
            p=[0.4, 0.2, 0.15, 0.1, 0.08, 0.01, 0.06],
        )
        day = np.datetime64("2021-01-01") + int(random.integers(0, 1700))
        years = "" if random.random() < 0.08 else str(int(random.integers(0, 30)))
        score = (rate - 5) - (income - 2200) / 900 + random.normal(0, 1.2)
        writer.writerow(
            [
                f"C{10_000 + k}",
                f"remark {k} of the branch",
                str(day.astype("datetime64[D]"))[8:] + "." + str(day)[5:7] + "." + str(day)[:4],
                f"{int(random.integers(1067, 99998)):05d}",
                "" if random.random() < 0.05 else euros(income),
                f"{rate:.2f} %".replace(".", ","), home, job, int(random.integers(0, 5)), years,
                random.choice(["yes", "Yes"]) if score > 0 else random.choice(["no", "No "]),
            ]
        )  # fmt: skip
    return out.getvalue()
