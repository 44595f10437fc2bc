"""Every algorithm of the course in its textbook form: to be read first, and compared with.

Ordinary Python on lists of rows, one small file each, nothing imported but the standard library and
the files beside it. Nothing here is fast. The learners of `separatrix` do the same work in compiled
code, and ``tests/plain/test_fast_equals_plain.py`` says for each of them that it does.

Three conventions hold in every file. A row is x = (1, x_1, ..., x_d), the constant first
(`score.with_constant` puts it there); a label is the integer -1 or +1; w has as many numbers as a
row, w_0 first. Numbers may be int, float or Fraction. With floats each step rounds as the compiled
learner rounds; with integers and Fractions nothing rounds. The *sign* of a score is always exact.

In reading order, with the lecture of Lin's *Machine Learning Foundations*:

The perceptron (2)
    score                   w.x, what sign(0) is, what a mistake is
    visits                  which mistake is corrected next: cyclic, permuted, naive, random
    pla                     the perceptron learning algorithm, and why it stops: T <= (R / rho)^2
Is there a line? (2)
    elimination             Gauss: a system of equations, a null space
    separability            in the plane by separating axes; in general by Fourier and Motzkin
Data that no line separates (2)
    pocket                  PLA that keeps the best line it meets; Gallant's ratchet
    fewest_mistakes         of any line: in the plane, and in any number of columns
    coordinate_descent_01   best point of one line after the other
Relatives of the perceptron
    averaged_perceptron     the mean of all weights on the way
    voted_perceptron        a vote of all weights on the way
    margin_perceptron       corrects rows that are right, but only just
    passive_aggressive      the least change that gives a row the score 1
    dual_perceptron         counts instead of weights, kernels instead of inner products
Errors that are smooth (8 to 11)
    error_measures          0/1, perceptron, squared, cross-entropy, and their slopes
    linear_regression       the squared error in one step
    gradient_descent        any of them, by all rows at once, by a few, or by one
    logistic_regression     the cross-entropy, by Newton's method
    firth_logistic_regression  the cross-entropy with Jeffreys' penalty, always finite
"""
