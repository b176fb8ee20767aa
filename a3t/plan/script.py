"""Which words change, which pauses are put in, and which words are said again for emphasis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from a3t.plan.records import GridPhone
from a3t.text.edit_script import WordEdit, edit_script
from a3t.text.transcript import Transcript, TranscriptWord

STOPS = (".", "!", "?", "…")
PAUSES = (4, 160)  # frames; what is shorter is a closure, what is longer a break or left out


@dataclass(frozen=True)
class Script:
    """The edits in order, apart by a kept word, and the pauses that the new text asks for by a mark
    and the old one lacks: by the number of new words before each, its seconds (0: as usual)."""

    edits: tuple[WordEdit, ...]
    pauses: dict[int, float]


def script_of(text: Transcript, new_text: Transcript) -> Script:
    """Marks are no words. A pause between two kept words is an edit without words; a kept word that
    the new text newly emphasises is replaced by itself."""
    script = edit_script(text.spoken, new_text.spoken)
    kept = kept_words(script, len(new_text.spoken))
    there = dict(text.pauses)
    pauses = {}
    for place, seconds in new_text.pauses:
        # A kept word on either side says where that is in the old text.
        before = 0 if place == 0 else kept.get(place - 1, -2) + 1
        old = before if before >= 0 else kept.get(place, len(text.spoken))
        if there.get(old) == seconds:
            del there[old]
        else:
            pauses[place] = seconds
    for word in sorted(new_text.emphasis & kept.keys()):
        if kept[word] not in text.emphasis:
            script.append(WordEdit("replace", (kept[word], kept[word] + 1), (word, word + 1)))
    for place in pauses:
        if not any(edit.new[0] <= place <= edit.new[1] for edit in script):
            old = kept[place - 1] + 1 if place else kept[place]
            script.append(WordEdit("insert", (old, old), (place, place)))
    return Script(tuple(_joined(script)), pauses)


def kept_words(script: Sequence[WordEdit], count: int) -> dict[int, int]:
    """For each of ``count`` new words that is kept the old word that it is."""
    kept: dict[int, int] = {}
    word = shift = 0
    for edit in script:
        kept |= {k: k + shift for k in range(word, edit.new[0])}
        word, shift = edit.new[1], edit.old[1] - edit.new[1]
    return kept | {k: k + shift for k in range(word, count)}


def _joined(script: Sequence[WordEdit]) -> list[WordEdit]:
    """In order, those that touch as one."""
    result: list[WordEdit] = []
    for edit in sorted(script, key=lambda edit: (edit.new, edit.old)):
        if result and result[-1].new[1] == edit.new[0] and result[-1].old[1] == edit.old[0]:
            last = result.pop()
            edit = WordEdit("replace", (last.old[0], edit.old[1]), (last.new[0], edit.new[1]))
        result.append(edit)
    return result


def pause_kind(word: TranscriptWord) -> str:
    """What makes a speaker pause after a word: "." for the end of a sentence, else ","."""
    return "." if word.written.rstrip("\"'”’»)]} ").endswith(STOPS) else ","


def usual_pauses(text: Transcript, grid: Sequence[GridPhone]) -> dict[str, float]:
    """The frames of this speaker's median pause at the ends of sentences and at other signs,
    where the recording has any; pauses at its ends are not the speaker's."""
    found: dict[str, list[int]] = {}
    for before, phone in zip(grid, grid[1:], strict=False):
        if before.word < 0 or phone.word >= 0 or not PAUSES[0] <= phone.frames <= PAUSES[1]:
            continue
        word = text.words[before.word]
        if word.pause_after and before.word + 1 < len(text.words):
            found.setdefault(pause_kind(word), []).append(phone.frames)
    return {kind: float(median(frames)) for kind, frames in found.items()}
