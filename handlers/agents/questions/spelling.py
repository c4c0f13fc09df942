"""Endings of Russian words, transliteration, and mistakes of typing."""

from __future__ import annotations

from collections.abc import Iterator

_ENDINGS = frozenset((
    "а", "я", "о", "е", "у", "ю", "ы", "и", "ь", "й", "ой", "ей", "ою", "ею", "ью", "ом", "ем", "ам", "ям", "ах",
    "ях", "ами", "ями", "ов", "ев", "ого", "его", "ому", "ему", "ым", "им", "ых", "их", "ую", "юю", "ая", "яя", "ое",
    "ее", "ые", "ие", "ий", "ый", "ии", "ию", "ия",
))  # fmt: skip
_LONGEST_ENDING = 3
_VOWELS = "аеиоуыэюяьй"
_INFLECTED_FROM = 4
"""Length from which a Russian word has endings; shorter ones are abbreviations."""
_LATIN = dict(zip("абвгдежзийклмнопрстуфхцчшщъыьэюя", (
    "a", "b", "v", "g", "d", "e", "zh", "z", "i", "y", "k", "l", "m", "n", "o", "p", "r", "s", "t", "u", "f", "kh",
    "ts", "ch", "sh", "shch", "", "y", "", "e", "yu", "ya",
), strict=True))  # fmt: skip


def stem(word: str) -> str:
    """Return a lower-case Russian *word* without its ending; any other word as it is."""
    if len(word) < _INFLECTED_FROM or not is_russian(word):
        return word
    if word.endswith(("ый", "ий", "ая", "яя", "ое", "ее", "ые", "ие")) and len(word) > _INFLECTED_FROM + 1:
        return word[:-2]
    return word[:-1] if word[-1] in _VOWELS else word


def possible_stems(word: str) -> Iterator[str]:
    """Yield the stems that *word* can have, itself first."""
    yield word
    if is_russian(word):
        yield from (word[:-length] for length in range(1, _LONGEST_ENDING + 1) if word[-length:] in _ENDINGS)


def is_inflected(word: str) -> bool:
    """Return whether a word in its first form takes endings."""
    return len(word) >= _INFLECTED_FROM and is_russian(word)


def is_adjective(word: str) -> bool:
    """Return whether *word* looks like an adjective in its first form."""
    return word.endswith(("ый", "ий", "ая", "яя", "ое", "ее", "ые", "ие"))


def is_russian(word: str) -> bool:
    """Return whether a lower-case *word* ends with a Russian letter."""
    return "а" <= word[-1:] <= "я"


def transliterate(word: str) -> str:
    """Return a lower-case Russian *word* in Latin letters."""
    return "".join(_LATIN.get(letter, letter) for letter in word)


def is_one_mistake(first: str, second: str) -> bool:
    """Return whether one letter added, left out, replaced or swapped makes both equal."""
    if first == second or abs(len(first) - len(second)) > 1:
        return False
    start = next(
        (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )
    first, second = first[start:], second[start:]
    if len(first) == len(second):
        return first[1:] == second[1:] or (first[:2] == second[1::-1] and first[2:] == second[2:])
    return first[1:] == second if len(first) > len(second) else first == second[1:]
