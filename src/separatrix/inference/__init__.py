"""After the verdict: what can be said of each coefficient, and with what certainty."""
