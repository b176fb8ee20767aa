"""New words that are recorded elsewhere are found there."""

from collections import Counter
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from a3t.grid import frames_of
from a3t.plan.request import EditRequest, ReusedWords
from a3t.plan.reuse import EDGE, MAX_UNASKED_PLACES, RecordedTexts, _apart, with_sources
from a3t.plan.revision import Revision
from a3t.text.comparison.edit_script import edit_script
from a3t.text.transcript import Transcript
from alignment import Alignment, pause
from alignment.result import shift_word
from tests.plan.test_plan import aligned, plan_of

ONE = "We met on a Friday in the old harbour."
TWO = "Nobody had brought the papers along."
THREE = "So it was all put off again."
OTHER = "Some people never learn to write letters. That is a pity."


def found(old: str, new: str, *others: str) -> list[tuple[str, str, int]]:
    """The recorded stretches: what is said, what it is taken from, and the text's number."""
    texts = tuple(map(Transcript.from_text, (old, *others)))
    said = Transcript.from_text(new)
    script = edit_script(texts[0].spoken, said.spoken)
    taken = RecordedTexts(texts).matches(script, said)
    for k, stretches in taken.items():  # they hold all of the edit's new words, in order
        edges = [script[k].new[0], *(each.new[1] for each in stretches)]
        assert edges[-1] == script[k].new[1]
        assert [each.new[0] for each in stretches] == edges[:-1]
    return [
        (said.written(*each.new), texts[each.text].written(*each.old), each.text)
        for stretches in taken.values()
        for each in stretches
    ]


def test_two_sentences_that_change_places() -> None:
    assert found(f"{ONE} {TWO}", f"{TWO} {ONE}") == [(TWO, TWO, 0)]
    assert found(f"{ONE} {TWO} {THREE}", f"{ONE} {THREE} {TWO}") in (
        [(THREE, THREE, 0)],
        [(TWO, TWO, 0)],
    )


def test_a_sentence_said_again_is_a_copy() -> None:
    assert found(f"{ONE} {TWO}", f"{ONE} {TWO} {ONE}") == [(ONE, ONE, 0)]


def test_a_short_sentence_moves_and_a_short_phrase_does_not() -> None:
    assert found(f"Thank you. {ONE}", f"{ONE} Thank you.") == [("Thank you.", "Thank you.", 0)]
    phrase = "We met in the old harbour on a Friday."  # three words are made anew
    assert found(ONE, phrase) == []


def test_a_word_changed_within_what_moves_is_changed_where_it_was() -> None:
    changed = TWO.replace("papers", "sandwiches")
    assert found(f"{ONE} {TWO}", f"{changed} {ONE}") == [(changed, TWO, 0)]
    at_the_edge = TWO.replace("Nobody", "Somebody")
    assert found(f"{ONE} {TWO}", f"{at_the_edge} {ONE}") == [(at_the_edge, TWO, 0)]


def test_new_words_with_little_that_is_recorded_are_made() -> None:
    new = "I told them that nobody had brought the keys to the house by the sea."
    assert found(f"{ONE} {TWO}", f"{new} {ONE} {TWO}") == []


def test_words_of_another_recording() -> None:
    assert found(ONE, f"{ONE} That is a pity.", OTHER) == [
        ("That is a pity.", "That is a pity.", 1)
    ]
    assert found(ONE, f"{ONE} That is a pity.") == []


def test_what_is_moved_goes_before_what_would_be_copied() -> None:
    old = f"{TWO} {ONE} {TWO} {THREE}"
    ((_, source, text),) = found(old, f"{TWO} {ONE} {THREE} {TWO}")
    assert (source, text) in ((TWO, 0), (THREE, 0))


def test_texts_that_repeat_themselves_end() -> None:
    """Only so many places are tried for each word."""
    old = Transcript.from_text("the same words again and again " * 200)
    new = Transcript.from_text("again " + old.text + " the same words again")
    script = edit_script(old.spoken, new.spoken)
    assert all(
        isinstance(each, ReusedWords)
        for stretches in RecordedTexts((old,)).matches(script, new).values()
        for each in stretches
    )


def test_what_is_taken_is_aligned_as_well() -> None:
    old, new = Transcript.from_text(f"{ONE} {TWO}"), Transcript.from_text(f"{ONE} {TWO} {ONE}")
    revision = Revision.of(old, new)
    request = EditRequest(new_text=new.text)
    places = [edit.old for edit in with_sources(revision, request)]
    assert (0, len(ONE.split())) in places and places == sorted(places)
    assert with_sources(revision, replace(request, moves=False)) == list(revision.edits)


def test_more_places_of_a_few_words_are_aligned_for_candidates() -> None:
    old = Transcript.from_text(f"{ONE} {TWO} {ONE}")
    place = len(ONE.split())
    new = Transcript.from_text(
        " ".join([*old.spoken[:place], "the papers", *old.spoken[place + 1 :]])
    )
    revision = Revision.of(old, new)
    (edit,) = revision.edits
    found = RecordedTexts((old, old)).short_matches(edit, new)
    assert [old.spoken[slice(*words.old)] for words in found] == [("the", "papers")] * len(found)
    assert {words.text for words in found} == {0, 1} and found[0].text == 0
    request = EditRequest(new_text=new.text)
    near = [each for each in with_sources(revision, request) if each != edit]
    assert 0 < len(near) <= MAX_UNASKED_PLACES
    assert {each.old for each in near} <= {words.old for words in found}
    assert with_sources(revision, replace(request, moves=False)) == [edit]
    more = with_sources(revision, replace(request, candidates=2))
    assert {words.old for words in found} <= {each.old for each in more}


def test_a_pause_belongs_to_the_place_and_not_to_the_words() -> None:
    """Words with 0.9 s of silence behind them: in a sentence none comes along, and after a full
    stop as much as this speaker pauses there."""
    old = "ban dot feel rose pen song. good kit lock moon. pen rose song ban dot. feel good kit."
    now = 0.2
    silent = {5: 0.3, 9: 0.9, 14: 0.3}
    words = [pause(0.0, now)]
    for k, word in enumerate(Transcript.from_text(old).spoken):
        own = aligned([word], often=0).words[1]
        words.append(shift_word(own, now - own.start))
        now += own.duration
        if length := silent.get(k):
            words.append(pause(now, now + length))
            now += length
    spoken = Alignment((*words, pause(now, now + 0.2)), now + 0.2)
    inside = "ban good kit lock moon dot feel rose pen song. pen rose song ban dot. feel good kit."
    behind = "ban dot feel rose pen song. pen rose song ban dot. good kit lock moon. feel good kit."
    for new, wanted in ((inside, 0), (behind, frames_of(0.3))):
        (taken,) = [each for edit in plan_of(old, new, spoken).edits for each in edit.taken]
        assert abs(sum(taken.silent) + sum(taken.pauses) - wanted) <= 3 * EDGE, new


@settings(derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 40), st.integers(1, 9)), max_size=40))
def test_words_that_move_more_than_once_need_as_many_origins(
    drawn: list[tuple[int, int, int]],
) -> None:
    """As few origins as a word moves times, in none of which it moves twice."""
    blocks = {
        (k, 0): ReusedWords((0, count), (first, first + count), text)
        for k, (text, first, count) in enumerate(drawn)
    }
    made, origin_of = _apart(blocks)
    assert set(origin_of) == set(blocks)
    ends = [(b.text, range(b.old[0], b.old[1] + 1)) for b in blocks.values()]  # meeting is moving
    times = Counter((text, word) for text, words in ends for word in words)
    for text in (0, 1):
        most = max((count for (own, _), count in times.items() if own == text), default=0)
        assert sum(own == text for own, _ in made) == most
    for _, own_blocks in made:
        words = Counter(word for block in own_blocks for word in range(*block.old))
        assert max(words.values()) == 1
    for key, j in origin_of.items():
        assert blocks[key] in made[j][1]
