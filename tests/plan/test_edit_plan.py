"""A plan survives JSON, can be varied, and maps its words."""

from dataclasses import replace
from unittest import mock

from hypothesis import given

from a3t.audio.reading.recording import Recording
from a3t.plan.planner import replan
from tests.plan.test_plan import SPOKEN, WORDS, SixFrames, plan_of, planned


@given(SPOKEN, SPOKEN)
def test_the_words_of_a_plan_are_mapped_both_ways(old: list[str], new: list[str]) -> None:
    words = planned(old, new).words
    assert words.output_length == len(new)
    for kept in words.kept():
        for k in range(kept.source[1] - kept.source[0]):
            source, output = kept.source[0] + k, kept.output[0] + k
            assert old[source] == new[output]
            assert words.output_of(source) == output


def test_a_plan_is_made_again_in_another_manner() -> None:
    plan = plan_of("ban dot feel", "ban good kit feel")
    fast = replace(plan.request, speed=2.0)
    again = replan(plan, fast, SixFrames())  # type: ignore[arg-type]
    assert again == plan_of("ban dot feel", "ban good kit feel", speed=2.0)


def test_a_plan_lists_only_doubts_at_its_edits() -> None:
    plan = plan_of("ban dot feel good kit pen", "ban dot feel rose kit pen")
    for number, text in enumerate(plan.text.spoken):
        words = tuple(
            replace(word, score=0.2) if word.text == text else word for word in plan.alignment.words
        )
        alignment = replace(plan.alignment, words=words)
        doubtful = replace(plan, source=replace(plan.source, alignment=alignment))
        # The edit is of word 3; its neighbours matter as much.
        assert [doubt.text for doubt in doubtful.doubts] == ([text] if 2 <= number <= 4 else [])
        with mock.patch.object(Recording, "sha256", "0f"):
            assert doubtful.to_json()["doubts"] == [doubt.to_json() for doubt in doubtful.doubts]
    assert plan.doubts == ()


def test_guessed_words_are_named() -> None:
    with mock.patch.dict(WORDS, {"xqzanov": "Z AA1 N"}):
        plan = plan_of("ban feel", "ban xqzanov feel rose")
        assert plan.guessed == {"xqzanov": "Z AA1 N"}
        assert "“xqzanov” is in no dictionary" in plan.describe()
        assert not plan_of("ban xqzanov", "ban xqzanov xqzanov").guessed  # the recording has it
        own = plan_of("ban", "ban xqzanov", pronunciations={"xqzanov": [("Z",)]})
        assert not own.guessed
