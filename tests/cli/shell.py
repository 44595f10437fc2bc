"""A table, and the command line as a shell runs it."""

GOOD = "age,sex,pays\n20,f,no\n25,m,no\n31,f,yes\n40,m,no\n44,f,yes\n52,m,yes\n58,f,yes\n23,f,no\n"
