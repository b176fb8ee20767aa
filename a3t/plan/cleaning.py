"""Findings in a recording, and the edit that takes out what is chosen of them.

What the transcript has goes from the text; what it hasn't becomes a `Cut`. Both are edits of one
`EditPlan`.

What the transcript has not stands between two words of the alignment, which names it
(`alignment.result.Word.unwritten`). Between the words on both sides there remains as much silence
as this speaker usually leaves, no more than there was, and none of either word is taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from statistics import median, quantiles
from typing import Any

import numpy as np

from a3t.audio.analysis.pause_sounds import is_quiet, sounds_in_pauses, speech_power
from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.grid import frames_of, seconds_of
from a3t.plan.disfluencies import FILLERS, disfluencies_in, retakes_in, text_without
from a3t.plan.options import CleaningOptions
from a3t.plan.request import (
    ALL_KINDS,
    BLEEP,
    KINDS,
    NAMED,
    RETAKE,
    Cut,
    EditRequest,
    Track,
)
from a3t.plan.revision import word_map
from a3t.source.records import AlignedRecording
from a3t.spans import Span
from a3t.text.comparison.edit_script import edit_script
from a3t.text.transcript import Transcript
from alignment import Alignment, Word

KIND_OF = {"<um>": "filler", "<repeat>": "repeat", "<noise>": "noise"}
LONGEST_SOUND = 1.6  # seconds; what is longer may be speech that the text lacks
LONGEST_SPEECH = 0.35  # seconds of unnamed speech in a pause; one with more is left alone
# Seconds, times the aligner's trust.
LEAST_OF = {"<um>": 0.04, "<repeat>": 0.04, "<speech>": 0.16, "<noise>": 0.16}
ALONE = 0.05  # seconds of silence beside a sound that stands alone
# A sound that doesn't is taken for one where it is less likely that the text is whole.
LACKING = 0.5
SURE_PAUSE = 5.0  # from so many seconds on, the level alone shows speech in a pause
FEW = 4  # pauses; with fewer a speaker's rhythm is not known
BETWEEN = 0.12  # seconds of silence that remain between two words of a phrase
USUAL_GAP, USUAL_PAUSE = 0.25, 0.6  # seconds, where it isn't
LEAST_PAUSE = 0.3  # seconds that remain of a long one
EDGE = 0.03  # seconds beside a sound that go with it
OWNED = ("'s", "'")  # what may follow a name that is hidden


@dataclass(frozen=True, kw_only=True)
class Cleaning(CleaningOptions):
    """The disfluencies to look for, and what to do with them; InputError for a value out of range.

    kinds: some of ALL_KINDS. fillers: words and phrases, in any case, that count as fillers where
    the transcript has them. Pauses are always shortened, breaths and clicks always muted.
    hidden: words and phrases, such as names, that are muted, or with ``bleep`` covered by a tone.
    """

    kinds: tuple[str, ...] = KINDS
    fillers: tuple[str, ...] = FILLERS
    hidden: tuple[str, ...] = ()
    bleep: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if unknown := sorted(set(self.kinds) - set(ALL_KINDS)):
            raise InputError(f"“{unknown[0]}” is not one of {', '.join(ALL_KINDS)}.")
        if self.shorten_to is not None and self.shorten_to > self.longest:
            raise InputError(
                f"Pauses can't be shortened to {self.shorten_to:g} s: use at most the longest "
                f"that stays, {self.longest:g} s."
            )

    def silence(self, found: Finding) -> float:
        """Seconds of silence that stand in the place of a finding's words; 0 if they are cut."""
        mute = self.action == "mute" or found.kind == NAMED
        return seconds_of(frames_of(found.end) - frames_of(found.start)) if mute else 0.0


def listed(value: str) -> tuple[str, ...]:
    """Names with commas between them."""
    return tuple(filter(None, (name.strip().lower() for name in value.split(","))))


def cleaning_of_lists(find: str | None, mute: str, bleep: str, **more: Any) -> Cleaning:
    """A cleaning by lists: kinds to ``find``, by default the usual ones if no words are to be
    hidden; words to ``mute`` or to ``bleep``; ``more`` of a `Cleaning`. InputError."""
    if mute and bleep:
        raise InputError("Words can't be muted and bleeped at once: clean twice.")
    hidden = listed(mute or bleep)
    kinds = listed(find) if find is not None else () if hidden else KINDS
    if not kinds and not hidden:
        raise InputError(f"No kind is named: omit the list, or choose from {', '.join(ALL_KINDS)}.")
    named = tuple(kind.removesuffix("s") for kind in kinds)
    return Cleaning(kinds=named, hidden=hidden, bleep=bool(bleep), **more)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to take out: its kind, the words or the sound, and its seconds in the recording.

    words: [first, last) of the text that are to go; cut: what else is, or the silence that goes
    with them. again: of an attempt, the seconds of the take that stays.
    """

    kind: str
    text: str
    start: float
    end: float
    words: Span | None = None
    cut: Cut | None = None
    again: tuple[float, float] | None = None

    def shown(self) -> dict[str, Any]:
        """It as JSON has it, for people and the page; times are rounded."""
        shown = {"kind": self.kind, "text": self.text, "start": round(self.start, 4)}
        again = {"again": [round(second, 4) for second in self.again]} if self.again else {}
        return shown | {"end": round(self.end, 4)} | again

    def __str__(self) -> str:
        again = f", again at {self.again[0]:.2f} s" if self.again else ""
        return f"{self.kind:7} {self.start:9.2f} – {self.end:.2f} s  {self.text}{again}"


def between_words(
    alignment: Alignment, want: Cleaning, is_quiet: Callable[[float, float], bool] | None = None
) -> Iterator[Finding]:
    """Sounds between the words that no text has. ``is_quiet``: whether the sound from one second
    to another is so much quieter than the words that none can be in it."""
    runs = [(silent, list(own)) for silent, own in groupby(alignment.words, attrgetter("is_pause"))]
    gaps = [own for silent, own in runs if silent]
    # Gaps whose next word stands alone: it may repeat the word before it.
    again = {
        id(runs[k][1])
        for k in range(len(runs) - 2)
        if runs[k][0] and len(runs[k + 1][1]) == 1 and runs[k + 2][1][0].duration >= ALONE
    }
    inner = [own for own in gaps if _is_inner(own, alignment)]
    plain = [own[-1].end - own[0].start for own in inner if not _sounds(own, False, True)]
    plain = [seconds for seconds in plain if seconds <= want.longest]
    gap = median(plain) if len(plain) >= FEW else USUAL_GAP
    usual = quantiles(plain, n=4)[2] if len(plain) >= FEW else USUAL_PAUSE
    kept = want.shorten_to or min(max(usual, LEAST_PAUSE), want.longest)
    for own in gaps:
        between = _is_inner(own, alignment)
        sounds = _sounds(own, id(own) in again, between)
        taken = sounds and (between or any(sound.unwritten == "<um>" for sound in sounds))
        found = list(_sound(own, sounds, min(gap, USUAL_GAP), want)) if taken else []
        yield from found
        if not found and between and "pause" in want.kinds and not _holds_speech(own, is_quiet):
            # What is named there, and didn't count, may be part of a word.
            silent = [word for word in own if not word.unwritten] or [own[0]]
            start, end = max(
                ((w.start, w.end) for w in silent), key=lambda times: times[1] - times[0]
            )
            if end - start > max(want.longest, kept + BETWEEN):
                cut = Cut("pause", "cut", start + kept / 2, end - kept / 2)
                label = f"a pause of {end - start:.2f} s → {kept:.2f} s"
                yield Finding("pause", label, start, end, cut=cut)


def breaths_and_clicks(
    recording: Recording, alignment: Alignment, want: Cleaning
) -> Iterator[Finding]:
    """Breaths or clicks in pauses without other finds; muted, so that the rhythm stays."""
    silent = [
        (word.start, word.end)
        for word in alignment.words
        if word.is_pause and not word.unwritten and word.start > 0 and word.end < alignment.duration
    ]
    for each in sounds_in_pauses(recording, silent):
        if each.kind in want.kinds:
            cut = Cut(each.kind, "mute", each.start, each.end)
            yield Finding(each.kind, f"a {each.kind}", each.start, each.end, cut=cut)


def _sound(
    own: Sequence[Word], sounds: Sequence[Word], gap: float, want: Cleaning
) -> Iterator[Finding]:
    """A gap's sound, taken out with what silence is too much, or muted."""
    kind = KIND_OF.get(max(sounds, key=lambda word: word.duration).unwritten)
    start, end = sounds[0].start, sounds[-1].end
    if kind is None or kind not in want.kinds or end - start > LONGEST_SOUND:
        return
    before, after = start - own[0].start, own[-1].end - end
    if want.action == "mute":
        cut = Cut(kind, "mute", start - min(before, EDGE), end + min(after, EDGE))
    else:
        outer = own[0].start, own[-1].end
        kept = BETWEEN if kind == "repeat" else gap
        cut = Cut(kind, "cut", *with_silence(outer, (start, end), kept))
    label = {"filler": "a filled pause", "repeat": "a repetition", "noise": "a noise"}[kind]
    yield Finding(kind, f"{label} that the text doesn't have", start, end, cut=cut)


def with_silence(
    outer: tuple[float, float], inner: tuple[float, float], kept: float
) -> tuple[float, float]:
    """The sound `inner` and of the silence around it, up to `outer`, what is more than `kept`
    seconds: half of that stays on either side, as far as there is any. A little silence beside the
    sound goes with it, so that the joint doesn't lie at its edge."""
    before, after = inner[0] - outer[0], outer[1] - inner[1]
    before, after = (side - min(side / 2, EDGE) for side in (before, after))
    left = min(before + after, kept)
    first = min(before, max(left / 2, left - after))
    return outer[0] + first, outer[1] - (left - first)


def _is_inner(own: Sequence[Word], alignment: Alignment) -> bool:
    """True if there are words before a gap and after it."""
    return own[0].start > 0 and own[-1].end < alignment.duration


def _sounds(own: Sequence[Word], again: bool, inner: bool) -> list[Word]:
    """Those of a gap that are surely there. Part of a word can look like one: so what stands in no
    silence counts where the text lacks something, which the aligner tells between two words
    (``inner``), a noise only with silence on one side; or if what follows in the text is said by
    itself (``again``)."""
    result: list[Word] = []
    for k, word in enumerate(own):
        least = LEAST_OF.get(word.unwritten, 1.0)
        if not word.unwritten or word.duration * (1 - word.score) <= least:
            continue
        before, after = (
            0 <= n < len(own) and not own[n].unwritten and own[n].duration >= ALONE
            for n in (k - 1, k + 1)
        )
        lacking = inner and word.phones[0].score < LACKING
        if word.unwritten in ("<speech>", "<noise>"):
            lacking = lacking and (before or after)
        if (before and after) or lacking or (after and again):
            result.append(word)
    return result


def _holds_speech(
    own: Sequence[Word], is_quiet: Callable[[float, float], bool] | None = None
) -> bool:
    """True if there is speech in a pause that the aligner gave no name. In a long one the little
    that it is unsure of every second adds up, so there it counts how loud it is."""
    unsure = [word for word in own if word.duration * (1 - word.score) > LONGEST_SPEECH]
    return any(
        word.duration < SURE_PAUSE or is_quiet is None or not is_quiet(word.start, word.end)
        for word in unsure
    )


FRAME = 0.05  # seconds
FLOOR_SHARE, SPEECH_SHARE = 0.1, 0.95  # of the frames are below the room's level, and speech's
ABOVE_FLOOR, BELOW_SPEECH = 8.0, 25.0  # dB
SILENCE = 1e-10  # power, full scale at 1


@dataclass(frozen=True, eq=False)
class TrackActivity:
    """Frames of 50 ms, (n,) of bool: true where somebody is heard on a track."""

    loud: np.ndarray

    @classmethod
    def of(cls, track: Recording) -> TrackActivity:
        """Measure a track; it is read once, by blocks."""
        size, kept, found = round(FRAME * track.sample_rate), np.empty((0, track.channels)), []
        for block in track.blocks():
            sound = np.concatenate([kept, to_float(block)])
            whole = len(sound) // size * size
            power = np.square(sound[:whole]).reshape(-1, size * track.channels).mean(axis=1)
            found.append(power)
            kept = sound[whole:]
        powers = np.concatenate([*found, [np.square(kept).mean()] if kept.size else []])
        floor, speech = np.quantile(powers, [FLOOR_SHARE, SPEECH_SHARE])
        limit = max(floor * 10 ** (ABOVE_FLOOR / 10), speech * 10 ** (-BELOW_SPEECH / 10), SILENCE)
        return cls(powers > limit)

    def written(self) -> str:
        """A 0 or 1 for each frame."""
        return "".join("01"[each] for each in self.loud.astype(int))

    @classmethod
    def read(cls, written: str) -> TrackActivity:
        """The inverse of `written`."""
        return cls(np.array([each == "1" for each in written], bool))

    def is_silent(self, start: float, end: float) -> bool:
        """True if nobody is heard from one second to another."""
        first, last = int(start / FRAME), int(np.ceil(end / FRAME))
        return not bool(self.loud[first:last].any())


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

    def chosen(self, only: Iterable[str] = (), excepted: Iterable[str] = ()) -> list[Finding]:
        """The chosen finds, by number from 1 ("3", "5-9") or kind: all unless ``only`` names some,
        never those that ``excepted`` names. InputError for anything else."""
        only = list(only)
        wanted = self._numbers(only) if only else set(range(len(self.found)))
        return [self.found[k] for k in sorted(wanted - self._numbers(excepted))]

    def request(self, chosen: Sequence[Finding]) -> EditRequest:
        """The edit of `source` that takes these out."""
        gone = {f.words: self.want.silence(f) for f in chosen if f.words is not None}
        cuts = [*self.earlier, *(f.cut for f in chosen if f.cut is not None)]
        return EditRequest(
            new_text=text_without(self.said, gone),
            cuts=_apart(cuts),
            tracks=self.tracks,
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

    @cached_property
    def _retakes(self) -> dict[Span, tuple[float, float]]:
        """The attempts among the words of the text, and when they are said again; none once an
        edit has changed the text."""
        if self.said.spoken != self.text.spoken:
            return {}
        spoken = self.alignment.spoken
        return {
            each.attempt: (spoken[each.again[0]].start, spoken[each.again[1] - 1].end)
            for each in retakes_in(self.said, self.alignment)
        }

    def _spoken_elsewhere(self, each: Finding) -> bool:
        """True if taking this out would take out what is said on another track."""
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
        """The cut that takes words ``first`` to ``last`` out with the silence that they brought."""
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
                    f"({', '.join(ALL_KINDS)}); --plan lists what was found."
                )
            result |= set(range(first - 1, last))
        return result


def _apart(cuts: Iterable[Cut]) -> tuple[Cut, ...]:
    """The cuts in order; overlapping ones, such as a filler and a noise beside it, as one."""
    result: list[Cut] = []
    for cut in sorted(cuts, key=lambda cut: (cut.start, cut.end)):
        if result and cut.start < result[-1].end:
            result[-1] = replace(result[-1], end=max(result[-1].end, cut.end))
        else:
            result.append(cut)
    return tuple(result)


def places_of(names: Sequence[str], said: Transcript) -> Iterator[Span]:
    """Words [first, last) of a transcript that are one of some words or phrases, or its genitive;
    written tokens are whole. In order and apart, the longest first where several begin."""
    phrases = {tuple(Transcript.from_text(name).spoken) for name in names if _is_spoken(name)}
    longest = max(map(len, phrases), default=0)
    words, k = said.words, 0
    while k < len(words):
        sizes = range(min(longest, len(words) - k), 0, -1)
        size = next((n for n in sizes if _is_one(said.spoken[k : k + n], phrases)), 0)
        if size:
            first, last = k, k + size
            while first > 0 and words[first - 1].token == words[first].token:
                first -= 1
            while last < len(words) and words[last - 1].token == words[last].token:
                last += 1
            yield first, last
            k = last
        else:
            k += 1


def _is_spoken(name: str) -> bool:
    return re.search(r"\w", name) is not None


def _is_one(words: Sequence[str], phrases: set[tuple[str, ...]]) -> bool:
    bare = next((words[-1].removesuffix(end) for end in OWNED if words[-1].endswith(end)), "")
    return tuple(words) in phrases or (*words[:-1], bare) in phrases
