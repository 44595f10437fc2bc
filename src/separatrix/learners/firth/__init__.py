"""Firth's penalised likelihood: its maxima, the ends of its profiles, and lines for predictions."""
