"""Changes that take something out of a recording, offered before they are made."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.cleaning.cuts import KINDS
from a3t.plan.cleaning.findings import Cleaning, Finding, Findings
from a3t.projects.document import Change
from a3t.source.passages import AlignedRecording
from alignment import Word
from alignment.retiming import covering
from app import texts
from app.processes.sandbox import run_in_sandbox
from app.studio.storage.heard_tokens import HeardPart, Token, start_of, transcript_of
from app.studio.take_settings import number

SOUNDS = {"breath", "click"}  # which are found in the sound, not in the words


def cleaning_of(data: Any) -> Cleaning:
    """The cleaning that a request asks for; InputError for what can't be looked for."""
    given = data if isinstance(data, dict) else {}
    kinds = given.get("kinds")
    action = "mute" if given.get("action") == "mute" else "cut"
    named = tuple(str(kind) for kind in kinds[:9]) if isinstance(kinds, list) else KINDS
    return Cleaning(
        kinds=named, action=action, longest=number(given.get("longest"), 1.2, 0.2, 60.0)
    )


def find_changes(recording: Recording, heard: HeardPart, want: Cleaning) -> list[dict[str, Any]]:
    """`offered_changes`, where the recording is read in a process of its own, if it has to be."""
    if SOUNDS & set(want.kinds):
        return run_in_sandbox(offered_changes, recording, heard, want)
    return offered_changes(recording, heard, want)


def offered_changes(recording: Recording, heard: HeardPart, want: Cleaning) -> list[dict[str, Any]]:
    """Each finding: its kind, what it is, its seconds in the recording, and the change (`edit`)
    that takes it out. InputError while no word is known."""
    tokens = heard.tokens
    if not tokens:
        raise InputError(texts.NOT_HEARD_YET)
    words = [Word.from_json(word) for token in tokens for word in token["words"]]
    pauses = [Word.from_json(pause) for pause in heard.pauses]
    aligned = covering(words, recording.seconds, 1.0, pauses)
    text = transcript_of(tokens)
    found = Findings(AlignedRecording(recording, text, aligned), text, want).found
    owners = [k for k, token in enumerate(tokens) for _ in token["words"]]
    starts = [start_of(token) for token in tokens]
    return [
        {
            "kind": each.kind,
            "text": each.text,
            "start": round(each.start, 4),
            "end": round(each.end, 4),
            "edit": _change(each, want, tokens, owners, starts).to_json(),
        }
        for each in found
    ]


def _change(
    finding: Finding,
    want: Cleaning,
    tokens: Sequence[Token],
    owners: Sequence[int],
    starts: Sequence[float],
) -> Change:
    text = ""
    if finding.words is None:
        first = last = bisect_left(starts, (finding.start + finding.end) / 2)
    else:
        first, last = owners[finding.words[0]], owners[finding.words[1] - 1] + 1
        if want.action == "mute":
            text = f"[pause {max(finding.end - finding.start, 0.05):.2f}]"
    ids = tuple(int(token["id"]) for token in tokens[first:last])
    after = int(tokens[first - 1]["id"]) if first else -1
    return Change(after, ids, text, cut=finding.cut)
