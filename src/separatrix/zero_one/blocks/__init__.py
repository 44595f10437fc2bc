"""The fewest mistakes on tables in blocks."""
