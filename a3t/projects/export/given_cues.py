"""The cues of subtitles that were given with a recording, in its edited version."""

from __future__ import annotations

from bisect import bisect_right

from a3t.plan.revision import word_map
from a3t.rendering.edited import EditedRecording
from a3t.source.records import GivenCue
from alignment.formats.subtitles import SENTENCE_END, CueLayout


def cues_after(result: EditedRecording) -> list[CueLayout]:
    """Return the layout of a result's subtitles; empty if its transcript was given without cues.

    A cue without a changed word is as it was, shifted by what was edited before it; one with some
    keeps the edges that its first and its last word have. New words between two cues join one of
    them, unless they are sentences.
    """
    source, text = result.plan.source, result.plan.revised_text
    if not source.cues:
        return []
    kept = dict(word_map(result.plan.revision.whole.edits, len(source.text.words)).kept_places())
    old_shown, shown = source.text.shown, text.shown
    spans = result.map.samples
    middles = [sum(change.source) / 2 for change in spans.changes]
    layout: list[CueLayout] = []
    place = 0  # up to which the new words are laid out
    opened: GivenCue | None = None  # a changed cue that begins at that place

    def ended(word: int) -> bool:
        """Return whether a sentence ends before a word."""
        written = next((shown[k] for k in range(word - 1, -1, -1) if shown[k]), "")
        return not written or bool(SENTENCE_END.search(written))

    def beginning(first: int, last: int) -> int | None:
        """Return the place of a cue's words; None if none of them is left."""
        if first in kept:
            return kept[first]
        if first == 0 or first - 1 in kept:
            return kept[first - 1] + 1 if first else 0
        return next((kept[k] for k in range(first, last) if k in kept), None)

    def moved(seconds: float) -> float:
        number = bisect_right(middles, seconds * result.recording.sample_rate)
        return seconds + result.map.seconds(spans.shifts[number])

    def lay_out(until: int) -> None:
        """Lay out the words up to a place: those of a changed cue, or new ones between two."""
        nonlocal place, opened
        before = layout[-1] if layout else CueLayout(0, 0)
        if until > place and opened is None and before.last > before.first and not ended(place):
            layout[-1] = CueLayout(before.first, until, before.start)
        elif until > place:
            start = end = None
            if opened is not None:
                first, last = opened.words
                start = moved(opened.start) if kept.get(first) == place else None
                end = moved(opened.end) if kept.get(last - 1) == until - 1 else None
            layout.append(CueLayout(place, until, start, end))
        place, opened = until, None

    for cue in source.cues:
        first, last = cue.words
        begin = beginning(first, last)
        if begin is None or begin < place:
            continue
        count = last - first
        if any(kept.get(first + k) != begin + k for k in range(count)):
            lay_out(begin)
            opened = cue
            continue
        if count and opened is None and begin > place and ended(place) and not ended(begin):
            opened = cue  # new words begin its sentence
            continue
        lay_out(begin)
        words = shown[begin : begin + count]
        said = cue.text.split() if words == old_shown[first:last] else []
        by = moved(middle := (cue.start + cue.end) / 2) - middle
        units = tuple(said or filter(None, words))
        layout.append(CueLayout(begin, begin + count, cue.start + by, cue.end + by, units))
        place = begin + count
    lay_out(len(text.words))
    return layout
