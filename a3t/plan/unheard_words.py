"""Words that the text has, the recording lacks and the new text drops: no sound goes with them.

"Chapter 3", a page's number or a name before a turn may stand in a text and not be read. The
aligner squeezes such words in somewhere; cutting there would remove speech.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from a3t.plan.revision import Revision
from a3t.source.records import FoundTranscript
from a3t.spans import Span
from alignment import Alignment, AlignmentError
from alignment.confidence.doubts import places_of_unwritten
from alignment.result import DOUBTFUL_BELOW

Ranges = tuple[Span, ...]
Align = Callable[[FoundTranscript, Revision], tuple[Alignment, Ranges]]

WORSE = 0.1  # a neighbour's confidence falls by more where a word that was said is left out


@dataclass(frozen=True)
class HeardWords:
    """A recording's words as far as they are heard, what changes in them, and their alignment.

    ranges: of the text's words, those that are aligned. unheard: the written words that were left
    out of the text, since they go and aren't heard.
    """

    found: FoundTranscript
    revision: Revision
    alignment: Alignment
    ranges: Ranges
    unheard: tuple[str, ...] = ()


def heard_words(
    found: FoundTranscript, revision: Revision, align: Align, search: bool = True
) -> HeardWords:
    """Align a recording's text; leave out the words that go and aren't heard.

    They are those that the aligner doubts, and without which it finds no sound in their place and
    the words beside them no less clearly; none, unless ``search``. Raises the errors of ``align``.
    """
    try:
        all_words = HeardWords(found, revision, *align(found, revision))
    except AlignmentError as error:
        dropped = [edit.old for edit in revision.edits if edit.op == "delete"]
        if not (search and error.doubtful and dropped):
            raise
        try:
            rest = _without(found, revision, dropped, align)
        except AlignmentError:
            raise error from None
        if len(_confirmed(dropped, None, rest)) < len(dropped):
            raise
        return rest
    for whole in (True, False) if search else ():
        runs = _doubted(revision, all_words, whole)
        while runs:
            try:
                rest = _without(found, revision, runs, align)
            except AlignmentError:  # then something of them is said
                break
            confirmed = _confirmed(runs, all_words, rest)
            if len(confirmed) == len(runs):
                return rest
            runs = confirmed
    return all_words


def _doubted(revision: Revision, heard: HeardWords, whole: bool) -> list[Span]:
    """Return the runs of words that the new text has nothing in place of and that may be unheard.

    whole: all words of each deletion that has a doubtful one or is beside one, which may have its
    sound; else the doubtful words alone, and those of replaced words where others are heard.
    """
    scores = _scores(heard)
    tokens = [word.token for word in revision.text.words]
    gone = {k for edit in revision.edits for k in range(*edit.old)}
    kept = {token for k, token in enumerate(tokens) if k not in gone}

    def is_doubtful(word: int) -> bool:
        return scores.get(word, 1.0) < DOUBTFUL_BELOW

    runs: list[Span] = []
    for edit in revision.edits:
        first, last = edit.old
        words = [k for k in range(first, last) if is_doubtful(k)]
        if whole:
            beside = words or is_doubtful(first - 1) or is_doubtful(last)
            own = [edit.old] if edit.op == "delete" and beside else []
        else:
            own = [(k, k + 1) for k in words if edit.op == "delete" or len(words) < last - first]
        runs += [run for run in own if not kept & set(tokens[slice(*run)])]
    return _joined(runs)


def _joined(runs: Iterable[Span]) -> list[Span]:
    """Join spans that touch."""
    result: list[Span] = []
    for first, last in runs:
        if result and result[-1][1] == first:
            first, _ = result.pop()
        result.append((first, last))
    return result


def _without(
    found: FoundTranscript, revision: Revision, runs: Sequence[Span], align: Align
) -> HeardWords:
    """Align the text without these words."""
    gone = {k for first, last in runs for k in range(first, last)}
    text = found.transcript.without(gone)
    times = found.times and [time for k, time in enumerate(found.times) if k not in gone]
    place = [*accumulate((k not in gone for k in range(len(found.transcript.words))), initial=0)]
    cues = tuple(
        cue._replace(
            words=(place[first], place[last]), text="" if gone & {*range(first, last)} else cue.text
        )
        for cue in found.cues
        for first, last in [cue.words]
        if first == last or place[first] < place[last]
    )
    rest = replace(found, transcript=text, times=times, cues=cues)
    revised = Revision.of(text, revision.new_text)
    unheard = tuple(found.transcript.said(*run) for run in runs)
    return HeardWords(rest, revised, *align(rest, revised), unheard)


def _confirmed(runs: Sequence[Span], before: HeardWords | None, after: HeardWords) -> list[Span]:
    """Return the runs whose place holds no speech once they are left out."""
    old = _scores(before) if before else {}
    new = _scores(after)
    unwritten = _unwritten(after)
    result: list[Span] = []
    shift = 0
    for first, last in runs:
        place = first - shift
        shift += last - first
        beside = ((first - 1, place - 1), (last, place))
        clear = all(new.get(now, 1.0) >= old.get(then, 0.0) - WORSE for then, now in beside)
        if clear and place not in unwritten:
            result.append((first, last))
    return result


def _indices(ranges: Iterable[Span]) -> list[int]:
    return [k for first, last in ranges for k in range(first, last)]


def _scores(heard: HeardWords) -> dict[int, float]:
    """Return the confidence of each aligned word, by its number in the text."""
    words = zip(_indices(heard.ranges), heard.alignment.spoken, strict=True)
    return {k: word.score for k, word in words}


def _unwritten(heard: HeardWords) -> set[int]:
    """Return the words, by their number in the text, before which sound stands without a word."""
    places = _indices(heard.ranges)
    after_last = [places[-1] + 1] if places else []
    return {[*places, *after_last][k] for k in places_of_unwritten(heard.alignment)}
