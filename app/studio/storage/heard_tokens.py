"""Tokens: the words of a recording as the page shows them, and as a transcript.

A *token* is a written word with its spoken words and their times in seconds:

    {"id": 300007, "text": "$5,", "pause": true,
     "words": [{"text": "five", "start": 1.2, "end": 1.5, "score": 0.9, "phones": […]}, …]}

A token of a named speaker has the name in "speaker"; that of a turn's first word also has it in its
text ("ANNA: Hello"). A token whose marks and capitals were restored has what it is without them, or
with them again, in "unmarked" or "marked". A token that Whisper recognised has in "sure" how sure
that was of it, 0 to 1: the scores say how well its sound fits, and a wrong word's may fit.

A *pause* is an `alignment.Word` without text, as JSON; it may name sound that no text has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from a3t.audio.reading.recording import Recording
from a3t.projects.document import MAX_CHARACTERS, Change, Document, MissingWordsError
from a3t.source.records import AlignedRecording
from a3t.text.transcript import Transcript, TranscriptWord
from alignment import Word
from alignment.result import covering

Token = dict[str, Any]
Pause = dict[str, Any]

WORDS_FORMAT = 2  # 1 had no number, and once was a list of tokens alone
NEAREST = 0.25  # seconds of kept speech between two changes; less is too short for both joints
IDS = 100_000  # ids of one part's tokens: more than a part can have


@dataclass(frozen=True)
class HeardPart:
    """A stretch of the recording as heard: its tokens, and the pauses around and between them."""

    tokens: list[Token] = field(default_factory=list)
    pauses: list[Pause] = field(default_factory=list)

    @classmethod
    def from_json(cls, data: Any) -> HeardPart:
        """The inverse of `to_json`; a list holds tokens alone, as projects once did. ValueError,
        KeyError or TypeError if tokens lack something."""
        heard = cls(data) if isinstance(data, list) else cls(data["tokens"], data["pauses"])
        for token in heard.tokens:
            token["id"], token["text"], token["pause"]
            if not token["words"]:
                raise ValueError("a token's words")
            token["words"][0]["start"], token["words"][-1]["end"]
        return heard

    def to_json(self) -> dict[str, Any]:
        return {"format": WORDS_FORMAT, "tokens": self.tokens, "pauses": self.pauses}

    def aligned(self, recording: Recording) -> AlignedRecording:
        """The recording with all this as its transcript and alignment."""
        words = [Word.from_json(word) for token in self.tokens for word in token["words"]]
        pauses = [Word.from_json(pause) for pause in self.pauses]
        alignment = covering(words, recording.seconds, 1.0, pauses)
        said = [
            TranscriptWord(
                word["text"],
                token["text"],
                bool(token["pause"]) and last,
                number,
                token.get("speaker", ""),
            )
            for number, token in enumerate(self.tokens)
            for k, word in enumerate(token["words"])
            for last in [k == len(token["words"]) - 1]
        ]
        return AlignedRecording(recording, Transcript.of_tokens(said), alignment)

    def with_pauses(self, others: list[Pause], start: float, stop: float) -> HeardPart:
        """The same with these pauses instead of its own between two times, in seconds."""
        before = [_until(pause, stop=start) for pause in self.pauses if pause["start"] < start]
        after = [_until(pause, start=stop) for pause in self.pauses if pause["end"] > stop]
        return HeardPart(self.tokens, [*before, *others, *after])


def with_marks(heard: HeardPart, marked: bool) -> HeardPart:
    """The part with the marks and capitals that were restored, or without."""
    kept, other = ("unmarked", "marked") if marked else ("marked", "unmarked")
    return HeardPart([_with_marks(token, kept, other) for token in heard.tokens], heard.pauses)


def _with_marks(token: Token, kept: str, other: str) -> Token:
    if other not in token:
        return token
    rest = {name: value for name, value in token.items() if name != other}
    return rest | token[other] | {kept: {"text": token["text"], "pause": token["pause"]}}


def _until(pause: Pause, start: float = 0.0, stop: float = float("inf")) -> Pause:
    """The part of a pause between two times."""
    start, stop = max(pause["start"], start), min(pause["end"], stop)
    phones = [{**phone, "start": start, "end": stop} for phone in pause["phones"]]
    return {**pause, "start": start, "end": stop, "phones": phones}


def places_of(tokens: Sequence[Token]) -> dict[int, int]:
    """The place of each token, by its id."""
    return {token["id"]: k for k, token in enumerate(tokens)}


def start_of(token: Token) -> float:
    """Seconds."""
    return float(token["words"][0]["start"])


def end_of(token: Token) -> float:
    """Seconds."""
    return float(token["words"][-1]["end"])


def without_name(token: Token) -> str:
    """A token's text without the name of who says it."""
    text = str(token["text"])
    return text.removeprefix(f"{token['speaker']}:").strip() if token.get("speaker") else text


def shown(token: Token) -> list[Any]:
    """A token as the page needs it: id, text without the name, start and end in seconds, how sure
    it is, pause after it, who says it."""
    score = token.get("sure", min(word["score"] for word in token["words"]))
    times = (round(start_of(token), 4), round(end_of(token), 4))
    rest = (round(score, 3), int(token["pause"]), token.get("speaker", ""))
    return [token["id"], without_name(token), *times, *rest]


def made_as_one(changes: Sequence[Change], rows: Sequence[Sequence[Any]]) -> dict[str, Change]:
    """The change that is made for each, by its key: itself, or, where another is closer than
    NEAREST, one of all that they replace, and of the words between. Those whose words are gone are
    left out. rows: all tokens as they are `shown`."""
    ids = {row[0]: k for k, row in enumerate(rows)}
    placed: list[tuple[int, int, Change]] = []
    for change in changes:
        with suppress(MissingWordsError):
            placed.append((*change.place_in(ids, len(rows)), change))
    placed.sort(key=lambda each: each[:2])
    found = {change.key: change for _, _, change in placed}
    group: list[tuple[int, int, Change]] = []
    for each in placed:
        if each[2].cut is not None:  # which is made of its sound alone
            group = []
            continue
        near = group and _is_near(group[-1][1], each[0], rows)
        united = _united([*group, each], rows) if near else None
        if united is not None and len(united.text) <= MAX_CHARACTERS:
            group.append(each)
            found |= {change.key: united for _, _, change in group}
        else:
            group = [each]
    return found


def reachable_keys(document: Document, rows: Sequence[Sequence[Any]]) -> set[str]:
    """The keys of all that has takes: of the changes that are there, or that undo and redo bring
    back, alone and as they are made as one. rows: all tokens as they are `shown`."""
    states, back, ahead = {document.changes}, document, document
    for _ in document.done:
        back = back.undo() if back.done else back
        states.add(back.changes)
    for _ in document.undone:
        ahead = ahead.redo() if ahead.undone else ahead
        states.add(ahead.changes)
    made = [change for state in states for change in made_as_one(state, rows).values()]
    return {change.key for change in (*made, *(each for state in states for each in state))}


def _is_near(last: int, first: int, rows: Sequence[Sequence[Any]]) -> bool:
    return last >= first or bool(rows[first - 1][3] - rows[last][2] < NEAREST)


def _united(group: Sequence[tuple[int, int, Change]], rows: Sequence[Sequence[Any]]) -> Change:
    texts: list[str] = []
    for (_, last, change), (following, _, _) in zip(group, [*group[1:], (0, 0, None)], strict=True):
        texts += [change.text, *(row[1] for row in rows[last:following])]
    (first, _, change), (_, last, _) = group[0], group[-1]
    ids = tuple(int(row[0]) for row in rows[first:last])
    return Change(change.after, ids, " ".join(filter(None, texts)))


def with_speakers(tokens: Sequence[Token], names: Mapping[int, str]) -> list[Token]:
    """The tokens, those of these ids said by these people, "" for nobody that is named; the first
    word of each turn has the name in its text."""
    result: list[Token] = []
    before = ""
    for token in tokens:
        old = str(token.get("speaker", ""))
        name = names.get(token["id"], old)
        begins = f"{name}: " if name and name != before else ""
        own = {key: value for key, value in deepcopy(token).items() if key != "speaker"}
        own |= {"speaker": name} if name else {}
        for each in (own, *(own[key] for key in ("marked", "unmarked") if key in own)):
            each["text"] = begins + without_name({"speaker": old, "text": each["text"]})
        result.append(own)
        before = name
    return result


def lines_of(tokens: Sequence[Token], first: int, last: int, text: str) -> tuple[str, str]:
    """The text of some tokens, and their text with another instead of those from `first` to
    `last`. Where several people are named, each turn is a line that begins with the name; an
    inserted text belongs to whoever says the word before it."""
    names = [str(token.get("speaker", "")) for token in tokens]
    old = [without_name(token) for token in tokens]
    if first < last and names[first]:
        text = text.removeprefix(f"{names[first]}:").strip()
    new = [*zip(names[:first], old[:first], strict=True)]
    if text:
        at = first if first < last else max(first - 1, 0)
        new.append((names[at] if names else "", text))
    new += zip(names[last:], old[last:], strict=True)
    named = len(set(names)) > 1
    return _lines(zip(names, old, strict=True), named), _lines(new, named)


def _lines(said: Iterable[tuple[str, str]], named: bool) -> str:
    lines: list[str] = []
    before = ""
    for name, text in said:
        if named and name and name != before:
            lines.append(f"\n{name}:")
            before = name
        lines.append(text)
    return " ".join(lines).replace(" \n", "\n").strip()
