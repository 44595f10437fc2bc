"""Gradient descent on any error measure."""
