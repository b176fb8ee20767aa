"""Punctuated text as words with tags, and windows of it that look like what a recogniser writes.

Lower case, no quotes, sentences run together, now and then a word too many, too few or wrong. The
marks are those of the IWSLT 2011 test set, and other marks become them as is usual there (Tilk &
Alumäe, Bidirectional recurrent neural network with attention mechanism for punctuation restoration,
2016): an exclamation mark and a semicolon a full stop, a colon and a dash a comma.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from a3t.text.punctuation.words_and_tags import (
    CASES,
    NUMBER,
    PAUSE_LENGTHS,
    TAGS,
    UNKNOWN_PAUSE,
    case_of,
    in_lower_case,
    pieces,
    written_pieces,
)
from training.text_lines import text_lines

IGNORED = 255  # the case of a word whose capital tells nothing: a figure, a sentence's first word
_OPENING, _CLOSING = "\"'“‘([{*_", "\"'”’)]}*_"
_DASH = re.compile(r"\s*(?:—|–|--+|\s-\s)\s*")
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr st messrs prof rev hon capt col gen lt sgt jr sr vs etc viz esq mt no vol".split()
)
_O, _COMMA, _PERIOD, _QUESTION = range(len(TAGS))


@dataclass(frozen=True)
class TaggedText:
    """Words (pieces, `a3t.text.punctuation.words_and_tags`) in order, with what follows each.

    tags: indices of TAGS. cases: indices of CASES, or IGNORED. starts: whether a paragraph begins.
    """

    words: tuple[str, ...]
    tags: np.ndarray
    cases: np.ndarray
    starts: np.ndarray

    def __len__(self) -> int:
        """Count the words."""
        return len(self.words)

    def first(self, count: int) -> TaggedText:
        """Return its first words."""
        return TaggedText(
            self.words[:count], self.tags[:count], self.cases[:count], self.starts[:count]
        )


def tagged(paragraphs: Iterable[str]) -> TaggedText:
    """Return the words of paragraphs with their tags."""
    words: list[str] = []
    tags: list[int] = []
    cases: list[int] = []
    starts: list[bool] = []
    for paragraph in paragraphs:
        first = len(words)
        begins = True  # a sentence, or what somebody says
        for token, follows in _tokens(paragraph):
            core = token.rstrip(_CLOSING)
            marks = re.search(r"[^\w]*$", token)[0]  # type: ignore[index]
            found = written_pieces(token)
            begins = begins or token[:1] in _OPENING
            for written in found:
                words.append(in_lower_case(written))
                is_clue = not begins and words[-1] != NUMBER
                cases.append(CASES.index(case_of(written)) if is_clue else IGNORED)
                tags.append(_O)
                starts.append(len(words) - 1 == first)
                begins = False
            if len(words) == first:
                continue
            tag = _tag(marks, core, follows) if found else _O
            if token.strip() == "—":
                tag = _COMMA
            tags[-1] = tags[-1] or tag
            begins = begins or tags[-1] in (_PERIOD, _QUESTION)
        if len(words) > first and tags[-1] == _O:
            tags[-1] = _PERIOD
    return TaggedText(
        tuple(words), np.array(tags, np.uint8), np.array(cases, np.uint8), np.array(starts)
    )


def _tokens(paragraph: str) -> Iterator[tuple[str, str]]:
    """Yield each token with the one that follows, dashes standing by themselves."""
    tokens = _DASH.sub(" — ", paragraph).split()
    yield from zip(tokens, [*tokens[1:], ""], strict=True)


def _tag(marks: str, core: str, follows: str) -> int:
    """Return the tag of a token that ends with ``marks`` (which may be closing quotes as well)."""
    goes_on = follows.lstrip(_OPENING + "—")[:1].islower()
    if "?" in marks:
        return _QUESTION
    if "!" in marks or "…" in marks:
        return _COMMA if goes_on else _PERIOD
    if "." in marks:
        word = core.rstrip(".").lower()
        is_initial = len(word) == 1 and word not in ("i", "a")
        abbreviates = word in _ABBREVIATIONS or "." in word or is_initial
        return _O if abbreviates and (goes_on or word in _ABBREVIATIONS or is_initial) else _PERIOD
    if ";" in marks:
        return _PERIOD
    return _COMMA if "," in marks or ":" in marks else _O


def read_paragraphs(path: Path) -> list[str]:
    """Read the lines of a text that aren't empty."""
    return [line.rstrip("\n") for line in text_lines(path) if line.strip()]


def read_tagged(path: Path) -> TaggedText:
    """Read a test set in the form of IWSLT 2011's: a word, a tab, its tag; a line each.

    Clitics stand apart there ("i", "'m"); here they go with their word, whose tag is the last's.
    """
    words: list[str] = []
    tags: list[int] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip():
            continue
        token, tag = line.split("\t")
        found = pieces(token)
        if words and (token.startswith(("'", "’")) or token in ("n't", "n’t")):
            words[-1] += token.replace("’", "'").lower()
            tags[-1] = TAGS.index(tag)  # type: ignore[arg-type]
            continue
        words += found
        tags += [_O] * len(found)
        if found:
            tags[-1] = TAGS.index(tag)  # type: ignore[arg-type]
    starts = np.zeros(len(words), bool)
    starts[:1] = True
    return TaggedText(
        tuple(words), np.array(tags, np.uint8), np.full(len(words), IGNORED, np.uint8), starts
    )


@dataclass(frozen=True)
class Spoilt:
    """Settings that make training text like a recogniser's.

    windows: the part of the windows that have errors. rate: of the words there. silent: the part of
    the windows without known pauses.
    """

    windows: float = 0.3
    rate: float = 0.06
    silent: float = 0.5


@dataclass(frozen=True)
class TaggedBatch:
    """B windows of T words; pauses, tags and cases are (B, T)."""

    texts: list[list[str]]
    pauses: np.ndarray
    tags: np.ndarray
    cases: np.ndarray

    def part(self, rank: int, processes: int) -> TaggedBatch:
        """Return the share of a process; where no text is left for it, the first one."""
        rows = list(range(len(self.texts)))[rank::processes] or [0]
        arrays = (self.pauses[rows], self.tags[rows], self.cases[rows])
        return TaggedBatch([self.texts[row] for row in rows], *arrays)


class TextWindows:
    """Batches of windows at random places, spoilt; the same for the same seed and step.

    ``pauses`` (4, PAUSE_LENGTHS) is how often each length of pause follows each tag, if known.
    """

    def __init__(
        self, text: TaggedText, length: int, count: int, spoilt: Spoilt, pauses: np.ndarray | None
    ):
        self.text, self.length, self.count, self.spoilt = text, length, count, spoilt
        self.words = np.array(text.words, object)
        self.pauses = None if pauses is None else pauses.cumsum(1)
        self.begins = np.flatnonzero(text.starts[: -2 * length])

    def batch(self, seed: int, step: int) -> TaggedBatch:
        """Draw the batch of step ``step``."""
        rng = np.random.default_rng((seed, step))
        firsts = rng.integers(0, len(self.words) - 2 * self.length, self.count)
        at_start = rng.random(self.count) < 0.3
        firsts = np.where(at_start, rng.choice(self.begins, self.count), firsts)
        rows = [self._row(rng, int(first)) for first in firsts]
        texts, tags, cases = zip(*rows, strict=True)
        tags = np.stack(tags)
        pauses = np.full(tags.shape, UNKNOWN_PAUSE)
        if self.pauses is not None:
            above = rng.random(tags.shape)[..., None] > self.pauses[tags]
            pauses = np.minimum(above.sum(-1), PAUSE_LENGTHS - 1)
            pauses[rng.random(self.count) < self.spoilt.silent] = UNKNOWN_PAUSE
        return TaggedBatch([text.tolist() for text in texts], pauses, tags, np.stack(cases))

    def _row(self, rng: np.random.Generator, first: int) -> tuple[np.ndarray, ...]:
        text, T, rate = self.text, self.length, self.spoilt.rate
        place = np.arange(first, first + 2 * T)
        tags, cases = text.tags[place], text.cases[place]
        if rng.random() >= self.spoilt.windows:
            return self.words[place[:T]], tags[:T], cases[:T]
        fault = rng.random(2 * T)
        gone, wrong = fault < rate / 3, (rate / 3 <= fault) & (fault < 2 * rate / 3)
        added = (2 * rate / 3 <= fault) & (fault < rate)
        for k in np.flatnonzero(gone & (tags > 0)):  # the mark stays, after the word before
            if k and not tags[k - 1]:
                tags[k - 1] = tags[k]
        # A wrong word, or one too many, is any word of the text.
        place = np.where(wrong, rng.integers(0, len(self.words), 2 * T), place)
        cases = np.where(wrong, IGNORED, cases)
        before = np.flatnonzero(added[~gone])
        place = np.insert(place[~gone], before, rng.integers(0, len(self.words), len(before)))[:T]
        tags = np.insert(tags[~gone], before, _O)[:T]
        cases = np.insert(cases[~gone], before, IGNORED)[:T]
        return self.words[place], tags, cases
