"""Course material: data with a known target, and the experiments of the lectures."""
