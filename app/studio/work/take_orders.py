"""Requests of the page as jobs for takes, as they are handed to the worker's process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.options import PAGE, EditOptions, option_of, read_options
from a3t.plan.request import Cut, EditRequest, OtherRecording, PlacedWords
from a3t.plan.reuse import MAX_OFFERED_WORDS, MIN_WORDS
from a3t.plan.revision import written_tokens
from a3t.projects.document import Change, MissingWordsError, RecordedWords
from a3t.projects.store.project_state import SpeakerTrack
from a3t.projects.store.words import HeardWords, Token, places_of
from a3t.projects.take_record import TakeRecord
from a3t.text.transcript import Transcript, parsed
from alignment import Word
from alignment.result import covering
from app import texts
from app.models import Models, check_offered
from app.studio.sent import Sent

SPEED = option_of(EditOptions, "speed")
NAMES = ("model", "vocoder", "aligner", "voice")
NEAR = 80  # tokens on each side of an edit that its maker is given
WIDE = 900  # tokens on each side among which new words are looked for, some five minutes
MAX_RECORDED_PLACES = 4  # where they are recorded
FAR = 10.0  # seconds; an edit farther away is of no account


def settings_of(given: Mapping[str, object]) -> tuple[EditRequest, Models]:
    """Return the settings of new words, each value in its range, and the models; InputError."""
    models = Models(**{name: str(given[name]) for name in NAMES if given.get(name)})
    check_offered(models)
    options = vars(read_options(EditOptions, PAGE, given)) | {"moves": False}
    return EditRequest(new_text="", **options), models


@dataclass(frozen=True, kw_only=True)
class TakeJob:
    """A take to be made of a change, with what stands around it.

    tokens, pauses: those around the change, in order. first, last: its range among the tokens.
    text: the new words, "" for none. recorded: which of them are recorded as which of the tokens;
    taken: which in the `others`, as a request has it but counted in the text. cut: sound between
    words that goes. room: seconds of kept speech before and after the change up to another one.
    request: all but its words, by the settings. pace: relative to the settings' speed. duration: of
    the new words in seconds, or None. lengths: of each new word and pause, or None. varied: whether
    it is to differ from the others by itself. base: the take whose length is changed, or None.
    number: of the take. level: the first take's. said: a
    recording of the new words. tracks: of which the recording consists, if of several. others:
    recordings in which some of the words are said, too. channels: of what the page plays.
    """

    recording: Recording
    channels: int
    tokens: Sequence[Token]
    pauses: Sequence[Word]
    first: int
    last: int
    text: str
    cut: Cut | None
    room: tuple[float, float]
    request: EditRequest
    pace: float = 1.0
    duration: float | None = None
    lengths: tuple[tuple[float, ...], ...] | None = None
    varied: bool = False
    base: int | None = None
    number: int = 0
    level: float | None = None
    said: Path | None = None
    tracks: tuple[SpeakerTrack, ...] = ()
    others: tuple[OtherRecording, ...] = ()
    recorded: tuple[RecordedWords, ...] = ()
    taken: tuple[PlacedWords, ...] = ()

    @property
    def timed_request(self) -> EditRequest:
        """The request with this take's pace and times."""
        as_it_comes = self.pace == 1.0 and self.duration is None and self.lengths is None
        return replace(
            self.request,
            speed=SPEED.clipped(self.request.speed * self.pace),
            fit=self.request.fit and as_it_comes and self.said is None,
            duration=self.duration,
            lengths=self.lengths,
            others=(OtherRecording(self.said, punch_in=True),) if self.said else self.others,
        )


@dataclass(frozen=True)
class TakeWish:
    """How a further take of a change is to be: as in `TakeJob`."""

    pace: float = 1.0
    duration: float | None = None
    lengths: tuple[tuple[float, ...], ...] | None = None
    varied: bool = False
    base: int | None = None
    said: Path | None = None

    @classmethod
    def of(cls, sent: Sent, takes: Sequence[TakeRecord]) -> TakeWish:
        """Return what a request wants of another take beside `takes`.

        Raises InputError for a word of a take that isn't there.
        """
        pace = SPEED.read(sent.get("pace"))
        seconds = option_of(EditOptions, "duration").read(sent.get("duration"))
        lengths = None if sent.get("word") is None else lengths_with(takes, sent)
        varied = pace == 1.0 and seconds is None and lengths is None
        own = next((take for take in takes if take.number == sent.whole("take")), None)
        base = None if own is None else own.number if own.base is None else own.base
        return cls(pace, seconds, lengths, varied, None if varied else base)


def _span(edit: Change, first: int, last: int, tokens: Sequence[Token]) -> tuple[float, float]:
    """Return the seconds at which what an edit replaces begins and ends.

    An insertion ends where the word before it does, and begins where the next one begins.
    """
    if edit.cut is not None and first == last:
        return edit.cut.start, edit.cut.end
    start = tokens[first].start if first < len(tokens) else float("inf")
    end = tokens[last - 1].end if last > 0 else 0.0
    if edit.cut is not None:
        return min(start, edit.cut.start), max(end, edit.cut.end)
    return start, end


def recorded_reach(change: Change, heard: HeardWords) -> tuple[int, int] | None:
    """Return how many tokens before and after a change hold its few new words, recorded.

    The nearest places count; None if there is none. Raises InputError if its own are gone.
    """
    wanted, (first, last) = _new_words(change, heard.tokens)
    if not 0 < len(wanted) <= MAX_OFFERED_WORDS:
        return None
    return _reach(_recorded(wanted, heard.tokens, first, last), first, last)


def moved_reach(change: Change, heard: HeardWords) -> tuple[int, int] | None:
    """Return `recorded_reach` of the nearest place where the new words are recorded in a row.

    None unless they are so many that their recording is moved instead of others being made, as
    `a3t edit` moves them (`a3t.plan.reuse`).
    """
    wanted, (first, last) = _new_words(change, heard.tokens)
    if len(wanted) < MIN_WORDS:
        return None
    return _reach(_recorded(wanted, heard.tokens, first, last)[:1], first, last)


def sources_for(
    change: Change, heard: HeardWords, sources: Iterable[OtherRecording]
) -> tuple[OtherRecording, ...]:
    """Return the other recordings in which some MIN_WORDS of the new words are said in a row.

    Each has what is said around most of these alone: an hour's words would be kept with every take.
    """
    wanted, _ = _new_words(change, heard.tokens)
    rows = {tuple(wanted[k : k + MIN_WORDS]) for k in range(len(wanted) - MIN_WORDS + 1)}
    found = []
    for source in sources if rows else ():
        assert source.transcript is not None and source.alignment is not None
        said = source.transcript.spoken
        runs: list[list[int]] = []
        for k in (k for k in range(len(said)) if said[k : k + MIN_WORDS] in rows):
            if not runs or runs[-1][-1] != k - 1:
                runs.append([])
            runs[-1].append(k)
        if longest := max(runs, key=len, default=None):
            found.append(_around(source, longest[0] - NEAR, longest[-1] + MIN_WORDS + NEAR)[1])
    return tuple(found)


def placed_sources(
    change: Change, sources: Iterable[OtherRecording]
) -> tuple[tuple[OtherRecording, ...], tuple[PlacedWords, ...]]:
    """Return the other recordings that a change's words were taken from, and which words they are.

    Each has what is said around these alone. Raises InputError for words that aren't there.
    """
    known = {source.path.name: source for source in sources}
    others, taken = [], []
    for file in dict.fromkeys(each.file for each in change.recorded or () if each.file):
        source, own = known.get(file), [e for e in change.recorded or () if e.file == file]
        if source is None or source.transcript is None:
            raise InputError(texts.OTHER_GONE)
        spoken: dict[int, list[int]] = {}
        for words, written in written_tokens(source.transcript):
            for number in range(*written):
                spoken.setdefault(number, []).extend(words)
        numbers = {number for each in own for number in each.tokens}
        if not numbers <= spoken.keys():
            raise InputError(texts.OTHER_GONE)
        first = min(min(spoken[number]) for number in numbers) - NEAR
        last = max(max(spoken[number]) for number in numbers) + NEAR
        first, part = _around(source, first, last)
        others.append(part)
        for each in own:
            for k, number in enumerate(each.tokens):
                old = (min(spoken[number]) - first, max(spoken[number]) - first)
                taken.append(PlacedWords((each.at + k, each.at + k + 1), old, len(others)))
    return tuple(others), tuple(taken)


def _around(source: OtherRecording, first: int, last: int) -> tuple[int, OtherRecording]:
    """Return another recording with its words [first, last) alone, up to whole written ones.

    With it comes the number of the first of them.
    """
    text, aligned = source.transcript, source.alignment
    assert text is not None and aligned is not None
    first, last = max(first, 0), min(last, len(text.words))
    while first > 0 and text.words[first].token == text.words[first - 1].token:
        first -= 1
    while last < len(text.words) and text.words[last].token == text.words[last - 1].token:
        last += 1
    own = aligned.spoken[first:last]
    part = Transcript.of_spoken([word.text for word in own]).written_as(text.written(first, last))
    start, end = own[0].start - FAR, own[-1].end + FAR
    pauses = [w for w in aligned.words if w.is_pause and start < w.end and w.start < end]
    within = covering(own, aligned.duration, aligned.score, pauses)
    return first, replace(source, text=part.text, alignment=within)


def _new_words(change: Change, tokens: Sequence[Token]) -> tuple[list[str], tuple[int, int]]:
    """Return the spoken words that a change adds, without those that stay at its ends.

    With them comes their range.
    """
    first, last = change.place_in(places_of(tokens), len(tokens))
    wanted: list[str] = []
    with suppress(InputError):  # nothing is spoken in a deletion, or in a pause
        wanted += parsed(change.text).spoken
    own = [word.text for token in tokens[first:last] for word in token.words]
    while own and wanted and own[0] == wanted[0]:
        own, wanted = own[1:], wanted[1:]
    while own and wanted and own[-1] == wanted[-1]:
        own, wanted = own[:-1], wanted[:-1]
    return wanted, (first, last)


def _recorded(wanted: list[str], tokens: Sequence[Token], first: int, last: int) -> list[int]:
    """Return the tokens at which these words are recorded, beside a change's, nearest first."""
    said = [
        ("" if first <= k < last else word.text, k)
        for k in range(max(0, first - WIDE), min(len(tokens), last + WIDE))
        for word in tokens[k].words[: 1 if first <= k < last else None]
    ]
    places = [
        said[n][1]
        for n in range(len(said))
        if said[n][0] == wanted[0] and [text for text, _ in said[n : n + len(wanted)]] == wanted
    ]
    return sorted(places, key=lambda k: abs(k - first))[:MAX_RECORDED_PLACES]


def _reach(places: Sequence[int], first: int, last: int) -> tuple[int, int] | None:
    if not places:
        return None
    return max(0, first - min(places)) + NEAR, max(0, max(places) - last) + NEAR


def job_of(
    edit: Change,
    beside: Sequence[Change],
    heard: HeardWords,
    reach: tuple[int, int] = (NEAR, NEAR),
    is_whole: bool = True,
    **more: Any,
) -> TakeJob:
    """Return the job for an edit and those beside it, among the words that are heard.

    reach: how many tokens before and after it. is_whole: whether words that it moves are taken, not
    made. more: of a `TakeJob`. Raises InputError if the edit's own words are gone.
    """
    tokens = heard.tokens
    ids = places_of(tokens)
    first, last = edit.place_in(ids, len(tokens))
    before = after = FAR
    start, end = _span(edit, first, last, tokens)
    for other in beside:
        if other.key == edit.key:
            continue
        try:
            begin, stop = other.place_in(ids, len(tokens))
        except InputError:
            continue
        since, until = _span(other, begin, stop, tokens)
        if (begin, stop) <= (first, last) and stop <= first:
            before = min(before, start - until)
        elif last <= begin:
            after = min(after, since - end)
    text, recorded = edit.text, edit.recorded_words({t.id: t.said for t in tokens[first:last]})
    recorded = tuple(each for each in recorded if not each.file)
    name = f"{tokens[first].speaker}:" if first < last and tokens[first].speaker else ""
    if name and text.startswith(name):  # as a text that was handed over has it
        text, by = text.removeprefix(name).strip(), len(name.split())
        recorded = tuple(replace(each, at=each.at - by) for each in recorded if each.at >= by)
    if not is_whole:
        recorded = tuple(each for each in recorded if set(each.tokens) <= set(edit.tokens))
    moved = [ids.get(token, -1) for each in recorded for token in each.tokens]
    if -1 in moved:
        raise MissingWordsError
    near = max(0, min([first - reach[0], *(k - NEAR for k in moved)]))
    around = tokens[near : max([last + reach[1], *(k + NEAR for k in moved)])]
    if not around:
        raise InputError(texts.NO_WORD)
    since, until = around[0].start - FAR, around[-1].end + FAR
    return TakeJob(
        tokens=around,
        pauses=[p for p in heard.pauses if since < p.end and p.start < until],
        first=first - near,
        last=last - near,
        text=text,
        cut=edit.cut,
        room=(max(before, 0.0), max(after, 0.0)),
        recorded=recorded,
        **more,
    )


def lengths_with(takes: Sequence[TakeRecord], sent: Sent) -> tuple[tuple[float, ...], ...]:
    """Return the lengths of a take's words and pauses, with those that a request changes.

    Raises InputError if there is no such take or word.
    """
    wanted, word = sent.whole("take"), sent.whole("word")
    for take in takes:
        if take.number == wanted and word is not None:
            if not (0 <= word < len(take.words) and (place := take.words[word].length)):
                break
            changed = [list(own) for own in take.lengths]
            changed[place[0]][place[1]] = sent.number("seconds", 0.3, 0.02, 60.0)
            return tuple(map(tuple, changed))
    raise InputError(texts.NO_WORD)
