"""All consistent lines at once (Mitchell 1977): where they agree on an unseen row."""
