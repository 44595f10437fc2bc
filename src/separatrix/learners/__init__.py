"""One small file per learner; each says what it minimises, when it stops, what it proves."""
