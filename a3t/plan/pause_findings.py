"""Sounds between the words that no text has, and long pauses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from statistics import median, quantiles

from a3t.audio.analysis.pause_sounds import sounds_in_pauses
from a3t.audio.reading.recording import Recording
from a3t.plan.cleaning import Cleaning, Finding
from a3t.plan.request import (
    Cut,
)
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


def between_words(
    alignment: Alignment, want: Cleaning, is_quiet: Callable[[float, float], bool] | None = None
) -> Iterator[Finding]:
    """Yield the sounds between words that no text has, and long pauses.

    is_quiet: tells whether the sound between two times in seconds is too quiet for speech.
    """
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
    """Find breaths or clicks in pauses without other finds, to be muted: the rhythm stays."""
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
    """Yield a gap's sound, cut with its surplus silence, or muted."""
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
    """Extend a sound by the surplus silence around it.

    outer: the seconds between the words. inner: those of the sound. kept: seconds of silence that
    remain, half on either side where possible. A little silence beside the sound goes with it, so
    that the joint doesn't lie at its edge.
    """
    before, after = inner[0] - outer[0], outer[1] - inner[1]
    before, after = (side - min(side / 2, EDGE) for side in (before, after))
    left = min(before + after, kept)
    first = min(before, max(left / 2, left - after))
    return outer[0] + first, outer[1] - (left - first)


def _is_inner(own: Sequence[Word], alignment: Alignment) -> bool:
    """Return whether a gap lies between two words."""
    return own[0].start > 0 and own[-1].end < alignment.duration


def _sounds(own: Sequence[Word], again: bool, inner: bool) -> list[Word]:
    """Return the sounds of a gap that are certain.

    Part of a word can look like one. A sound without silence on both sides counts only where the
    text lacks something, which the aligner tells between two words (``inner``; for a noise with
    silence on one side), or where the next word may be a repetition (``again``).
    """
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
    """Return whether a pause holds speech that the aligner did not name.

    In a long pause small doubts add up, so the level decides there.
    """
    unsure = [word for word in own if word.duration * (1 - word.score) > LONGEST_SPEECH]
    return any(
        word.duration < SURE_PAUSE or is_quiet is None or not is_quiet(word.start, word.end)
        for word in unsure
    )
