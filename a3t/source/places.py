"""The places where a recognised text and a new one differ, word by word, and texts made of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

from a3t.source.records import FoundTranscript, Place
from a3t.spans import Span
from a3t.text.comparison.edit_script import minimal_script
from a3t.text.phones import VOWELS, strip_stress
from a3t.text.pronunciation.lexicon import lookup
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript, TranscriptWord

MOST_PAIRS = 2500  # of words that are paired one by one
VOWELS_DIFFER = 0.5  # of a phone, where words are paired: "in" is rather "and" than "south" is


def places_between(heard: Transcript, new: Transcript, pronouncer: Pronouncer) -> list[Place]:
    """Return the places where two texts differ, each as small as can be.

    It is word by word where several stand for several. ``new``: as `respelled` gives it.
    """
    found: list[Place] = []
    for edit in minimal_script(heard.spoken, new.spoken):
        old, own = heard.spoken[slice(*edit.old)], new.spoken[slice(*edit.new)]
        if len(old) * len(own) > MOST_PAIRS:
            found.append(Place(edit.old, edit.new))
            continue
        choices = pronouncer.choices((*old, *own))
        ways = (
            [tuple(map(strip_stress, choices[word][0])) for word in text] for text in (old, own)
        )
        for (a, b), (c, d) in _matched(*ways):
            i, j = edit.old[0], edit.new[0]
            here = Place((i + a, i + b), (j + c, j + d))
            if found and _is_one(found[-1], here):
                here = joined(found.pop(), here)
            found.append(here)
    return found


def written_together(heard: Transcript, new: Transcript, places: Sequence[Place]) -> dict[int, int]:
    """Return the heard words, by number, that are two words of which the new text has one.

    As "someone" for "some ten"; with the letters of the first.
    """
    found = {}
    for place in places:
        for k in range(*place.heard):
            for own in new.spoken[slice(*place.new)]:
                if cut := _cut(heard.spoken[k], own):
                    found[k] = cut
    return found


def _cut(word: str, part: str) -> int:
    """Return the letters of the first of two words that are said as one, one being ``part``."""
    for cut in {len(part), len(word) - len(part)}:
        first, last = word[:cut], word[cut:]
        if part in (first, last) and first and last:
            ways = {tuple(map(strip_stress, (*a, *b))) for a in lookup(first) for b in lookup(last)}
            if any(tuple(map(strip_stress, way)) in ways for way in lookup(word)):
                return cut
    return 0


def parted(text: Transcript, cuts: Mapping[int, int]) -> Transcript:
    """Split the given words, by number, in two, the first of so many letters."""
    words: list[TranscriptWord] = []
    for k, word in enumerate(text.words):
        cut = cuts.get(k, 0)
        if not cut or word.written[: len(word.text)].lower() != word.text:
            words.append(word.in_token(2 * word.token))
            continue
        first, last = word.written[:cut], word.written[cut:]
        words += [
            replace(
                word, text=word.text[:cut], written=first, token=2 * word.token, pause_after=False
            ),
            replace(word, text=word.text[cut:], written=last, token=2 * word.token + 1),
        ]
    return Transcript.of_tokens(words)


def _is_one(before: Place, after: Place) -> bool:
    """Return whether words are added in both, or left out in both, with none between them."""
    ranges = (*zip(before, after, strict=True),)
    return touch(before, after) and any(a[0] == a[1] and b[0] == b[1] for a, b in ranges)


def touch(before: Place, after: Place) -> bool:
    """Return whether no word stands between two places, in either text."""
    return (before.heard[1], before.new[1]) == (after.heard[0], after.new[0])


def joined(before: Place, after: Place) -> Place:
    """Return two places that touch as one."""
    return Place((before.heard[0], after.heard[1]), (before.new[0], after.new[1]))


def _matched(
    old: Sequence[tuple[str, ...]], new: Sequence[tuple[str, ...]]
) -> list[tuple[Span, Span]]:
    """Return the cheapest way to pair words by their phones.

    One pairs with one or with none, and one with two or two with one where these share two phones
    that they wouldn't otherwise: one is chance.
    """
    steps = ((1, 1), (1, 0), (0, 1), (1, 2), (2, 1))
    best: dict[Span, tuple[float, Span]] = {(0, 0): (0.0, (0, 0))}
    for i, j in product(range(len(old) + 1), range(len(new) + 1)):
        for a, b in steps:
            if (before := (i - a, j - b)) in best:
                left, right = sum(old[i - a : i], ()), sum(new[j - b : j], ())
                unlike = phone_distance(left, right, vowels=VOWELS_DIFFER)
                cost = best[before][0] + unlike + (a + b > 2)
                if (i, j) not in best or cost < best[i, j][0] - 1e-9:
                    best[i, j] = cost, before
    pairs: list[tuple[Span, Span]] = []
    here = (len(old), len(new))
    while here != (0, 0):
        before = best[here][1]
        pairs.append(((before[0], here[0]), (before[1], here[1])))
        here = before
    return pairs[::-1]


def phone_distance(left: Sequence[str], right: Sequence[str], *, vowels: float = 1.0) -> float:
    """Count the phones that differ, of ``vowels`` this share."""
    row = [float(j) for j in range(len(right) + 1)]
    for i, a in enumerate(left, 1):
        last, row[0] = row[0], float(i)
        for j, b in enumerate(right, 1):
            differ = 0.0 if a == b else vowels if a in VOWELS and b in VOWELS else 1.0
            last, row[j] = row[j], min(last + differ, row[j] + 1, row[j - 1] + 1)
    return row[-1]


def with_words(
    text: FoundTranscript, other: FoundTranscript, places: Sequence[Place]
) -> FoundTranscript:
    """Return the text with another's words at some places, each word with its confidence.

    The pauses and the emphasis that are marked elsewhere stay marked.
    """
    own, new = text.transcript, other.transcript
    split = {own.words[k].token for place in places for k in range(*whole_tokens(own, place.heard))}
    count = len(own.words) + len(new.words)  # more than there are tokens in either
    words: list[TranscriptWord] = []
    sure: list[float] = []
    moved: dict[int, int] = {}  # where the text's own words have gone
    done = 0
    for place in [*places, Place((len(own.words),) * 2, (0, 0))]:
        for k in range(done, place.heard[0]):
            word = own.words[k]
            if word.token in split:  # what else is written in it stands alone
                word = replace(word, written=word.text, token=2 * count + k)
            moved[k] = len(words)
            words.append(word)
        whole = whole_tokens(new, place.new) == place.new
        for k in range(*place.new):
            word = new.words[k]
            if not whole:  # what else is written in its token isn't taken along
                word = replace(word, written=word.text, token=2 * count + k)
            words.append(word.in_token(word.token + count))
        sure += text.known_confidences[done : place.heard[0]]
        sure += other.known_confidences[slice(*place.new)]
        done = place.heard[1]
    found = Transcript.of_tokens(words)
    if own.pauses or own.emphasis:
        pauses = tuple((moved[k], s) for k, s in own.pauses if k in moved)
        emphasis = frozenset(moved[k] for k in own.emphasis if k in moved)
        found = replace(found, pauses=pauses, emphasis=emphasis).part(0, len(words))
    return FoundTranscript(found, confidences=tuple(sure))


def whole_tokens(text: Transcript, words: Span) -> Span:
    """Return the words of all tokens that these words, or a place between two, are part of."""
    begin, end = words
    tokens = [word.token for word in text.words]
    inside = 0 < begin == end < len(tokens) and tokens[begin - 1] == tokens[begin]
    if begin < end or inside:
        while begin and tokens[begin - 1] == tokens[begin]:
            begin -= 1
        while end < len(tokens) and tokens[end] == tokens[end - 1]:
            end += 1
    return begin, end


def runs(places: Sequence[Place], numbers: Sequence[int]) -> list[list[int]]:
    """Group the numbers of places that touch, which are one edit."""
    found: list[list[int]] = []
    for k in numbers:
        if found and touch(places[found[-1][-1]], places[k]):
            found[-1].append(k)
        else:
            found.append([k])
    return found


def meets(place: Span, others: Iterable[Span]) -> bool:
    """Return whether a range is one of the others, or shares a word with one."""
    return any(place == each or (place[0] < each[1] and each[0] < place[1]) for each in others)
