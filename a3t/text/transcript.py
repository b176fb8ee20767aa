"""A text, the words that are spoken for it, and the turns of those who say them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import overload

from a3t.errors import InputError
from a3t.spans import Span
from a3t.text.markup import emphasised, parted_at_pauses
from a3t.text.normaliser.normalise import Conventions, SpokenToken, normalise
from a3t.text.normaliser.unspoken import is_name, names_of_lines
from alignment.formats.transcripts.cues import TranscriptFile, written_name
from alignment.formats.transcripts.kinds import parse_transcript
from alignment.serialisation import OMITTED, Record

MARKS = (",", ".", "?", ":", "—")
"""Kinds of punctuation that a reader makes heard: ! is a full stop, a semicolon a colon."""
ASKING = frozenset("what who whom whose which when where why how".split())
BEFORE_ASKING = frozenset(
    "and but so or then well now oh okay yes no to for in on at by from of with about under until "
    "since".split()
)


@dataclass(frozen=True)
class TranscriptWord(Record):
    """One spoken word (lower case, a–z and apostrophe), its written token and its speaker."""

    text: str
    written: str
    pause_after: bool
    token: int
    speaker: str = field(default="", metadata=OMITTED)

    def in_token(self, number: int) -> TranscriptWord:
        """Return the same word of another written token."""
        return replace(self, token=number)

    @property
    def names_speaker(self) -> bool:
        """True if what is written for it begins with the name of who says it."""
        return bool(self.speaker) and self.written.startswith(f"{self.speaker}:")

    @property
    def without_name(self) -> str:
        """The written word, without the name of who says it."""
        name, written = self.speaker, self.written
        place = written.find(f"{name}:") if name else -1
        if place < 0 or written[:place].strip("> "):
            return written
        return written[place + len(name) + 1 :].lstrip()

    @property
    def mark(self) -> str:
        """The kind of punctuation that follows it: one of MARKS, or "" if nothing pauses there."""
        if not self.pause_after:
            return ""
        closing = self.written.rstrip("\"'”’»)]}* ")
        if closing.endswith(("?", "?!", "!?")):
            return "?"
        if closing.endswith((".", "!", "…")):
            return "."
        if closing.endswith((":", ";")):
            return ":"
        if closing[-1:].isalnum():  # the end of a title or a paragraph
            return "."
        return "—" if closing.endswith(("—", "–", "-")) else ","


@dataclass(frozen=True)
class Transcript(Record):
    """A text as written, and its spoken words in order.

    A written token may speak as several words ("$5" -> "five dollars"): they share `token` and
    `written`, and only the last of them can have `pause_after`.
    """

    text: str
    words: tuple[TranscriptWord, ...]
    pauses: tuple[tuple[int, float], ...] = ()  # (words before it, seconds) of each [pause]
    emphasis: frozenset[int] = frozenset()  # the words between asterisks

    @classmethod
    def from_text(cls, text: str, conventions: Conventions | None = None) -> Transcript:
        """Normalise a text; raises InputError (one sentence) if it can't be spoken.

        [pause 0.4] and *emphasis* (`a3t.text.markup`) aren't words: they stand in `pauses`, where
        a [pause] without a length has 0, and in `emphasis`.
        """
        tokens: list[SpokenToken] = []
        pauses: dict[int, float] = {}
        place = 0
        conventions = conventions or conventions_of(text)
        for piece, seconds in parted_at_pauses(text):
            if any(map(str.isalnum, piece)) or (seconds is None and not (tokens or pauses)):
                found = normalise(piece, conventions)
                place += sum(len(token.words) for token in found)
                tokens += found
            if seconds is not None:
                pauses[place] = pauses.get(place, 0.0) + seconds
        if not tokens:
            raise InputError("The text has no words to speak: write at least one English word.")
        stressed = emphasised([token.written for token in tokens], text)
        words: list[TranscriptWord] = []
        emphasis: set[int] = set()
        for index, token in enumerate(tokens):
            written = token.written.replace("*", "") if stressed[index] else token.written
            for position, word in enumerate(token.words):
                if stressed[index]:
                    emphasis.add(len(words))
                paused = token.pause_after and position == len(token.words) - 1
                words.append(TranscriptWord(word, written, paused, index, token.speaker))
        return cls(text, tuple(words), tuple(sorted(pauses.items())), frozenset(emphasis))

    @classmethod
    def of_spoken(cls, words: Sequence[str]) -> Transcript:
        """Make a text of a recogniser's spoken words, each written as it is spoken."""
        spoken = (TranscriptWord(word, word, False, k) for k, word in enumerate(words))
        return cls(" ".join(words), tuple(spoken))

    @classmethod
    def joined(cls, parts: Iterable[Transcript]) -> Transcript:
        """Join several texts into one, in which each is read as it was."""
        text = ""
        words: list[TranscriptWord] = []
        pauses: list[tuple[int, float]] = []
        emphasis: set[int] = set()
        for part in parts:
            count, token = len(words), words[-1].token + 1 if words else 0
            if part.words:
                by = token - part.words[0].token
                words += [word.in_token(word.token + by) for word in part.words]
                text += ("\n" if part.words[0].names_speaker else " ") + part.text
            pauses += [(count + place, seconds) for place, seconds in part.pauses]
            emphasis |= {count + word for word in part.emphasis}
        return cls(text[1:], tuple(words), tuple(pauses), frozenset(emphasis))

    @classmethod
    def of_tokens(cls, words: Sequence[TranscriptWord]) -> Transcript:
        """Make a text of words, with new token numbers.

        One token's words stand together, and what names a speaker begins a line.
        """
        numbered: list[TranscriptWord] = []
        before: tuple[int, str] | None = None
        for word in words:
            here = (word.token, word.written)
            number = numbered[-1].token + (here != before) if numbered else 0
            numbered.append(word.in_token(number))
            before = here
        written = {
            word.token: f"\n{word.written}" if word.names_speaker else word.written
            for word in numbered
        }
        return cls(" ".join(written.values()).replace(" \n", "\n").lstrip(), tuple(numbered))

    @cached_property
    def spoken(self) -> tuple[str, ...]:
        """The spoken words, for the aligner, the pronouncer and the edit script."""
        return tuple(word.text for word in self.words)

    @property
    def is_punctuated(self) -> bool:
        """True if there is any mark at which a reader would pause, be it at the end."""
        return any(word.pause_after and not word.written[-1].isalnum() for word in self.words)

    def written(self, first: int, last: int) -> str:
        """Return the text as written behind words [first, last), whole tokens; "" for none."""
        tokens = {word.token: word.written for word in self.words[first:last]}
        return " ".join(tokens.values())

    def said(self, first: int, last: int) -> str:
        """Return `written` without the names of who says it."""
        tokens = {word.token: word for word in self.words[first:last]}
        return " ".join(word.without_name for word in tokens.values())

    def part(self, first: int, last: int) -> Transcript:
        """Return words [first, last) as a text, with the pauses between them and the emphasis.

        Both are marked in what is written (`a3t.text.markup`).
        """
        words = self.words[first:last]
        pauses = tuple((k - first, x) for k, x in self.pauses if first < k < last)
        emphasis = frozenset(k - first for k in self.emphasis if first <= k < last)
        before, written = dict(pauses), []
        for k, word in enumerate(words):
            if k in before:
                written.append(f"[pause {before[k]:g}]" if before[k] else "[pause]")
            if k == 0 or word.token != words[k - 1].token:
                written.append(f"*{word.written}*" if k in emphasis else word.written)
        return Transcript(" ".join(written), words, pauses, emphasis)

    def written_as(self, text: str) -> Transcript:
        """Return the same words with other marks and capitals; itself if words would differ."""
        other = Transcript.from_text(text)
        return other if other.spoken == self.spoken else self

    def read_by(self, conventions: Conventions) -> Transcript:
        """Return the text, read by other conventions.

        It stays itself if its words are not all of its text's, or are read otherwise already.
        """
        own, other = (Transcript.from_text(self.text, each) for each in (None, conventions))
        return other if own.spoken == self.spoken else self

    @property
    def shown(self) -> list[str]:
        """The text that subtitles show for each spoken word: its written token, shown once."""
        before = [None, *(word.token for word in self.words)]
        return [
            "" if word.token == token else word.written
            for word, token in zip(self.words, before, strict=False)
        ]

    def without(self, words: Collection[int]) -> Transcript:
        """Return the text without these words, which are all those of their tokens."""
        gone = {self.words[k].token: self.words[k].without_name for k in words}
        text, end = "", 0
        for token, written in {word.token: word.without_name for word in self.words}.items():
            start = self.text.find(written, end)
            if start < 0:
                break
            before, end = self.text[end:start], start + len(written)
            text += before.rstrip(" ") if token in gone else before + written
        kept = [word for k, word in enumerate(self.words) if k not in words]
        if not kept:
            return replace(self, words=())
        return Transcript.of_tokens(kept).written_as((text + self.text[end:]).strip())

    def of_words(self, ranges: Sequence[Span]) -> Transcript:
        """Return the same text with only the words [first, last) of each range, in order."""
        kept = [k for first, last in ranges for k in range(first, last)]
        place = {k: n for n, k in enumerate(kept)}
        return Transcript(
            self.text,
            tuple(self.words[k] for k in kept),
            tuple((place[k], x) for k, x in self.pauses if k in place),
            frozenset(place[k] for k in self.emphasis if k in place),
        )


@overload
def parsed(text: str | Transcript) -> Transcript: ...
@overload
def parsed(text: str | Transcript | None) -> Transcript | None: ...
def parsed(text: str | Transcript | None) -> Transcript | None:
    """Return a user's text as a transcript; one that is, or None, itself.

    It is read in one way, whether it was typed, came in a request or stands in a file
    (`alignment.formats.transcripts`). Errors as for `from_text`.
    """
    return Transcript.from_text(spoken_text(text)) if isinstance(text, str) else text


def spoken_words(text: str) -> tuple[str, ...]:
    """Return the spoken words of what a program wrote; none if it has none."""
    try:
        return Transcript.from_text(text).spoken
    except InputError:
        return ()


def spoken_text(text: str) -> str:
    """Return a text without what nobody says in it: headings, notes, times, Markdown's signs.

    The names of who speaks stay, as they are read later. Raises InputError for times in a layout
    that isn't known.
    """
    file = parse_transcript(text)
    said = said_in(file)
    same = said.split() == text.split() or not any(map(str.isalnum, said))
    return text if same else said


def said_in(file: TranscriptFile) -> str:
    """Return a transcript's text, with the names of who speaks where they are read as names."""
    if not file.speakers:
        return file.text
    named = file.named_text
    settled = names_of_lines(named)
    known = all(
        is_name(name) and settled.get(name, True) for name in map(written_name, file.speakers)
    )
    return named if known else file.text


@dataclass(frozen=True, slots=True)
class Turn:
    """Words [first, last) that one speaker says; the name is "" where the text has none."""

    speaker: str
    first: int
    last: int


def turns_of(text: Transcript, speakers: Sequence[str] | None = None) -> tuple[Turn, ...]:
    """Return the speakers' turns: by the text's names, or by those given for each word."""
    names = [word.speaker for word in text.words] if speakers is None else speakers
    result, first = [], 0
    for speaker, own in groupby(names):
        last = first + sum(1 for _ in own)
        result.append(Turn(speaker, first, last))
        first = last
    return tuple(result)


def with_names(text: Transcript, speakers: Sequence[str]) -> str:
    """Return the text, a line for each turn, with its speaker's name before it."""
    return "\n".join(
        f"{turn.speaker}: {text.said(turn.first, turn.last)}" for turn in turns_of(text, speakers)
    )


def question_ends(text: Transcript) -> frozenset[int]:
    """Return the last words of the questions that rise, as indices of spoken words.

    English questions that ask for yes or no rise to their end; those that ask with a word, and
    those that offer a choice, fall like statements (Pierrehumbert and Hirschberg 1990, "The meaning
    of intonational contours in the interpretation of discourse").
    """
    ends, first = [], 0
    for k, word in enumerate(text.words):
        if word.mark not in (".", "?"):
            continue
        if word.mark == "?" and _rises(text.words[first : k + 1]):
            ends.append(k)
        first = k + 1
    return frozenset(ends)


def _rises(words: Sequence[TranscriptWord]) -> bool:
    spoken = [word.text for word in words]
    asked = next((word for word in spoken if word not in BEFORE_ASKING), "")
    return asked.partition("'")[0] not in ASKING and "or" not in spoken


def conventions_of(text: str) -> Conventions:
    """Return a text's conventions, its [pause]s aside."""
    return Conventions.of("\n".join(piece for piece, _ in parted_at_pauses(text)))
