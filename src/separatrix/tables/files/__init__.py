"""The files that tables come in: their bytes, read once, and each format's cells."""
