"""The samples that the page plays and draws, and the words that are spoken in them.

A *token* is a written word with its spoken words and their times in seconds:

    {"id": 300007, "text": "$5,", "pause": true,
     "words": [{"text": "five", "start": 1.2, "end": 1.5, "score": 0.9, "phones": […]}, …]}

A token of a named speaker has the name in "speaker"; that of a turn's first word also has it in its
text ("ANNA: Hello"). A token whose marks and capitals were restored has what it is without them, or
with them again, in "unmarked" or "marked".

A *pause* is an `alignment.Word` without text, as JSON; it may name sound that no text has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

Token = dict[str, Any]
Pause = dict[str, Any]

IDS = 100_000  # ids of one part's tokens: more than a part can have
PEAKS = 500  # pairs a second at the finest of the LEVELS, each a quarter of the one before
LEVELS = 5


@dataclass(frozen=True)
class PcmSound:
    """16-bit samples as `ingest` leaves them, readable by windows like a recording."""

    path: Path
    sample_rate: int
    channels: int
    samples: int

    def mono(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Samples [start, stop), the mean of the channels, float32 with full scale at 1."""
        stop = self.samples if stop is None else stop
        count = max(0, stop - start) * self.channels
        raw = np.fromfile(self.path, "<i2", count, offset=2 * start * self.channels)
        mixed: np.ndarray = raw.reshape(-1, self.channels).mean(axis=1) / 32768
        return mixed.astype(np.float32)


@dataclass(frozen=True)
class HeardPart:
    """A stretch of the recording as heard: its tokens, and the pauses around and between them."""

    tokens: list[Token] = field(default_factory=list)
    pauses: list[Pause] = field(default_factory=list)

    @classmethod
    def from_json(cls, data: Any) -> HeardPart:
        """The inverse of `to_json`; a list holds tokens alone, as projects once did."""
        return cls(data) if isinstance(data, list) else cls(data["tokens"], data["pauses"])

    def to_json(self) -> dict[str, Any]:
        return {"tokens": self.tokens, "pauses": self.pauses}

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


def played(samples: np.ndarray) -> bytes:
    """Samples (n, channels), full scale at 1, as the page plays them; of more than two channels
    their mean."""
    if samples.shape[1] > 2:
        samples = samples.mean(axis=1, keepdims=True)
    return np.clip(np.round(samples * 32768), -32768, 32767).astype("<i2").tobytes()


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
    """A token as the page needs it: id, text without the name, start and end in seconds, score,
    pause after it, who says it."""
    score = min(word["score"] for word in token["words"])
    times = (round(start_of(token), 4), round(end_of(token), 4))
    rest = (round(score, 3), int(token["pause"]), token.get("speaker", ""))
    return [token["id"], without_name(token), *times, *rest]


def level_sizes(samples: int, rate: int) -> list[int]:
    """The number of pairs in each level of peaks.bin."""
    sizes = [-(-samples * PEAKS // rate)]
    while len(sizes) < LEVELS:
        sizes.append(-(-sizes[-1] // 4))
    return sizes
