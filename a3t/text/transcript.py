"""A text and the words that are spoken for it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from a3t.text.normalise import MAX_WORDS, normalise


@dataclass(frozen=True)
class TranscriptWord:
    """One spoken word (lower case, a–z and apostrophe) and the written token it belongs to."""

    text: str
    written: str
    pause_after: bool
    token: int


@dataclass(frozen=True)
class Transcript:
    """A text as written, and its spoken words in order.

    A written token may speak as several words ("$5" -> "five dollars"): they share `token` and
    `written`, and only the last of them can have `pause_after`.
    """

    text: str
    words: tuple[TranscriptWord, ...]

    @classmethod
    def from_text(cls, text: str, max_words: int | None = MAX_WORDS) -> Transcript:
        """Normalise a text; raises InputError (one sentence) if it can't be spoken."""
        words = tuple(
            TranscriptWord(
                text=word,
                written=token.written,
                pause_after=token.pause_after and position == len(token.words) - 1,
                token=index,
            )
            for index, token in enumerate(normalise(text, max_words=max_words))
            for position, word in enumerate(token.words)
        )
        return cls(text=text, words=words)

    @property
    def spoken(self) -> tuple[str, ...]:
        """The spoken words, for the aligner, the pronouncer and the edit script."""
        return tuple(word.text for word in self.words)

    def written(self, first: int, last: int) -> str:
        """The text as written behind words [first, last), whole tokens; "" for an empty range."""
        tokens = {word.token: word.written for word in self.words[first:last]}
        return " ".join(tokens.values())

    def to_json(self) -> dict[str, Any]:
        """A dict of plain JSON types; from_json reads it back."""
        return {"text": self.text, "words": [asdict(word) for word in self.words]}

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Transcript:
        """The transcript that to_json wrote; raises KeyError or TypeError on another record."""
        words = tuple(TranscriptWord(**word) for word in record["words"])
        return cls(text=record["text"], words=words)
