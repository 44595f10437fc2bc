"""One small file per peer; each adapter answers with an `Answer` (see `benchmarks.answer`)."""
