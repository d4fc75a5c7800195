"""Mutations of inputs, by a seeded generator: for runs that are the same on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

_TELLING = bytes([0, 1, 0x7F, 0x80, 0x81, 0x8F, 0x90, 0xA0, 0xC0, 0xC1, 0xC4, 0xC6, 0xD9, 0xDC])
"""Bytes at which msgpack or a length turns into something else."""
MOST_BYTES = 70_000


def mutated(corpus: Sequence[bytes], random: Random) -> bytes:
    """One of *corpus*, changed in one to eight places."""
    data = bytearray(random.choice(corpus))
    for _ in range(1 << random.randrange(4)):
        _mutate(data, corpus, random)
    return bytes(data[:MOST_BYTES])


def _mutate(data: bytearray, corpus: Sequence[bytes], random: Random) -> None:
    at = random.randrange(len(data) + 1)
    end = min(len(data), at + random.choice((1, 2, 4, 32, 64, 500)))
    match random.randrange(9):
        case 0 if at < len(data):
            data[at] ^= 1 << random.randrange(8)
        case 1 if at < len(data):
            data[at] = random.choice(_TELLING)
        case 2:
            data[at:end] = random.randbytes(end - at)
        case 3:
            del data[at:end]
        case 4:
            data[at:at] = random.randbytes(random.randrange(1, 40))
        case 5:
            data[at:at] = data[at:end] * random.randrange(1, 4)
        case 6:  # a part of another
            other = random.choice(corpus)
            start = random.randrange(len(other) + 1)
            data[at:end] = other[start : start + random.randrange(1, 700)]
        case 7:
            del data[at:]
        case _:
            data += random.choice(corpus)
