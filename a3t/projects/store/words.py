"""The words of a recording (words/0007.json), as the page shows them and as a transcript.

A token of a named speaker has the name in `speaker`, and the first one of a turn in its text as
well ("ANNA: Hello"). Changes know tokens by their ids, which stay when others are corrected: those
of a given text are numbered by their place in it, so that they are known before they have times.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby, pairwise
from typing import Annotated, Any

from msgspec import Meta

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.projects.store.record_files import StoredRecord
from a3t.source.records import AlignedRecording
from a3t.text.normaliser.letters import are_initials
from a3t.text.normaliser.unspoken import is_name
from a3t.text.transcript import Transcript, TranscriptWord
from alignment import Word
from alignment.result import covering, retimed, stretch_word
from alignment.serialisation import OMITTED, Record

IDS = 100_000  # between the first ids of two parts that are recognised: more than one can have
MIN_PHONE_S = 0.0125
MAX_SPEAKER_ROWS = 20_000  # of tokens that somebody says

ENDED = re.compile(r"""[.!?…]["'”’)]*$""")  # as a sentence is
# A word's letters, with what follows an apostrophe; or initials between which there are signs.
LETTERS = re.compile(
    r"(?:[^\W\d_]\.){2,}|[^\W\d_]{1,2}&[^\W\d_]{1,2}"
    r"|(?P<letters>[^\W\d_]+)(?P<rest>['’][^\W\d_]+)?"
)
FIRST_LETTER = re.compile(r"""^(["'“‘(]*)([^\W\d_])""")

Id = Annotated[int, Meta(ge=0, lt=2**40)]
Seconds = Annotated[float, Meta(ge=0, lt=1e6)]
Name = Annotated[str, Meta(max_length=200)]


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
        """Return the token as the page needs it.

        That is id, text without the name, start and end in seconds, how sure it is, pause after it,
        speaker.
        """
        score = min(word.score for word in self.words) if self.sure is None else self.sure
        times = (round(self.start, 6), round(self.end, 6))  # as they come back in a step
        return [self.id, self.said, *times, round(score, 3), int(self.pause), self.speaker]

    def written(self, said: str) -> Token:
        """Return it with another text, after the name of who says it."""
        return replace(self, text=self.text.removesuffix(self.said) + said)

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
    """Return the part of a pause between two times."""
    return stretch_word(pause, max(pause.start, start), min(pause.end, stop))


def tokens_of(transcript: Transcript, words: Sequence[Word], first_id: int) -> tuple[Token, ...]:
    """Return written words with their spoken ones, which are the transcript's, in order."""
    found: list[Token] = []
    pairs = zip(transcript.words, words, strict=True)
    for _, group in groupby(pairs, key=lambda pair: pair[0].token):
        written, spoken = zip(*group, strict=True)
        first, pause = written[0], written[-1].pause_after
        identity = first_id + len(found)
        found.append(Token(identity, first.written, spoken, pause, speaker=first.speaker))
    return tuple(found)


def waiting_tokens(
    transcript: Transcript, start: float, stop: float, first_id: int
) -> tuple[Token, ...]:
    """Return a text's tokens before they are aligned, spread over the time there is."""
    edges = [0, *accumulate(len(word.text) + 1 for word in transcript.words)]
    step = (stop - start) / max(edges[-1], 1)
    times = [start + step * edge for edge in edges]
    words = [
        Word(word.text, *span, 0.0)
        for word, span in zip(transcript.words, pairwise(times), strict=True)
    ]
    return tokens_of(transcript, words, first_id)


def places_of(tokens: Sequence[Token]) -> dict[int, int]:
    """Return the place of each token, by its id."""
    return {token.id: k for k, token in enumerate(tokens)}


def with_speakers(tokens: Sequence[Token], names: Mapping[int, str]) -> list[Token]:
    """Return the tokens, those of these ids said by these people.

    The first one of each turn has the name in its text.
    """
    result: list[Token] = []
    before = ""
    for token in tokens:
        name = names.get(token.id, token.speaker)
        result.append(token.said_by(name, name != before))
        before = name
    return result


@dataclass(frozen=True)
class WordFields(Record):
    """What words are after a step, or were before it.

    marks: whether those that were restored are shown, None if that stays. capitals: whether all is
    written in these, else as sentences; None if that stays. times: tokens, each with
    the seconds at which it begins and ends. speakers: names, "" for nobody that is named, each with
    the rows of tokens that it says, by the ids of the first and the last one.
    """

    marks: bool | None = field(default=None, metadata=OMITTED)
    capitals: bool | None = field(default=None, metadata=OMITTED)
    times: Annotated[tuple[tuple[Id, Seconds, Seconds], ...], Meta(max_length=MAX_SPEAKER_ROWS)] = (
        field(default=(), metadata=OMITTED)
    )
    speakers: tuple[
        tuple[Name, Annotated[tuple[tuple[Id, Id], ...], Meta(max_length=MAX_SPEAKER_ROWS)]], ...
    ] = field(default=(), metadata=OMITTED)


def speakers_of(tokens: Sequence[Token]) -> WordFields:
    """Return who says the tokens."""
    found: dict[str, list[tuple[int, int]]] = {}
    for token in tokens:
        rows = found.setdefault(token.speaker, [])
        if rows and rows[-1][1] == token.id - 1:
            rows[-1] = rows[-1][0], token.id
        else:
            rows.append((token.id, token.id))
    return WordFields(speakers=tuple((name, tuple(rows)) for name, rows in found.items()))


def with_fields(tokens: Sequence[Token], fields: WordFields, seconds: float) -> list[Token]:
    """Return the tokens of a recording of so many seconds as a step sets them.

    Raises
    ------
    InputError
        If a token is gone or has no room for its phones, or a name is none.
    """
    after = [*tokens]
    if fields.marks is not None:
        after = [token.with_marks(fields.marks) for token in after]
    if fields.capitals is not None:
        capitals = [token.written(token.said.upper()) for token in after]
        after = capitals if fields.capitals else in_sentences(after)
    for identity, start, end in fields.times:
        after = _moved(after, identity, start, end, seconds)
    ids, names = sorted(token.id for token in tokens), dict[int, str]()
    for name, rows in fields.speakers:
        if name and not is_name(name):
            raise InputError("A speaker's name has one to three words of letters: change it.")
        for first, last in rows:
            row = ids[bisect_left(ids, first) : bisect_right(ids, last)]
            names |= dict.fromkeys(row, name)
    return with_speakers(after, names) if names else after


def sentence_case(text: str, begins: bool) -> str:
    """Return a text in capitals as it is usually written; only initials keep theirs, not names.

    begins: whether a sentence begins with it.
    """
    words = []
    for word in text.split():
        small = LETTERS.sub(_small, word)
        if begins:
            small = FIRST_LETTER.sub(lambda first: first[1] + first[2].upper(), small)
        words.append(small)
        begins = ENDED.search(word) is not None
    return " ".join(words)


def _small(found: re.Match[str]) -> str:
    letters, rest = found["letters"], found["rest"] or ""
    if letters is None:
        return found[0]
    if letters == "I" or (rest[1:] in ("", "S") and are_initials(letters)):
        return letters + rest.lower()
    return found[0].lower()


def in_sentences(tokens: Sequence[Token]) -> list[Token]:
    """Return tokens in capitals as they are usually written (`sentence_case`)."""
    result: list[Token] = []
    before: Token | None = None
    for token in tokens:
        begins = before is None or before.speaker != token.speaker
        begins = begins or (before is not None and ENDED.search(before.text) is not None)
        result.append(token.written(sentence_case(token.said, begins)))
        before = token
    return result


def _moved(
    tokens: Sequence[Token], identity: int, start: float, end: float, seconds: float
) -> list[Token]:
    """Return the tokens, one of them at these times, but not past its neighbours."""
    place = next((k for k, token in enumerate(tokens) if token.id == identity), None)
    if place is None:
        raise InputError("That word is no longer there: nothing was moved.")
    token, after = tokens[place], tokens[place + 1 :]
    start = round(max(start, tokens[place - 1].end if place else 0.0), 6)
    end = round(min(end, after[0].start if after else seconds), 6)
    least = MIN_PHONE_S * sum(len(word.phones) for word in token.words)
    if not end - start >= least:
        raise InputError(
            f"“{token.text}” needs at least {least:.3f} s, and {end - start:.3f} s are left: move "
            "the boundary less."
        )
    was, factor = token.start, (end - start) / (token.end - token.start)
    words = tuple(
        retimed(w, start + (w.start - was) * factor, start + (w.end - was) * factor)
        for w in token.words
    )
    return [*tokens[:place], replace(token, words=words), *after]


def lines_of(
    said: Sequence[tuple[str, str]], first: int, last: int, text: str
) -> tuple[str, str, list[int]]:
    """Return the text of some tokens, and their text with another from ``first`` to ``last``.

    said: of each token the speaker and what they say. Where several people are named, each turn is
    a line that begins with the name; an inserted text belongs to whoever says the word before it.
    Returns as well which of the second text's written words each kept token, and what stands
    between them (if it isn't empty), begins with.
    """
    new = [*said[:first]]
    if text:
        at = first if first < last else max(first - 1, 0)
        new.append((said[at][0] if said else "", text))
    new += said[last:]
    named = len({name for name, _ in said}) > 1
    return _lines(said, named)[0], *_lines(new, named)


def _lines(said: Iterable[tuple[str, str]], named: bool) -> tuple[str, list[int]]:
    lines: list[str] = []
    starts: list[int] = []
    before, count = "", 0
    for name, text in said:
        if named and name and name != before:
            lines.append(f"\n{name}:")
            before, count = name, count + len(name.split())
        starts.append(count)
        lines.append(text)
        count += len(text.split())
    return " ".join(lines).replace(" \n", "\n").strip(), starts
