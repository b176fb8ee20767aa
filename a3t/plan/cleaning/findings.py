"""Findings in a recording, and the edit that takes out what is chosen of them.

What the transcript has goes from the text; what it hasn't becomes a `Cut`. Both are edits of one
`EditPlan`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from a3t.audio.analysis.pause_sounds import is_quiet, speech_power
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.grid import frames_of, seconds_of
from a3t.plan.cleaning.cuts import ALL_KINDS, Cut
from a3t.plan.cleaning.disfluencies import (
    USUAL_GAP,
    Cleaning,
    Finding,
    between_words,
    breaths_and_clicks,
    disfluencies_in,
    with_silence,
)
from a3t.plan.request import EditRequest
from a3t.plan.revision import word_map
from a3t.source.passages import AlignedRecording
from a3t.spans import Span
from a3t.text.comparison.edit_script import edit_script
from a3t.text.transcript import Transcript
from alignment import Alignment


@dataclass(frozen=True)
class Findings:
    """The findings in a recording, in order of time.

    source: the recording, aligned as a whole. said: what is to be cleaned: its text, or the text
    that earlier edits made of it; earlier: the cuts that they made.
    """

    source: AlignedRecording
    said: Transcript
    want: Cleaning
    earlier: tuple[Cut, ...] = ()

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
        """What it says."""
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
        for kind, first, last in disfluencies_in(self.said, want):
            if all(k in place for k in range(first, last)):  # not made by an earlier edit
                own = alignment.spoken[place[first]], alignment.spoken[place[last - 1]]
                label = f"“{self.said.written(first, last)}”"
                times = own[0].start, own[1].end
                cut = self._around(kind, place[first], place[last - 1])
                found.append(Finding(kind, label, *times, (first, last), cut))
        if {"breath", "click"} & set(want.kinds):
            taken = [(each.start, each.end) for each in found]
            taken += [(cut.start, cut.end) for cut in self.earlier]
            found += [
                each
                for each in breaths_and_clicks(self.recording, alignment, want)
                if not any(start < each.end and each.start < end for start, end in taken)
            ]
        return tuple(sorted(found, key=lambda each: (each.start, each.end)))

    def chosen(self, only: Iterable[str] = (), excepted: Iterable[str] = ()) -> list[Finding]:
        """The chosen finds, by number from 1 ("3", "5-9") or kind: all unless ``only`` names some,
        never those that ``excepted`` names. InputError for anything else."""
        only = list(only)
        wanted = self._numbers(only) if only else set(range(len(self.found)))
        return [self.found[k] for k in sorted(wanted - self._numbers(excepted))]

    def request(self, chosen: Sequence[Finding]) -> EditRequest:
        """The edit of `source` that takes these out."""
        gone = {
            f.words: seconds_of(frames_of(f.end) - frames_of(f.start))
            for f in chosen
            if f.words is not None
        }
        cuts = [*self.earlier, *(f.cut for f in chosen if f.cut is not None)]
        return EditRequest(
            new_text=_text_without(self.said, gone, mute=self.want.action == "mute"),
            cuts=_apart(cuts),
        )

    def describe(self, chosen: Sequence[Finding]) -> str:
        """A line for each, numbered; those that are not chosen in brackets."""
        if not self.found:
            return "Nothing was found."
        taken = set(map(id, chosen))
        return "\n".join(
            f"{number:4}  {each}" if id(each) in taken else f"({number:3}) {each}"
            for number, each in enumerate(self.found, 1)
        )

    def _is_quiet(self, start: float, end: float) -> bool:
        return is_quiet(self.recording, start, end, self._speech_power)

    @cached_property
    def _speech_power(self) -> float:
        return speech_power(self.recording, self.alignment)

    def _around(self, kind: str, first: int, last: int) -> Cut | None:
        """The cut that takes words ``first`` to ``last`` out with the silence that they brought."""
        spoken = self.alignment.spoken
        if self.want.action == "mute" or first == 0 or last + 1 == len(spoken):
            return None
        outer = spoken[first - 1].end, spoken[last + 1].start
        inner = spoken[first].start, spoken[last].end
        if kind == "repeat":  # the sound before it now precedes the repetition
            return Cut(kind, "cut", inner[0], outer[1])
        return Cut(kind, "cut", *with_silence(outer, inner, USUAL_GAP))

    def _numbers(self, names: Iterable[str]) -> set[int]:
        result: set[int] = set()
        for name in names:
            name = name.strip().lower()
            if (kind := name.removesuffix("s")) in ALL_KINDS:
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
                    f"({', '.join(ALL_KINDS)}); --plan lists what was found."
                )
            result |= set(range(first - 1, last))
        return result


def _text_without(said: Transcript, gone: Mapping[Span, float], mute: bool) -> str:
    """The text without these words, its other characters kept; muted words leave a [pause]."""
    places: list[Span] = []
    position, last_token = 0, -1
    for word in said.words:
        if word.token != last_token:
            found = said.text.find(word.written, position)
            position = found if found >= 0 else position
            places.append((position, position + len(word.written)))
            position, last_token = places[-1][1], word.token
    numbers = {token: n for n, token in enumerate(dict.fromkeys(w.token for w in said.words))}
    result, end = [], 0
    for first, last, seconds in _joined(gone):
        begin = places[numbers[said.words[first].token]][0]
        stop = places[numbers[said.words[last - 1].token]][1]
        removed = said.text[begin:stop]
        while stop < len(said.text) and said.text[stop].isspace():
            stop += 1
        result.append(said.text[end:begin])
        if mute:
            result.append(f"[pause {seconds:g}] ")
        elif removed[:1].isupper() and removed[:2] not in ("I ", "I'", "I,"):
            result.append(said.text[stop : stop + 1].upper())
            stop = min(stop + 1, len(said.text))
        end = stop
    return "".join([*result, said.text[end:]]).strip()


def _apart(cuts: Iterable[Cut]) -> tuple[Cut, ...]:
    """The cuts in order; overlapping ones, such as a filler and a noise beside it, as one."""
    result: list[Cut] = []
    for cut in sorted(cuts, key=lambda cut: (cut.start, cut.end)):
        if result and cut.start < result[-1].end:
            result[-1] = replace(result[-1], end=max(result[-1].end, cut.end))
        else:
            result.append(cut)
    return tuple(result)


def _joined(gone: Mapping[Span, float]) -> list[tuple[int, int, float]]:
    """Words that go and the time that they take, those behind each other together."""
    result: list[tuple[int, int, float]] = []
    for (first, last), seconds in sorted(gone.items()):
        if result and result[-1][1] == first:
            begin, _, before = result.pop()
            first, seconds = begin, before + seconds
        result.append((first, last, seconds))
    return result
