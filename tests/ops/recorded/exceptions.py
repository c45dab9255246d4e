"""Where ferrograph differs on purpose from what is recorded, and why.

A difference is one of these where the name of its case matches the pattern and the arguments, and
what is recorded, satisfy the condition. Each must be met by a difference, so that the list shrinks.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from .edges import LIMITS


@dataclass(frozen=True)
class Exception_:
    """Differences that stand for one reason."""

    pattern: str
    reason: str
    # Of the case, the place in it, ours and what is recorded.
    when: Callable = lambda case, at, ours, theirs: True

    def covers(self, case, difference):
        """Whether a difference is one of these."""
        return fnmatchcase(case.key, self.pattern) and self.when(case, *difference)


def argument(case, at):
    """The first argument at a place."""
    return case.args[0][0][at]


def limit(case, at, ours, theirs):
    """What stands where a function ends."""
    x = argument(case, at)
    return (x == 0 or math.isinf(x)) and not math.isnan(ours) and math.isnan(theirs)


def near(tolerance):
    """Values that differ by so much at most."""

    def when(case, at, ours, theirs):
        return at is not None and abs(ours - theirs) <= tolerance * abs(theirs)

    return when


def both_finite(case, at, ours, theirs):
    return math.isfinite(ours) and math.isfinite(theirs)


def tiny_quotient(case, at, ours, theirs):
    """A quotient below the normal range, which is flushed to zero there and rounded down here."""
    a, b = (values[at] for values, _ in case.args)
    return ours == -1 and theirs == 0 and abs(a / b) < 1e-4


def small(case, at, ours, theirs):
    """A complex number whose square is below the normal range."""
    return abs(argument(case, at)) ** 2 < LIMITS[case.args[0][1]][1]


def zero_base(case, at, ours, theirs):
    power = case.args[1][0][at]
    return argument(case, at) == 0 and (power == 0 or power.real > 0)


def nearly(case, at, ours, theirs):
    """Complex numbers that differ in the last of thirteen digits."""
    slack = 1e-12 * max(map(abs, theirs))
    return all(abs(a - b) < slack for a, b in zip(ours, theirs, strict=True))


def infinite(case, at, ours, theirs):
    """A complex result with an infinite part."""
    return any(math.isinf(part) for part in ours)


EXCEPTIONS = (
    Exception_(
        "math.erf float64",
        "NaN is recorded at infinity, where the error function is 1",
        lambda case, at, ours, theirs: math.isinf(argument(case, at)),
    ),
    Exception_(
        "math.erf*inv *",
        "infinity is recorded just outside of the domain",
        lambda case, at, ours, theirs: math.isnan(ours) and math.isinf(theirs),
    ),
    Exception_("nn.gelu bfloat16", "each step is rounded, which the tails multiply", near(0.15)),
    Exception_("slope of nn.gelu *", "the recorded slope is less accurate", near(1e-6)),
    Exception_("nn.leaky_relu float64", "the slope is recorded as a float32", near(1e-7)),
    Exception_("sign complex*", "0 is recorded where the square of the size vanishes", small),
    Exception_(
        "math.floordiv *", "a quotient below the normal range is flushed to zero", tiny_quotient
    ),
    Exception_("pow complex*", "0 to the power of 0 is 1, to others 0, as in Python", zero_base),
    Exception_("pow complex128", "the phase of a large logarithm is rounded", nearly),
    Exception_("pow complex*", "the phase of an infinite power is that of its logarithm", infinite),
    Exception_("multiply complex*", "products of parts overflow before they cancel", infinite),
    Exception_(
        "saturate_cast * to *int64",
        "the limit is recorded as 2**63, which no int64 holds, and overflows",
        lambda case, at, ours, theirs: at is not None and theirs in (-(2**63), 2**63, 0),
    ),
    Exception_("saturate_cast int64 to *", "the recorded limits overflow: all is clipped to one"),
    Exception_("math.cumulative_logsumexp nan*", "NaN spreads, as in cumsum and reduce_logsumexp"),
    Exception_(
        "nn.softmax *",
        "a row with NaN or infinity is NaN throughout, as recorded for float64",
        lambda case, at, ours, theirs: math.isnan(ours) and theirs == 0,
    ),
    Exception_(
        "softmax_cross_entropy *",
        "a label of 0 takes nothing of the loss, where the recorded product with infinity is NaN",
        lambda case, at, ours, theirs: math.isfinite(ours) and math.isnan(theirs),
    ),
    Exception_(
        "math.*bessel_*",
        "NaN is recorded at infinity and at poles, where the functions have a limit",
        limit,
    ),
    Exception_(
        "math.special.[es]*",
        "NaN is recorded at infinity, where the functions have a limit",
        limit,
    ),
    Exception_("unicode_script", "103, none, is recorded for letters of later editions of Unicode"),
    Exception_("ctc_loss*", "the recorded slopes are sums in single precision", near(1e-4)),
    Exception_("unique zeros *", "0.0 and -0.0 are one number, as recorded for float32"),
)
