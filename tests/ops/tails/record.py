"""Record incomplete gamma and beta functions in their tails: run it with mpmath installed."""

import json
import pathlib
import random

import mpmath

HERE = pathlib.Path(__file__).parent
# The least result that is recorded; those below are not normal numbers.
LEAST = mpmath.mpf("1e-300")


def lower(a, x):
    """P(a, x) by its power series, all of whose terms are positive."""
    term = total = mpmath.mpf(1)
    n = 0
    while term > total * mpmath.eps:
        n += 1
        term *= x / (a + n)
        total += term
    return total * mpmath.exp(a * mpmath.log(x) - x - mpmath.loggamma(a + 1))


def upper(a, x):
    """Q(a, x) by the continued fraction, from its end."""
    b = mpmath.mpf(0)
    for n in range(6000, 0, -1):
        b = n * (a - n) / (x + 2 * n + 1 - a + b)
    return mpmath.exp(a * mpmath.log(x) - x - mpmath.loggamma(a)) / (x + 1 - a + b)


def beta(a, b, x):
    """I_x(a, b) by a power series of positive terms."""
    term = total = mpmath.mpf(1)
    n = 0
    while term > total * mpmath.eps:
        term *= (a + b + n) / (a + 1 + n) * x
        total += term
        n += 1
    logs = mpmath.loggamma(a + b) - mpmath.loggamma(a + 1) - mpmath.loggamma(b)
    return total * mpmath.exp(a * mpmath.log(x) + b * mpmath.log(1 - x) + logs)


def points(draw):
    """Places of parameters from 0.3 to 10^5, from the middle out to where results vanish."""
    for _ in range(60):
        yield 10 ** draw.uniform(-0.5, 5), draw.uniform(0.5, 36)


def gammas(draw):
    for a, deviations in points(draw):
        x = a - deviations * a**0.5
        if x > 0:
            yield "igamma", [a, x]
        yield "igammac", [a, a + deviations * a**0.5 + 1]


def betas(draw):
    for a, deviations in points(draw):
        b = 10 ** draw.uniform(-0.5, 5)
        middle, spread = a / (a + b), (a * b / (a + b + 1)) ** 0.5 / (a + b)
        for x in (middle - deviations * spread, middle / (1 + deviations)):
            if 0 < x < 1:
                yield "betainc", [a, b, x]


def main():
    """Write one file: a function, its arguments and its value each."""
    mpmath.mp.dps = 60
    draw = random.Random(3)
    functions = {"igamma": lower, "igammac": upper, "betainc": beta}
    found = []
    for name, args in [*gammas(draw), *betas(draw)]:
        value = functions[name](*map(mpmath.mpf, args))
        if value > LEAST:
            found.append([name, args, float(value)])
    lines = [json.dumps(entry) for entry in found]
    (HERE / "tails.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(len(lines), "values")


if __name__ == "__main__":
    main()
