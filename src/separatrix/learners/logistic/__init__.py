"""The least cross-entropy of a line: `cross_entropy` drives solvers, `certify` bounds the gap."""
