"""Seeded draws."""

from __future__ import annotations

import numpy as np

rng = np.random.default_rng
