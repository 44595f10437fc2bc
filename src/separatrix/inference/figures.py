"""Figures of a whole model: what R prints below a table of coefficients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, fdtrc

from separatrix.said import Said

DEVIANCES = "deviance", "null_deviance", "aic"


@dataclass(frozen=True, slots=True)
class LogisticFigures:
    """Figures of a logistic regression."""

    n: float  # rows, a weight of k counted k times
    n_yes: float  # those that are yes
    n_parameters: int  # coefficients that can be chosen freely, the intercept included
    n_null: int  # those of the model of the intercept alone: 1, or 0 without one
    log_likelihood: float  # at the maximum, or its supremum where no finite optimum exists
    null_log_likelihood: float  # of the model of the intercept alone
    tjur_r2: float  # mean fitted probability of the yes rows less that of the no rows (Tjur 2009)

    @property
    def deviance(self) -> float:
        """Minus twice the log-likelihood."""
        return 0.0 - 2.0 * self.log_likelihood

    @property
    def null_deviance(self) -> float:
        """The deviance of the model of the intercept alone."""
        return -2.0 * self.null_log_likelihood

    @property
    def aic(self) -> float:
        """Akaike's criterion: the deviance plus twice the number of parameters."""
        return self.deviance + 2.0 * self.n_parameters

    @property
    def chi2(self) -> float:
        """The likelihood-ratio statistic of "all coefficients but the intercept are 0"."""
        return max(0.0, self.null_deviance - self.deviance)

    @property
    def degrees(self) -> int:
        return self.n_parameters - self.n_null

    @property
    def p(self) -> float:
        return chi2_tail(self.chi2, self.degrees)

    @property
    def mcfadden_r2(self) -> float:
        """1 - l / l of the model of the intercept alone (McFadden 1974)."""
        return 1.0 - self.log_likelihood / self.null_log_likelihood

    @property
    def events(self) -> str:
        """Rows that are yes, and that are no: "47 events, 32 non-events"."""
        return Said("{yes:g} events, {no:g} non-events", yes=self.n_yes, no=self.n - self.n_yes)

    def as_data(self) -> dict[str, float]:
        """Return every figure under its name."""
        of_model = {f"model_{name}": getattr(self, name) for name in ("chi2", "degrees", "p")}
        first = "n", "n_yes", "n_parameters", "log_likelihood", "null_log_likelihood", *DEVIANCES
        found = {name: getattr(self, name) for name in first} | of_model
        return found | {"mcfadden_r2": self.mcfadden_r2, "tjur_r2": self.tjur_r2}

    def lines(self) -> list[str]:
        """Return what R prints below its table."""
        rest = self.n - self.n_parameters
        return [
            Said(
                "Null deviance: {null} on {of_null:g} degrees of freedom. Residual deviance: "
                "{deviance} on {rest:g}.",
                null=shown(self.null_deviance), of_null=self.n - self.n_null,
                deviance=shown(self.deviance), rest=rest,
            ),
            Said(
                "N {n:g} ({events}), log-likelihood {log}, AIC {aic}.",
                n=self.n, events=self.events, log=shown(self.log_likelihood), aic=shown(self.aic),
            ),
            Said(
                "McFadden R2 {mcfadden:.4f}, Tjur R2 {tjur:.4f}.",
                mcfadden=self.mcfadden_r2, tjur=self.tjur_r2,
            ),
            Said(
                "Likelihood ratio test of the model: chi2 {chi2} on {degrees} degrees of freedom, "
                "p {p}.",
                chi2=shown(self.chi2), degrees=self.degrees, p=p_value(self.p),
            ),
        ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class LinearFigures:
    """Figures of a linear regression."""

    n: float
    n_parameters: int
    n_null: int
    deviance: float  # the sum of weight (y - w.x)^2
    null_deviance: float  # the same about the mean of y; about 0 without an intercept

    @property
    def degrees(self) -> float:
        return self.n - self.n_parameters

    @property
    def sigma(self) -> float:
        """The residual standard error; NaN where no degree of freedom is left."""
        return float(np.sqrt(self.deviance / self.degrees)) if self.degrees > 0 else np.nan

    @property
    def r2(self) -> float:
        """The share of the squares that the line explains."""
        return 1.0 - self.deviance / self.null_deviance if self.null_deviance else np.nan

    @property
    def adjusted_r2(self) -> float:
        """R^2 less what as many columns of noise would explain."""
        if not self.degrees > 0:
            return np.nan
        return 1.0 - (1.0 - self.r2) * (self.n - self.n_null) / self.degrees

    @property
    def f(self) -> float:
        """The statistic of "all coefficients but the intercept are 0"."""
        k = self.n_parameters - self.n_null
        explained = self.null_deviance - self.deviance
        return explained / k / self.sigma**2 if k and self.sigma else np.nan

    @property
    def f_p(self) -> float:
        k = self.n_parameters - self.n_null
        return float(fdtrc(k, self.degrees, self.f)) if k else np.nan

    @property
    def log_likelihood(self) -> float:
        """Of normal residuals, at the maximum over their variance."""
        return float(-self.n / 2.0 * (np.log(2.0 * np.pi * self.deviance / self.n) + 1.0))

    @property
    def aic(self) -> float:
        """Akaike's criterion; the variance counts as a parameter, as in R."""
        return 2.0 * (self.n_parameters + 1) - 2.0 * self.log_likelihood

    def as_data(self) -> dict[str, float]:
        """Return every figure under its name."""
        names = "n", "n_parameters", "log_likelihood", *DEVIANCES
        of_line = "sigma", "r2", "adjusted_r2", "f", "f_p"
        return {name: getattr(self, name) for name in (*names, *of_line)}

    def lines(self) -> list[str]:
        """Return what R prints below its table."""
        k = self.n_parameters - self.n_null
        return [
            f"Residual standard error: {shown(self.sigma)} on {self.degrees:g} degrees of freedom.",
            f"N {self.n:g}, R2 {self.r2:.4f}, adjusted R2 {self.adjusted_r2:.4f}, "
            f"log-likelihood {shown(self.log_likelihood)}, AIC {shown(self.aic)}.",
            f"F {shown(self.f)} on {k} and {self.degrees:g} degrees of freedom, "
            f"p {p_value(self.f_p)}.",
        ]


Figures = LogisticFigures | LinearFigures


def chi2_tail(chi2: float, degrees: int) -> float:
    """Return P(X >= chi2) for a chi-square X; 1 without a degree of freedom."""
    return float(chdtrc(degrees, chi2)) if degrees else 1.0


def shown(value: float) -> str:
    """Return a figure with six significant digits."""
    return f"{value + 0.0:.6g}"


def p_value(p: float) -> str:
    """Return a p-value as R formats it: 0.0123, 1.2e-05, <2e-16."""
    if np.isnan(p):
        return "-"
    return "<2e-16" if p < 2e-16 else f"{p:.3g}"
