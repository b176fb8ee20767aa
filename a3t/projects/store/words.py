"""The words of a recording (words/0007.json), as the page shows them and as a transcript.

A token of a named speaker has the name in `speaker`, and the first one of a turn in its text as
well ("ANNA: Hello"). Changes know tokens by their ids, which stay when others are corrected.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from msgspec import Meta

from a3t.audio.reading.recording import Recording
from a3t.projects.store.record_files import StoredRecord
from a3t.source.records import AlignedRecording
from a3t.text.transcript import Transcript, TranscriptWord
from alignment import Word
from alignment.result import covering, stretch_word
from alignment.serialisation import OMITTED, Record

IDS = 100_000  # ids of one part's tokens: more than a part can have


@dataclass(frozen=True)
class Marks(Record):
    """A token's text with its marks and capitals, or without, and whether a pause follows."""

    text: str
    pause: bool


@dataclass(frozen=True)
class Token(Record):
    """A written word with its spoken words and their times.

    sure: how sure Whisper was of it, 0 to 1: the scores say how well its sound fits, and a wrong
    word's may fit. unmarked, marked: what it is without the marks that were restored, or with them.
    """

    id: int
    text: str
    words: Annotated[tuple[Word, ...], Meta(min_length=1)]
    pause: bool
    sure: float | None = field(default=None, metadata=OMITTED)
    speaker: str = field(default="", metadata=OMITTED)
    marked: Marks | None = field(default=None, metadata=OMITTED)
    unmarked: Marks | None = field(default=None, metadata=OMITTED)

    @property
    def start(self) -> float:
        """Seconds."""
        return self.words[0].start

    @property
    def end(self) -> float:
        """Seconds."""
        return self.words[-1].end

    @property
    def said(self) -> str:
        """Its text without the name of who says it."""
        return _without_name(self.text, self.speaker)

    def shown(self) -> list[Any]:
        """Return it as the page needs it: id, text without the name, start and end in seconds, how
        sure it is, pause after it, who says it."""
        score = min(word.score for word in self.words) if self.sure is None else self.sure
        times = (round(self.start, 4), round(self.end, 4))
        return [self.id, self.said, *times, round(score, 3), int(self.pause), self.speaker]

    def with_marks(self, marked: bool) -> Token:
        """Return it with the marks and capitals that were restored, or without."""
        now, was = (self.marked if marked else self.unmarked), Marks(self.text, self.pause)
        if now is None:
            return self
        known = (None, was) if marked else (was, None)
        return replace(self, text=now.text, pause=now.pause, marked=known[0], unmarked=known[1])

    def said_by(self, name: str, begins: bool) -> Token:
        """Return it said by somebody, or for "" by nobody that is named; ``begins`` a turn."""

        def named(text: str) -> str:
            said = _without_name(text, self.speaker)
            return f"{name}: {said}" if name and begins else said

        marked, unmarked = (
            each and replace(each, text=named(each.text)) for each in (self.marked, self.unmarked)
        )
        return replace(self, text=named(self.text), speaker=name, marked=marked, unmarked=unmarked)


def _without_name(text: str, speaker: str) -> str:
    return text.removeprefix(f"{speaker}:").strip() if speaker else text


@dataclass(frozen=True)
class HeardWords(StoredRecord):
    """A stretch of the recording as heard: its tokens, and the pauses around and between them.

    A pause is a word without text; it may name sound that no text has.
    """

    tokens: tuple[Token, ...] = ()
    pauses: tuple[Word, ...] = ()

    def aligned(self, recording: Recording) -> AlignedRecording:
        """Return the recording with all this as its transcript and alignment."""
        words = [word for token in self.tokens for word in token.words]
        alignment = covering(words, recording.seconds, 1.0, self.pauses)
        said = [
            TranscriptWord(word.text, token.text, token.pause and last, number, token.speaker)
            for number, token in enumerate(self.tokens)
            for k, word in enumerate(token.words)
            for last in [k == len(token.words) - 1]
        ]
        return AlignedRecording(recording, Transcript.of_tokens(said), alignment)

    def with_pauses(self, others: Iterable[Word], start: float, stop: float) -> HeardWords:
        """Return the same with these pauses instead of its own between two times, in seconds."""
        before = [_until(pause, stop=start) for pause in self.pauses if pause.start < start]
        after = [_until(pause, start=stop) for pause in self.pauses if pause.end > stop]
        return replace(self, pauses=(*before, *others, *after))

    def with_marks(self, marked: bool) -> HeardWords:
        """Return the same with the marks and capitals that were restored, or without."""
        return replace(self, tokens=tuple(token.with_marks(marked) for token in self.tokens))


def _from_1(data: Any) -> dict[str, Any]:
    """Format 1 had no number, and once was a list of tokens alone."""
    return {"tokens": data, "pauses": []} if isinstance(data, list) else data


HeardWords.migrations = (_from_1,)


def _until(pause: Word, start: float = 0.0, stop: float = float("inf")) -> Word:
    """The part of a pause between two times."""
    return stretch_word(pause, max(pause.start, start), min(pause.end, stop))


def places_of(tokens: Sequence[Token]) -> dict[int, int]:
    """Return the place of each token, by its id."""
    return {token.id: k for k, token in enumerate(tokens)}


def with_speakers(tokens: Sequence[Token], names: Mapping[int, str]) -> list[Token]:
    """Return the tokens, those of these ids said by these people; the first one of each turn has
    the name in its text."""
    result: list[Token] = []
    before = ""
    for token in tokens:
        name = names.get(token.id, token.speaker)
        result.append(token.said_by(name, name != before))
        before = name
    return result


def lines_of(said: Sequence[tuple[str, str]], first: int, last: int, text: str) -> tuple[str, str]:
    """Return the text of some tokens, each a speaker and what they say, and their text with another
    instead of those from `first` to `last`. Where several people are named, each turn is a line
    that begins with the name; an inserted text belongs to whoever says the word before it."""
    if first < last and said[first][0]:
        text = text.removeprefix(f"{said[first][0]}:").strip()
    new = [*said[:first]]
    if text:
        at = first if first < last else max(first - 1, 0)
        new.append((said[at][0] if said else "", text))
    new += said[last:]
    named = len({name for name, _ in said}) > 1
    return _lines(said, named), _lines(new, named)


def _lines(said: Iterable[tuple[str, str]], named: bool) -> str:
    lines: list[str] = []
    before = ""
    for name, text in said:
        if named and name and name != before:
            lines.append(f"\n{name}:")
            before = name
        lines.append(text)
    return " ".join(lines).replace(" \n", "\n").strip()
