"""Exact arithmetic on signed rows z_n = y_n (x0, x_n): what every proof stands on."""
