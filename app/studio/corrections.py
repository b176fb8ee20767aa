"""Corrections of the transcript: other words for misheard ones, other times for a word."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from a3t.errors import InputError
from a3t.projects import document
from alignment import Word
from alignment.retiming import retimed
from app import texts
from app.processes.worker import WorkerProcess
from app.studio.storage.heard_tokens import (
    IDS,
    HeardPart,
    Token,
    end_of,
    places_of,
    start_of,
    without_name,
)
from app.studio.storage.pcm_sound import PcmSound
from app.studio.work import worker_tasks as tasks

SHORTEST_PHONE = 0.0125  # seconds
REACH = 2.0  # seconds of a pause beside the words that may hold some of them


@dataclass(frozen=True)
class Correction:
    """Some tokens of one part that give way to others, with their neighbours, which were dragged
    by what was misheard and are aligned anew with them.

    before: the tokens that are aligned anew; the first `left` and the last `right` keep their
    texts and names. start, stop: seconds between which they are spoken.
    """

    part: int
    text: str
    before: tuple[Token, ...]
    left: int
    right: int
    start: float
    stop: float

    @classmethod
    def of(
        cls, wanted: document.Correction, tokens: Sequence[Token], edited: Collection[int]
    ) -> Correction:
        """InputError if the tokens are no longer there, or an edit replaces them."""
        text = wanted.text
        first, last = _place(wanted, places_of(tokens), len(tokens))
        if any(token["id"] in edited for token in tokens[first:last]):
            raise InputError(texts.CHANGED_HERE)
        if not tokens:
            raise InputError(texts.NO_WORD)
        part = tokens[min(first, len(tokens) - 1)]["id"] // IDS

        def free(k: int) -> bool:
            inside = 0 <= k < len(tokens)
            return inside and tokens[k]["id"] // IDS == part and tokens[k]["id"] not in edited

        begin, end = first - free(first - 1), last + free(last)
        start = end_of(tokens[begin - 1]) if begin else 0.0
        stop = start_of(tokens[end]) if end < len(tokens) else float("inf")
        if begin < end:
            start = max(start, start_of(tokens[begin]) - REACH)
            stop = min(stop, end_of(tokens[end - 1]) + REACH)
        parts = [*tokens[begin:first], {"text": text}, *tokens[last:end]]
        text = " ".join(filter(None, map(without_name, parts)))
        return cls(part, text, tuple(tokens[begin:end]), first - begin, end - last, start, stop)

    def heard(self, editor: WorkerProcess, sound: PcmSound) -> HeardPart:
        """The new tokens, aligned; none for a text without words."""
        if not self.text:
            return HeardPart()
        rate = sound.sample_rate
        first, last = (
            round(self.start * rate),
            min(sound.samples, round(min(self.stop, 1e6) * rate)),
        )
        found: HeardPart = editor.ask(tasks.correct_tokens, sound, first, last, self.text)
        return found

    def among(self, own: HeardPart, heard: HeardPart) -> HeardPart:
        """The part with the new tokens in their place; kept neighbours keep their ids, so edits
        beside them stay where they are."""
        made = heard.tokens
        gone = self.before[self.left : len(self.before) - self.right] or self.before[:1]
        for k, token in enumerate(made):
            beside = k - len(made) if k >= len(made) - self.right else k
            who = gone[:1] if self.left <= k < len(made) - self.right else self.before[beside:][:1]
            if who and who[0].get("speaker"):
                token.setdefault("speaker", who[0]["speaker"])
        fresh = max([self.part * IDS, *(token["id"] for token in own.tokens)]) + 1
        for k, token in enumerate(made):
            token["id"] = fresh + k
        for k in range(min(self.left, len(made))):
            made[k]["id"] = self.before[k]["id"]
        for k in range(1, min(self.right, len(made) - self.left) + 1):
            made[-k]["id"] = self.before[-k]["id"]
        ids = {token["id"] for token in self.before}
        rest = [token for token in own.tokens if token["id"] not in ids]
        at = sum(start_of(token) < self.start + 1e-6 for token in rest)
        part = HeardPart([*rest[:at], *made, *rest[at:]], own.pauses)
        return part.with_pauses(heard.pauses, self.start, self.stop) if made else part


def _place(wanted: document.Correction, ids: Mapping[int, int], count: int) -> tuple[int, int]:
    """The tokens [first, last) that a correction is of: its own, or where these have been corrected
    meanwhile, all between its neighbours. InputError if these are no longer there either."""
    own = [ids.get(token, -1) for token in wanted.tokens or ()]
    if own and -1 not in own and own == [*range(own[0], own[0] + len(own))]:
        return own[0], own[-1] + 1
    first = 0 if wanted.after == -1 else ids.get(wanted.after, count) + 1
    last = count if wanted.right is None else ids.get(wanted.right, -1)
    last = first if wanted.tokens == () else last
    if not first <= last <= count:
        raise document.MissingWordsError
    return first, last


def moved_token(
    data: Any, tokens: Sequence[Token], seconds: float
) -> tuple[int, Token, dict[str, float]]:
    """A token at the times that a request gives, not past its neighbours: its part, it, and the
    times that it had. InputError if there is no such token, or no time for its phones."""
    try:
        identity, start, end = int(data["id"]), float(data["start"]), float(data["end"])
    except (KeyError, TypeError, ValueError, OverflowError):
        raise InputError(texts.NO_TIMES) from None
    place = next((k for k, token in enumerate(tokens) if token["id"] == identity), None)
    if place is None:
        raise InputError(texts.NO_WORD)
    words = [Word.from_json(word) for word in tokens[place]["words"]]
    was, until = words[0].start, words[-1].end
    start = max(start, end_of(tokens[place - 1]) if place else 0.0)
    last = place + 1 == len(tokens)
    end = min(end, seconds if last else start_of(tokens[place + 1]))
    least = SHORTEST_PHONE * sum(len(word.phones) for word in words)
    if not end - start >= least:
        raise InputError(texts.too_short(tokens[place]["text"], least, end - start))
    factor = (end - start) / (until - was)
    moved = [
        retimed(w, start + (w.start - was) * factor, start + (w.end - was) * factor) for w in words
    ]
    token = {**tokens[place], "words": [word.to_json() for word in moved]}
    return identity // IDS, token, {"start": was, "end": until}
