"""All consistent lines at once (Mitchell 1977): where they agree on an unseen row.

In reading order: `agreement` is the public `agree`; it asks `separating_lines`, or, where no line
separates, `fewest_mistake_lines`: all lines with the fewest mistakes.
"""
