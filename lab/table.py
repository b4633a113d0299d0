# SPDX-License-Identifier: Apache-2.0
"""Aligned tables of text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def render(headers: Sequence[str], rows: Iterable[Sequence[object]], indent: str = "  ") -> str:
    """HEADERS and ROWS with columns as wide as they need; numbers to the right, text to the left."""
    cells = [[_text(cell) for cell in row] for row in rows]
    numeric = [bool(cells) and all(_is_number(row[i]) for row in cells) for i in range(len(headers))]
    widths = [max(len(line[i]) for line in [list(headers), *cells]) for i in range(len(headers))]

    def line(words: Sequence[str]) -> str:
        aligned = (
            word.rjust(width) if right else word.ljust(width)
            for word, width, right in zip(words, widths, numeric)
        )
        return (indent + "  ".join(aligned)).rstrip()

    return "\n".join(line(words) for words in [list(headers), *cells])


def _text(cell: object) -> str:
    if cell is None:
        return "-"
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)


def _is_number(word: str) -> bool:
    return word == "-" or word.replace(".", "", 1).replace("-", "", 1).isdigit()
