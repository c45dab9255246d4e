"""Seeds that lead a stateless operation to a given place of its generator."""

from __future__ import annotations

__all__ = ["seed_leading_to"]

_WORD = 2**32
_ROUNDS = 10
# The multipliers and the steps of the key of Philox-4x32 (Salmon et al., Supercomputing 2011).
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_STEPS = (0x9E3779B9, 0xBB67AE85)
_INVERSES = tuple(pow(m, -1, _WORD) for m in _MULTIPLIERS)
# The key by which a seed is scrambled.
_KEY = (0x3EC8F720, 0x02461E29)


def seed_leading_to(key: int, counter: int) -> list[int]:
    """The two integers from which a stateless operation draws by this key, and from the counter
    whose upper half this is: what scrambling a seed gives, traced back.
    """
    words = [part >> shift & _WORD - 1 for part in (key, counter) for shift in (0, 32)]
    for n in reversed(range(_ROUNDS)):
        words = _round_before(words, n)
    seeds = (words[0] | words[1] << 32, words[2] | words[3] << 32)
    return [seed - 2**64 if seed >= 2**63 else seed for seed in seeds]


def _round_before(words: list[int], n: int) -> list[int]:
    """The block from which round ``n`` makes this one."""
    first, second = (key + n * step for key, step in zip(_KEY, _STEPS, strict=True))
    c0 = words[3] * _INVERSES[0] % _WORD
    c2 = words[1] * _INVERSES[1] % _WORD
    c1 = words[0] ^ _MULTIPLIERS[1] * c2 >> 32 ^ first % _WORD
    c3 = words[2] ^ _MULTIPLIERS[0] * c0 >> 32 ^ second % _WORD
    return [c0, c1, c2, c3]
