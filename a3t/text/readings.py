"""A text's reading: its spoken words, their phones, what is guessed and what is skipped."""

from __future__ import annotations

from dataclasses import dataclass, field

from a3t.errors import InputError
from a3t.text.normaliser.normalise import choices, skipped
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript


@dataclass(frozen=True)
class Reading:
    """One text, read: as many `phones` as there are `spoken` words, or an `error` and nothing."""

    spoken: tuple[str, ...] = ()
    phones: tuple[tuple[str, ...], ...] = ()
    guessed: tuple[str, ...] = ()  # words whose phones are guessed from their letters
    offered: dict[str, list[str]] = field(default_factory=dict)  # others of their phones, if unsure
    skipped: tuple[str, ...] = ()  # what is written and not spoken: "[Music]", a foreign word
    chosen: tuple[str, ...] = ()  # readings by the words beside: "4/5 as a date"
    error: str = ""

    def to_json(self) -> dict[str, object]:
        """`spoken` as one text, `phones` as one text a word; a text with an error has only that."""
        if self.error:
            return {"error": self.error}
        return {
            "spoken": " ".join(self.spoken),
            "phones": [" ".join(phones) for phones in self.phones],
            "guessed": list(self.guessed),
            "offered": self.offered,
            "skipped": list(self.skipped),
            "chosen": list(self.chosen),
        }


def reading_of(text: str, pronouncer: Pronouncer) -> Reading:
    """Read a text; one that can't be read has the reason as its `error`."""
    try:
        transcript = Transcript.from_text(text)
    except InputError as error:
        return Reading(error=str(error))
    spoken = transcript.spoken
    phones = pronouncer.pronounce(spoken, [word.written for word in transcript.words])
    guessed = dict.fromkeys(word for word in spoken if pronouncer.is_guessed(word))
    ways = {word: [" ".join(way) for way in pronouncer.offered(word)] for word in guessed}
    offered = {word: phones for word, phones in ways.items() if phones}
    left_out, chosen = tuple(skipped(text)), tuple(choices(text))
    return Reading(spoken, tuple(phones), tuple(guessed), offered, left_out, chosen)
