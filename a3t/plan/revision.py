"""The changes between two texts: words, added pauses, emphasis, questions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from a3t.errors import InputError
from a3t.plan.edit_limits import check_edits, check_new_words, check_words
from a3t.spans import Span, SpanMap
from a3t.text.comparison.edit_script import WordEdit, edit_script
from a3t.text.comparison.respelling import respelled, with_kept_readings
from a3t.text.transcript import Transcript, question_ends


@dataclass(frozen=True)
class Revision:
    """Two texts and what changes between them.

    edits: in order, at least one kept word apart. pauses: those that the new text marks and the old
    one lacks: number of new words before it -> seconds (0: this speaker's usual length).
    unrestricted: the revision of which this one has only some words (`within`).
    """

    text: Transcript
    new_text: Transcript
    edits: tuple[WordEdit, ...]
    pauses: Mapping[int, float] = field(default_factory=dict)
    unrestricted: Revision | None = None

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
            return Revision(text, self.new_text, self.edits, self.pauses)
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
