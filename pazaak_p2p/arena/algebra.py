"""The little linear algebra that ratings need: matrices of as many rows as there are players."""

from __future__ import annotations

from collections.abc import Sequence


def times(matrix: Sequence[Sequence[float]], vector: Sequence[float]) -> list[float]:
    """The product of *matrix* and *vector*."""
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def inverse(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """The inverse of a regular square *matrix*, by Gauss and Jordan with pivoting.

    Raises ``ZeroDivisionError`` for a singular one.
    """
    size = len(matrix)
    rows = [[*row, *(float(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda i: abs(rows[i][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        head = rows[column][column]
        rows[column] = [value / head for value in rows[column]]
        for i in range(size):
            factor = rows[i][column]
            if i != column and factor:
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[column], strict=True)]
    return [row[size:] for row in rows]
