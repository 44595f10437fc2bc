"""The walks of the perceptron family: one row after another, weights turned at mistakes."""
