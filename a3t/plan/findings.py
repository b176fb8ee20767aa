"""Findings in a recording, and the edit that removes the chosen ones.

What the transcript lacks stands between two words of the alignment, which names it
(`alignment.result.Word.unwritten`). Between the words on both sides there remains as much silence
as this speaker usually leaves, no more than there was, and none of either word is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from a3t.audio.analysis.pause_sounds import is_quiet, speech_power
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.cleaning import Cleaning, Finding, not_named
from a3t.plan.disfluencies import disfluencies_in, retakes_in, text_without
from a3t.plan.named_words import places_of
from a3t.plan.pause_findings import EDGE, USUAL_GAP, between_words, breaths_and_clicks, with_silence
from a3t.plan.request import (
    ALL_KINDS,
    BLEEP,
    NAMED,
    RETAKE,
    Cut,
    EditRequest,
    Track,
)
from a3t.plan.revision import word_map
from a3t.plan.track_activity import TrackActivity
from a3t.source.records import AlignedRecording
from a3t.spans import Span
from a3t.text.comparison.edit_script import edit_script
from a3t.text.transcript import Transcript
from alignment import Alignment


@dataclass(frozen=True)
class Findings:
    """The findings in a recording, in order of time.

    source: the recording, aligned as a whole. said: what is to be cleaned: its text, or the text
    that earlier edits made of it; earlier: the cuts that they made. tracks: those in step with it;
    where somebody speaks on one, nothing is cut. activity: the tracks', if that is known.
    """

    source: AlignedRecording
    said: Transcript
    want: Cleaning
    earlier: tuple[Cut, ...] = ()
    tracks: tuple[Track, ...] = ()
    activity: tuple[TrackActivity, ...] | None = None

    @property
    def recording(self) -> Recording:
        """The recording, as it was before any edit."""
        return self.source.recording

    @property
    def alignment(self) -> Alignment:
        """The alignment of all that it says."""
        return self.source.alignment

    @property
    def text(self) -> Transcript:
        """The transcript."""
        return self.source.text

    @cached_property
    def found(self) -> tuple[Finding, ...]:
        """All that can be taken out, and has not been."""
        alignment, want = self.alignment, self.want
        found = [
            each
            for each in between_words(alignment, want, self._is_quiet)
            if not any(c.start < each.end and each.start < c.end for c in self.earlier)
        ]
        words = word_map(edit_script(self.text.spoken, self.said.spoken), len(self.text.words))
        place = {new: old for old, new in words.kept_places()}
        words_found = [*disfluencies_in(self.said, want.kinds, want.fillers)]
        words_found += [(NAMED, *span) for span in places_of(want.hidden, self.said)]
        retakes = self._retakes if RETAKE in want.kinds else {}
        gone = {k for attempt in retakes for k in range(*attempt)}
        words_found = [each for each in words_found if each[1] not in gone]
        words_found += [(RETAKE, *attempt) for attempt in retakes]
        for kind, first, last in words_found:
            if all(k in place for k in range(first, last)):  # not made by an earlier edit
                own = alignment.spoken[place[first]], alignment.spoken[place[last - 1]]
                label = f"“{self.said.written(first, last)}”"
                times = own[0].start, own[1].end
                cut = self._around(kind, place[first], place[last - 1])
                again = retakes.get((first, last)) if kind == RETAKE else None
                found.append(Finding(kind, label, *times, (first, last), cut, again))
        if {"breath", "click"} & set(want.kinds):
            taken = [(each.start, each.end) for each in found]
            taken += [(cut.start, cut.end) for cut in self.earlier]
            found += [
                each
                for each in breaths_and_clicks(self.recording, alignment, want)
                if not any(start < each.end and each.start < end for start, end in taken)
            ]
        found = [each for each in found if not self._spoken_elsewhere(each)]
        return tuple(sorted(found, key=lambda each: (each.start, each.end)))

    @property
    def unnamed(self) -> list[str]:
        """The words that were to be hidden and that the text doesn't have."""
        return [name for name in self.want.hidden if not any(places_of([name], self.said))]

    def check_named(self) -> None:
        """Raise InputError if the text lacks a word that was to be hidden."""
        if missing := self.unnamed:
            raise InputError(not_named(missing))

    def chosen(self, only: Iterable[str] = (), excepted: Iterable[str] = ()) -> list[Finding]:
        """Return the chosen findings.

        only: numbers from 1 ("3", "5-9") or kinds; empty for all. excepted: those to leave out.
        Raises InputError for another name.
        """
        only = list(only)
        wanted = self._numbers(only) if only else set(range(len(self.found)))
        return [self.found[k] for k in sorted(wanted - self._numbers(excepted))]

    def request(self, chosen: Sequence[Finding]) -> EditRequest:
        """Return the edit of `source` that removes these findings."""
        gone = {f.words: self.want.silence(f) for f in chosen if f.words is not None}
        cuts = [*self.earlier, *(f.cut for f in chosen if f.cut is not None)]
        return EditRequest(
            new_text=text_without(self.said, gone),
            cuts=_apart(cuts),
            tracks=self.tracks,
        )

    def describe(self, chosen: Sequence[Finding]) -> str:
        """List the findings, numbered from 1, one on each line; unchosen ones in brackets."""
        if not self.found:
            return "Nothing was found."
        taken = set(map(id, chosen))
        return "\n".join(
            f"{number:4}  {each}" if id(each) in taken else f"({number:3}) {each}"
            for number, each in enumerate(self.found, 1)
        )

    @cached_property
    def _retakes(self) -> dict[Span, tuple[float, float]]:
        """The attempts in the text, and when they are said again.

        There are none once an edit has changed the text.
        """
        if self.said.spoken != self.text.spoken:
            return {}
        spoken = self.alignment.spoken
        return {
            each.attempt: (spoken[each.again[0]].start, spoken[each.again[1] - 1].end)
            for each in retakes_in(self.said, self.alignment)
        }

    def _spoken_elsewhere(self, each: Finding) -> bool:
        """Return whether removing this would remove speech on another track."""
        cut = each.cut
        if (cut.action if cut else self.want.action) != "cut":
            return False
        spans = [(cut.start, cut.end)] if cut else []
        if each.words is not None:
            spans.append((each.start, each.end))
        return not all(track.is_silent(*span) for span in spans for track in self._activity)

    @cached_property
    def _activity(self) -> Sequence[TrackActivity]:
        if self.activity is not None:
            return self.activity
        return [TrackActivity.of(track.open()) for track in self.tracks]

    def _is_quiet(self, start: float, end: float) -> bool:
        return is_quiet(self.recording, start, end, self._speech_power)

    @cached_property
    def _speech_power(self) -> float:
        return speech_power(self.recording, self.alignment)

    def _around(self, kind: str, first: int, last: int) -> Cut | None:
        """Return the cut that removes words ``first`` to ``last`` with the silence around them."""
        spoken = self.alignment.spoken
        if kind == NAMED:  # with the silence beside it, into which it may fade
            before = spoken[first - 1].end if first else 0.0
            after = spoken[last + 1].start if last + 1 < len(spoken) else self.alignment.duration
            start, end = spoken[first].start, spoken[last].end
            start, end = max(start - EDGE, before), min(end + EDGE, after)
            return Cut(kind, BLEEP if self.want.bleep else "mute", start, end)
        if self.want.action == "mute" or first == 0 or last + 1 == len(spoken):
            return None
        outer = spoken[first - 1].end, spoken[last + 1].start
        inner = spoken[first].start, spoken[last].end
        if kind in ("repeat", RETAKE):  # the sound before it now precedes the repetition
            return Cut(kind, "cut", inner[0], outer[1])
        return Cut(kind, "cut", *with_silence(outer, inner, USUAL_GAP))

    def _numbers(self, names: Iterable[str]) -> set[int]:
        result: set[int] = set()
        for name in names:
            name = name.strip().lower()
            if (kind := name.removesuffix("s")) in (*ALL_KINDS, NAMED):
                result |= {k for k, each in enumerate(self.found) if each.kind == kind}
                continue
            matched = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", name)
            first = int(matched[1]) if matched else 0
            last = int(matched[2] or first) if matched else 0
            if not 1 <= first <= last <= len(self.found):
                numbers = (
                    f"numbers from 1 to {len(self.found)} (3 or 5-9) or " if self.found else ""
                )
                raise InputError(
                    f"Nothing found is called “{name}”: give {numbers}kinds "
                    f"({', '.join(ALL_KINDS)})."
                )
            result |= set(range(first - 1, last))
        return result


def _apart(cuts: Iterable[Cut]) -> tuple[Cut, ...]:
    """Sort cuts and merge those that overlap, such as a filler and a noise beside it."""
    result: list[Cut] = []
    for cut in sorted(cuts, key=lambda cut: (cut.start, cut.end)):
        if result and cut.start < result[-1].end:
            result[-1] = replace(result[-1], end=max(result[-1].end, cut.end))
        else:
            result.append(cut)
    return tuple(result)
