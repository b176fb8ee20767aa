"""The changes between two texts: words, added pauses, emphasis, questions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby
from operator import attrgetter
from typing import Protocol

from a3t.errors import InputError
from a3t.plan.edit_limits import check_edits, check_new_words, check_words
from a3t.plan.request import PlacedWords, ReusedWords
from a3t.spans import Span, SpanMap
from a3t.text.comparison.edit_script import Operation, WordEdit, edit_script
from a3t.text.comparison.respelling import respelled, with_kept_readings, with_old_words
from a3t.text.transcript import Transcript, question_ends


@dataclass(frozen=True)
class Revision:
    """Two texts and what changes between them.

    edits: in order, at least one kept word apart. pauses: those that the new text marks and the old
    one lacks: number of new words before it -> seconds (0: this speaker's usual length).
    unrestricted: the revision of which this one has only some words (`within`). moved: recorded
    words that edits take from elsewhere, where each was placed (`placed`).
    """

    text: Transcript
    new_text: Transcript
    edits: tuple[WordEdit, ...]
    pauses: Mapping[int, float] = field(default_factory=dict)
    unrestricted: Revision | None = None
    moved: tuple[ReusedWords, ...] = ()

    @property
    def whole(self) -> Revision:
        """The revision of all words of the two texts."""
        return self.unrestricted or self

    @classmethod
    def of(cls, text: Transcript, new_text: Transcript) -> Revision:
        """Compare two texts, and return what turns ``text`` into ``new_text``.

        What is only spelt otherwise doesn't change, and what both have is read as the old one has
        it (`a3t.text.comparison.respelling`).

        A new pause between two kept words is an edit without words; a kept word that is emphasised
        only in the new text is replaced by itself, and so is one that ends a question which rises
        (`a3t.text.transcript`) in one text and a statement in the other.
        """
        check_words(text, new_text)
        new_text = with_kept_readings(text, new_text)
        check_edits(len(new_text.pauses) + len(new_text.emphasis))
        changes = edit_script(text.spoken, new_text.spoken)  # before spellings, which take longer
        check_new_words(sum(edit.new[1] - edit.new[0] for edit in changes))
        new_text = respelled(text, new_text)
        script = edit_script(text.spoken, new_text.spoken)
        check_edits(len(script))
        return cls._by(script, text, new_text)

    @classmethod
    def placed(
        cls, texts: Sequence[Transcript], new_text: Transcript, places: Sequence[PlacedWords]
    ) -> Revision:
        """Return what makes the new text of recorded words that were placed, and of new ones.

        ``texts``: the one that is edited, and those of other recordings. Nothing is compared: of
        the words of the first text those stay that keep their order, the others are moved; those
        outside the edit stay in any case.
        """
        text = texts[0]
        check_words(text, new_text)
        check_edits(len(new_text.pauses) + len(new_text.emphasis) + len(places))
        new_text, runs, staying = _with_recorded_words(texts, new_text, places)
        kept = _rising([run for run in runs if run.text == 0], staying)
        script = keeping([(run.old, run.new) for run in kept], len(text.words), len(new_text.words))
        moved = tuple(sorted(set(runs) - set(kept), key=attrgetter("new")))
        made = sum(edit.new[1] - edit.new[0] for edit in script)
        check_new_words(made - sum(run.new[1] - run.new[0] for run in moved))
        check_edits(len(script))
        return replace(cls._by(script, text, new_text), moved=moved)

    @classmethod
    def _by(cls, script: list[WordEdit], text: Transcript, new_text: Transcript) -> Revision:
        """Add to the script what changes without other words: pauses, emphasis and questions."""
        words = word_map(script, len(text.spoken))
        kept = {new: old for old, new in words.kept_places()}
        existing = dict(text.pauses)
        pauses = {}
        for place, seconds in new_text.pauses:
            # A kept neighbour gives the place in the old text.
            before = 0 if place == 0 else kept.get(place - 1, -2) + 1
            old = before if before >= 0 else kept.get(place, len(text.spoken))
            if existing.get(old) == seconds:
                del existing[old]
            else:
                pauses[place] = seconds
        anew = {k for k in new_text.emphasis & kept.keys() if kept[k] not in text.emphasis}
        anew |= _asked_otherwise(text, new_text, kept)
        for word in sorted(anew):
            script.append(WordEdit("replace", (kept[word], kept[word] + 1), (word, word + 1)))
        touched = {place for edit in script for place in range(edit.new[0], edit.new[1] + 1)}
        for place in pauses:
            if place not in touched:
                old = kept[place - 1] + 1 if place else kept[place]
                script.append(WordEdit("insert", (old, old), (place, place)))
        return cls(text, new_text, tuple(_joined(script)), pauses)

    @property
    def revised(self) -> tuple[Transcript, SpanMap]:
        """The new text, and which of its words each word of the text is."""
        return self.new_text, word_map(self.edits, len(self.text.words))

    def within(self, passages: Sequence[Span], text: Transcript) -> Revision:
        """Restrict the revision to the words of these ranges; ``text``: its text, in other marks.

        The texts, edits and pauses then have these words alone. Every edit must lie within one of
        the ranges and may touch its end only where the text ends; InputError if one lies outside.
        """
        if tuple(passages) == ((0, len(text.words)),):
            return replace(self, text=text)
        new_ranges: list[Span] = []
        edits: list[WordEdit] = []
        pauses: dict[int, float] = {}
        growth = old_start = new_start = 0
        remaining = deque(self.edits)
        for first, last in passages:
            own: list[WordEdit] = []
            while remaining and remaining[0].old[1] <= last:
                own.append(remaining.popleft())
            begin = first + growth
            growth += sum((e.new[1] - e.new[0]) - (e.old[1] - e.old[0]) for e in own)
            end = last + growth
            old_by, new_by = old_start - first, new_start - begin
            edits += [WordEdit(e.op, _moved(e.old, old_by), _moved(e.new, new_by)) for e in own]
            here = (k for k in range(begin, end + 1) if k in self.pauses)
            pauses |= {k + new_by: self.pauses[k] for k in here}
            new_ranges.append((begin, end))
            old_start, new_start = old_start + last - first, new_start + end - begin
        if remaining or passages[-1][1] > len(text.words):
            raise InputError(
                "The aligned passages are not the ones that change: align the recording again."
            )
        new_text = self.new_text.of_words(new_ranges)
        return Revision(text.of_words(passages), new_text, tuple(edits), pauses, self.whole)


def keeping(kept: Iterable[tuple[Span, Span]], count: int, new_count: int) -> list[WordEdit]:
    """Return the script between two texts of so many words that keeps these (old, new) spans."""
    script: list[WordEdit] = []
    i = j = 0
    for old, new in (*kept, ((count, count), (new_count, new_count))):
        if old[0] > i or new[0] > j:
            op: Operation = "insert" if old[0] == i else "delete" if new[0] == j else "replace"
            script.append(WordEdit(op, (i, old[0]), (j, new[0])))
        i, j = old[1], new[1]
    return script


def _rising(runs: Sequence[ReusedWords], staying: set[ReusedWords]) -> list[ReusedWords]:
    """Return those of the runs, in the order of the new text, that keep as many words as can be.

    Those that are ``staying`` are among them.
    """
    most = sum(run.old[1] - run.old[0] for run in runs)
    best: list[tuple[int, int]] = []  # the words kept up to each run, and the run before it
    for k, run in enumerate(runs):
        before = [(best[j][0], j) for j in range(k) if runs[j].old[1] <= run.old[0]]
        count, previous = max(before, default=(0, -1))
        own = run.old[1] - run.old[0] + most * (run in staying)
        best.append((count + own, previous))
    kept: list[ReusedWords] = []
    k = max(range(len(best)), key=lambda k: best[k][0], default=-1)
    while k >= 0:
        kept.append(runs[k])
        k = best[k][1]
    return kept[::-1]


def _with_recorded_words(
    texts: Sequence[Transcript], new_text: Transcript, places: Sequence[PlacedWords]
) -> tuple[Transcript, list[ReusedWords], set[ReusedWords]]:
    """Return the new text with the words that were recorded, and their places in it, in order.

    Then those of these places that stay.
    A token whose reading depends on what stands beside it is read as it was recorded.
    """
    starts = [*accumulate((len(text.words) for text in texts), initial=0)]
    tokens = written_tokens(new_text)
    begins = [at[0] for _, at in tokens]
    # The recorded words and those of the new text that they are; whether they stay.
    pairs: list[tuple[int, Span, Span, bool]] = []
    for place in sorted(places, key=lambda place: place.new):
        if place.text >= len(texts) or place.old[1] > len(texts[place.text].words):
            raise InputError("These recorded words are in none of the texts: make the edit again.")
        near = tokens[bisect_left(begins, place.new[0]) : bisect_left(begins, place.new[1])]
        inside = [words for words, at in near if at[1] <= place.new[1]]
        said = [*_tokens(texts[place.text], place.old)]
        if len(inside) == len(said):
            both = zip(said, inside, strict=True)
            pairs += [(place.text, old, new, place.stays) for old, new in both]
        elif inside:
            pairs.append((place.text, place.old, (inside[0][0], inside[-1][1]), place.stays))
    pool, same, runs, growth = Transcript.joined(texts), [], list[ReusedWords](), 0
    staying = set[ReusedWords]()
    for number, old, new, stays in pairs:
        if texts[number].spoken[slice(*old)] != new_text.spoken[slice(*new)]:
            same.append(WordEdit("replace", _moved(old, starts[number]), new))
        first = new[0] + growth
        growth += (old[1] - old[0]) - (new[1] - new[0])
        run = ReusedWords((first, first + old[1] - old[0]), old, number)
        before = runs[-1] if runs else run
        ends = before.text, before.new[1], before.old[1], before in staying
        if ends == (number, run.new[0], old[0], stays):
            run = ReusedWords((runs.pop().new[0], run.new[1]), (before.old[0], old[1]), number)
        runs.append(run)
        staying |= {run} if stays else set()
    return with_old_words(pool, new_text, same) if same else new_text, runs, staying


def _tokens(text: Transcript, words: Span) -> Iterator[Span]:
    """Yield the words [first, last) of each written token among some words."""
    for _, group in groupby(range(*words), lambda k: text.words[k].token):
        own = [*group]
        yield own[0], own[-1] + 1


def written_tokens(text: Transcript) -> list[tuple[Span, Span]]:
    """Return each token's words, and where it is written, counted between the text's blanks."""
    places, end = [], 0
    begins = [k for k, sign in enumerate(text.text) if not sign.isspace()]
    begins = [k for k in begins if k == 0 or text.text[k - 1].isspace()]
    for words in _tokens(text, (0, len(text.words))):
        written = text.words[words[0]].without_name
        start = text.text.find(written, end)
        if start >= 0:
            end = start + len(written)
            places.append((words, (bisect_right(begins, start) - 1, bisect_right(begins, end - 1))))
    return places


class _Edit(Protocol):
    @property
    def old(self) -> Span: ...
    @property
    def new(self) -> Span: ...


def word_map(edits: Iterable[_Edit], count: int) -> SpanMap:
    """Map a text's ``count`` words to the text that the ordered edits make of it."""
    return SpanMap.replacing([(edit.old, edit.new[1] - edit.new[0]) for edit in edits], count)


def _asked_otherwise(text: Transcript, new_text: Transcript, kept: Mapping[int, int]) -> set[int]:
    """Return the kept words at whose end one text rises and the other falls.

    They are numbered as in the new text. A text without a mark says nothing about its melody.
    """
    rising, rising_anew = question_ends(text), question_ends(new_text)
    return {
        new
        for new, old in kept.items()
        if {text.words[old].mark, new_text.words[new].mark} == {".", "?"}
        and (old in rising) != (new in rising_anew)
    }


def _joined(script: Sequence[WordEdit]) -> list[WordEdit]:
    """Sort edits and merge adjacent ones."""
    result: list[WordEdit] = []
    for edit in sorted(script, key=lambda edit: (edit.new, edit.old)):
        if result and result[-1].new[1] == edit.new[0] and result[-1].old[1] == edit.old[0]:
            last = result.pop()
            edit = WordEdit("replace", (last.old[0], edit.old[1]), (last.new[0], edit.new[1]))
        result.append(edit)
    return result


def _moved(words: Span, by: int) -> Span:
    return words[0] + by, words[1] + by
