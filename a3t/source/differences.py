"""What a recognised text and a new one differ in, as one list to choose from.

The shell, Python, HTTP and the page list the same records:

    differences = editor.differences("talk.wav", new_text=text)
    plan = editor.plan("talk.wav", new_text=text, changes=(1, 3))    # their numbers

A difference that isn't made stays as recorded: neither the text nor the new text claims it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Literal

from a3t.errors import InputError
from a3t.source.places import meets, whole_tokens, with_words
from a3t.source.records import Comparison, FoundTranscript, Judgement, Place, Verdict
from a3t.spans import Span
from a3t.text.comparison.edit_script import minimal_script
from a3t.text.comparison.respelling import respelled
from a3t.text.transcript import Transcript, spoken_words
from alignment import Alignment
from alignment.confidence.doubts import doubts
from alignment.serialisation import OMITTED, Record

Changes = tuple[int, ...] | Literal["ticked", "all"] | None
"""The differences to make: their numbers, those that are ticked, or all; None: the ticked ones if
none is open, else nothing."""

MAX_SHOWN = 20  # differences in a message
FILLER = "<um>"  # the aligner's name
MAX_SHOWN_MISHEARD = 30  # differences that are taken for misheard
MAX_SHOWN_TEXT = 200  # characters of each text in a message
# A new text of which less than this share of the words is heard, in order, is another recording's.
MIN_KEPT_SHARE, MIN_COMPARED_WORDS = 0.5, 5
DOUBTS: dict[Verdict, str] = {"open": "maybe misheard", "misheard": "probably misheard"}
CONTEXT_WORDS = 3  # on either side of a difference
ARTICLES = {"a", "an", "the"}
# A place that is less probably a change has no line of its own: of those for choosing all changes
# and two others a minute have one (docs/log.md).
MIN_LISTED_CONFIDENCE = 0.02
# Who changes several places may have changed one more: from so many plain ones on, any place that
# may be a change with this probability is asked about.
SEVERAL, MIN_ASKED_CONFIDENCE = 2, 0.01


@dataclass(frozen=True, slots=True)
class Difference(Record):
    """A place where a recording says something else than the new text, or was misheard.

    Attributes
    ----------
    number : int
        From 1 on, in the order of the text; what `EditRequest.changes` takes.
    source : (int, int)
        Where it is in the recording, samples [first, last).
    heard, new : str
        The words that are heard and the new text's; "" for none.
    verdict : str
        "change", "misheard" (the recording says the new words already), or "open".
    ticked : bool
        Whether it is made: by default until somebody chooses, afterwards as they chose.
    confidence : float
        The probability that it is a change.
    before, after : str
        A few words on either side.
    words : (int, int)
        Where it is in the recording's text, as spoken words [first, last).
    """

    number: int
    source: Span
    heard: str
    new: str
    verdict: Verdict
    ticked: bool
    confidence: float
    before: str = field(default="", metadata=OMITTED)
    after: str = field(default="", metadata=OMITTED)
    words: Span = (0, 0)

    def __str__(self) -> str:
        """Return the words as a line of a list shows them."""
        old, new = self.heard, self.new
        if old and new:
            what = f"“{old}” → “{new}”"
        elif old:
            what = f"leave out “{old}”"
        else:
            what = f"add “{new}”"
        if self.before:
            return f"{what} after “{self.before}”"
        return f"{what} before “{self.after}”" if self.after else what

    @property
    def line(self) -> str:
        """The words as a line of a list shows them, with the doubt if there is one."""
        return f"{self}  ({DOUBTS[self.verdict]})" if self.verdict in DOUBTS else str(self)

    @property
    def has_line(self) -> bool:
        """Whether a list shows it in a line of its own, not among those surely misheard."""
        return self.ticked or self.verdict != "misheard" or self.confidence >= MIN_LISTED_CONFIDENCE

    @property
    def as_heard(self) -> str:
        """What is heard, and what the new text has there."""
        if not self.heard:
            beside = f"after “{self.before}”" if self.before else "at the beginning"
            return f"nothing {beside} (you wrote “{self.new}”)"
        wrote = f"you wrote “{self.new}”" if self.new else "your text leaves it out"
        return f"“{self.heard}” ({wrote})"


class UnsureError(InputError):
    """Some of the `differences` may be misheard words, and nobody has chosen which to make.

    `warning`: a sentence if hardly a word was understood.
    """

    def __init__(
        self, sentence: str, differences: tuple[Difference, ...] = (), warning: str = ""
    ) -> None:
        super().__init__(f"{sentence} {warning}".strip())
        self.differences, self.warning = differences, warning


class UnchangedError(InputError):
    """The recording says the new text already; `differences`: where it may not."""

    def __init__(self, sentence: str, differences: tuple[Difference, ...] = ()) -> None:
        super().__init__(sentence)
        self.differences = differences


def parsed_changes(value: str) -> Changes:
    """Parse a choice: numbers, with commas or spaces between them, "all", "ticked" or "none".

    Raises InputError for anything else.
    """
    wanted = value.replace(",", " ").split()
    match wanted:
        case ["all"]:
            return "all"
        case ["ticked"]:
            return "ticked"
        case ["none"]:
            return ()
    if not wanted or not all(each.isascii() and each.isdigit() for each in wanted):
        raise InputError(f"“{value[:40]}” chooses nothing: give numbers (1,3), all or none.")
    return tuple(sorted({int(each[:9]) for each in wanted}))


def choose(
    differences: Sequence[Difference], changes: Changes, warning: str = ""
) -> tuple[Difference, ...]:
    """Return the differences, ticked as somebody chose; with a `warning` somebody has to.

    Raises
    ------
    UnsureError
        If nobody chose (None) and one is open, or none is ticked.
    InputError
        For the number of no difference.
    """
    listed = tuple(differences)
    if changes is None:
        if is_doubtful(listed) or (warning and listed):
            raise UnsureError(_unsure(listed), listed, warning)
        changes = "ticked"
    if changes == "ticked":
        return listed
    numbers = {each.number for each in listed}
    chosen = numbers if changes == "all" else set(changes)
    if unknown := sorted(chosen - numbers):
        which = f"1 to {len(listed)}" if listed else "none"
        raise InputError(f"There is no difference {unknown[0]}: the numbers are {which}.")
    return tuple(replace(each, ticked=each.number in chosen) for each in listed)


def said_already(alignment: Alignment | None = None) -> str:
    """Return a sentence for a new text that is said already, with any filled pauses it lacks."""
    sentence = (
        "Nothing was made: the recording already seems to say the new text. If it doesn't, give "
        "what it says now as its text."
    )
    found = doubts(alignment) if alignment is not None else []
    places = [f"{each.start:.2f} s" for each in found if each.unwritten == FILLER]
    if not places:
        return sentence
    shown = ", ".join(places[:MAX_SHOWN]) + (" …" if len(places) > MAX_SHOWN else "")
    return (
        f"{sentence} Filled pauses such as “um” ({shown}) are in neither: a3t clean removes them."
    )


def is_doubtful(differences: Iterable[Difference | Judgement]) -> bool:
    """Return whether somebody has to choose."""
    listed = [*differences]
    least = MIN_ASKED_CONFIDENCE if sum(each.ticked for each in listed) >= SEVERAL else 1.0
    return any(
        each.verdict == "open" or (not each.ticked and each.confidence >= least) for each in listed
    )


def _unsure(differences: Sequence[Difference]) -> str:
    likely = [each for each in differences if each.has_line]
    shown = "; ".join(f"{each.number}. {each}" for each in likely[:MAX_SHOWN])
    more = len(differences) - len(likely[:MAX_SHOWN])
    return (
        "Nothing was made, because some of these differences may be misheard words: "
        f"{shown}{f'; and {more} more' if more > 0 else ''}. Choose those to make by their "
        "numbers, or give the text that the recording says now."
    )


def left_as_recorded(differences: Sequence[Difference]) -> str:
    """Return a sentence that names the differences that aren't made; "" if all are."""
    left = [each for each in differences if each.has_line and not each.ticked]
    named = "; ".join(f"{each.number}. {each.as_heard}" for each in left)
    sentences = [f"Left as recorded: {named}."] if left else []
    if misheard := probably_misheard(differences):
        sentences.append(misheard)
    return " ".join(sentences)


def probably_misheard(differences: Sequence[Difference]) -> str:
    """Return a sentence that names what was surely only misheard; "" if that is nothing."""
    own = [each for each in differences if not each.has_line]
    if not own:
        return ""
    shown = "; ".join(f"{each.number}. {each.as_heard}" for each in own[:MAX_SHOWN_MISHEARD])
    more = len(own) - MAX_SHOWN_MISHEARD
    rest = f"; and {more} more" if more > 0 else ""
    return f"Probably only misheard, so left as recorded: {shown}{rest}."


def without_left_words(comparison: Comparison, written: Transcript) -> Comparison:
    """Return the comparison without the places where the new text has what a3t has `written`."""
    edits = [edit.new for edit in minimal_script(written.spoken, comparison.new.spoken)]
    kept = [
        k
        for k, place in enumerate(comparison.places)
        if any(
            place.new[0] < edit[1] and edit[0] < place.new[1]
            if place.new[0] < place.new[1]
            else edit[0] <= place.new[0] <= edit[1]
            for edit in edits
        )
    ]
    return replace(
        comparison,
        places=tuple(comparison.places[k] for k in kept),
        judgements=tuple(comparison.judgements[k] for k in kept),
    )


def with_open_article(comparison: Comparison) -> Comparison:
    """Return the comparison; an article is open that is added or left out and the one change.

    Readers add and drop articles, so a text that nobody changed may differ by one.
    """
    judgements = [*comparison.judgements]
    ticked = [k for k, each in enumerate(judgements) if each.ticked]
    if len(ticked) == 1:
        heard, new = comparison.places[ticked[0]]
        words = comparison.heard.spoken[slice(*heard)] + comparison.new.spoken[slice(*new)]
        if len(words) == 1 and words[0] in ARTICLES:
            judgements[ticked[0]] = judgements[ticked[0]]._replace(verdict="open")
    return replace(comparison, judgements=tuple(judgements))


def require_own_text(comparison: Comparison, about: str = "") -> None:
    """Raise InputError, with both texts, if the new text is another recording's.

    `about`: what else is to be said of what was heard.
    """
    heard, new = comparison.heard, comparison.new
    edits = minimal_script(heard.spoken, new.spoken)
    kept = len(new.words) - sum(edit.new[1] - edit.new[0] for edit in edits)
    shorter = min(len(heard.words), len(new.words))
    if shorter >= MIN_COMPARED_WORDS and kept < MIN_KEPT_SHARE * shorter:
        texts = [f"“{each.text[:MAX_SHOWN_TEXT].strip()}”" for each in (heard, new)]
        raise InputError(
            f"Nothing was made: the recording seems to say {texts[0]}, which has little of "
            f"{texts[1]}. Give that recording's own text with the changes in it, or what it says "
            f"now as its text. {about}".strip()
        )


def said_text(comparison: Comparison, misheard: bool = True) -> FoundTranscript:
    """Return the recording's text: the heard words, elsewhere as the new text writes them.

    Without ``misheard``, words that are probably misheard are the new text's.
    """
    judged = enumerate(comparison.judgements)
    return _mixed(comparison, [k for k, j in judged if misheard or j.verdict != "misheard"])


def wanted_text(comparison: Comparison, ticked: Collection[int]) -> Transcript:
    """Return the new text with the heard words at the places, from 1 on, that aren't ticked."""
    left = [k for k in range(len(comparison.places)) if k + 1 not in ticked]
    return _mixed(comparison, left, marked=True).transcript if left else comparison.new


def _mixed(comparison: Comparison, numbers: Iterable[int], marked: bool = False) -> FoundTranscript:
    """Return the new text with the heard words at some places; `marked`: with its own markup.

    Without markup, words that only the new text writes otherwise ("space walk") are as they are
    heard ("spacewalk"), so that the text is read alike again.
    """
    new, places = comparison.new, comparison.places
    text = new if marked else Transcript.of_tokens(new.words)
    said = FoundTranscript(text, confidences=comparison.new_confidences)
    heard = FoundTranscript(comparison.heard, confidences=comparison.confidences)
    swapped = [Place(places[k].new, places[k].heard) for k in numbers]
    if not marked:
        swapped = sorted([*swapped, *_respelt(comparison)])
    return with_words(said, heard, swapped) if swapped else said


def _respelt(comparison: Comparison) -> Iterator[Place]:
    """Yield the new text's words that it writes as other words than the heard ones, and these."""
    new, places = comparison.new, comparison.places
    begins, ends = [each.new[0] for each in places], [each.new[1] for each in places]
    for edit in minimal_script(spoken_words(new.text), new.spoken):
        first, last = whole_tokens(new, (min(edit.new[0], max(edit.new[1] - 1, 0)), edit.new[1]))
        near = places[bisect_left(ends, first) : bisect_right(begins, last)]
        before = bisect_right(ends, first)
        moved = places[before - 1].heard[1] - places[before - 1].new[1] if before else 0
        if first < last and not meets((first, last), [each.new for each in near]):
            yield Place((first, last), (first + moved, last + moved))


def continued(given: Transcript, left: Sequence[Difference], new_text: Transcript) -> Comparison:
    """Compare the text of an earlier version with a new one, where some differences were `left`.

    What was left is offered again, as it was judged; what else differs is a change.
    """
    new = respelled(given, new_text)
    earlier = sorted(left, key=attrgetter("words"))
    begins = [each.words[0] for each in earlier]
    found: list[tuple[Place, Judgement]] = []

    def change(old: Span, own: Span) -> None:
        if old[0] < old[1] or own[0] < own[1]:
            found.append((Place(old, own), Judgement("change", 1.0, ticked=True)))

    for edit in minimal_script(given.spoken, new.spoken):
        (i, i_end), (j, j_end) = edit.old, edit.new
        for each in earlier[bisect_left(begins, i) : bisect_right(begins, i_end)]:
            first, last = each.words
            own = spoken_words(each.new)
            at = _place_of(own, new.spoken[j:j_end])
            if not i <= first <= last <= i_end or at is None:
                continue
            if not own and last == i_end and j < j_end:  # another word stands there now
                continue
            change((i, first), (j, j + at))
            place = Place(each.words, (j + at, j + at + len(own)))
            found.append((place, Judgement(each.verdict, each.confidence, ticked=False)))
            i, j = last, place.new[1]
        change((i, i_end), (j, j_end))
    sure = (1.0,) * len(given.words), (1.0,) * len(new.words)
    places = tuple(place for place, _ in found)
    return Comparison(given, sure[0], new, sure[1], places, tuple(each for _, each in found))


def _place_of(words: Sequence[str], text: Sequence[str]) -> int | None:
    """Return the number of words of the text before the given ones; None if it lacks them."""
    starts = range(len(text) - len(words) + 1)
    return next((k for k in starts if text[k : k + len(words)] == words), None)


def listed(comparison: Comparison, spans: Sequence[Span], samples: int) -> tuple[Difference, ...]:
    """Return the differences of a comparison, all of them, ticked as judged.

    `spans` are the samples [first, last) of each spoken word of `said_text`, of a recording with
    so many `samples`.
    """
    heard, new = comparison.heard, comparison.new
    result = []
    moved = 0  # words of the text less words of the new text, up to here
    for k, (place, judged) in enumerate(zip(comparison.places, comparison.judgements, strict=True)):
        first = place.new[0] + moved
        last = first + place.heard[1] - place.heard[0]
        moved = last - place.new[1]
        if first < last:
            source = spans[first][0], spans[last - 1][1]
        else:
            source = (
                spans[first - 1][1] if first else 0,
                spans[first][0] if first < len(spans) else samples,
            )
        result.append(
            Difference(
                number=k + 1,
                source=source,
                heard=heard.said(*place.heard),
                new=new.said(*place.new),
                verdict=judged.verdict,
                ticked=judged.ticked,
                confidence=round(judged.confidence, 3),
                before=new.said(max(place.new[0] - CONTEXT_WORDS, 0), place.new[0]),
                after=new.said(place.new[1], place.new[1] + CONTEXT_WORDS),
                words=(first, last),
            )
        )
    return tuple(result)
