"""Marks for pauses and emphasis are not words, and meaningless ones are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a3t.errors import InputError
from a3t.text.markup import check_marks
from a3t.text.normaliser.normalise import _read
from a3t.text.normaliser.tokens import tokens_of
from a3t.text.transcript import Transcript


def test_pauses_stand_between_words() -> None:
    read = Transcript.from_text("[pause 1] Hello [pause], world. [Pause .3s][pause 0.2]")
    assert read.spoken == ("hello", "world")
    assert read.pauses == ((0, 1.0), (1, 0.0), (2, 0.5))


def test_breaks_of_ssml_are_pauses() -> None:
    read = Transcript.from_text(
        """we<break/> meet <break time="500ms"/>at <BREAK time='1.5s' />ten"""
    )
    assert read.spoken == ("we", "meet", "at", "ten")
    assert read.pauses == ((1, 0.0), (2, 0.5), (3, 1.5))
    with pytest.raises(InputError, match="is not a valid pause"):
        Transcript.from_text('we <break time="900s"/> meet')


def test_emphasis_marks_are_neither_words_nor_written() -> None:
    read = Transcript.from_text("we *never* do *that at all*, “*truly*”")
    assert [read.spoken[k] for k in sorted(read.emphasis)] == "never that at all truly".split()
    assert read.written(1, 2) == "never"


@pytest.mark.parametrize("text", ["5 * 3 is fifteen", "a *b", "2 ** 3", "see note*"])
def test_other_asterisks_are_unchanged(text: str) -> None:
    assert Transcript.from_text(text).emphasis == frozenset()


@pytest.mark.parametrize("mark", ["[pause -1]", "[pause 1000]", "[pause 0]", "[pause x]"])
def test_no_pause(mark: str) -> None:
    with pytest.raises(InputError, match="is not a valid pause") as caught:
        Transcript.from_text(f"we {mark} meet")
    assert "\n" not in str(caught.value)


def test_a_pause_alone_is_not_a_text() -> None:
    with pytest.raises(InputError, match="no words"):
        Transcript.from_text("[pause 0.4]")


def test_unknown_marks() -> None:
    for mark in ("[angry]", "[silence 0.4]"):
        with pytest.raises(InputError, match="is not a mark that a3t knows"):
            check_marks(f"we {mark} meet", "we meet")
        check_marks(f"we {mark} never meet", f"we {mark} meet")  # it is in the old text: text
    check_marks("we meet [Music]", "we meet")  # a sound, which nobody speaks
    check_marks("he [the president] said [pause 0.4] *so*", "he said")


def test_a_text_of_plain_words_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("a3t.text.normaliser.normalise._read", None)
    check_marks("we never meet, at 9:30, for $5 " * 1000, "we meet")


@given(st.lists(st.text(st.characters(max_codepoint=126, min_codepoint=33), max_size=45)))
def test_short_plain_words_can_all_be_spoken_or_passed_over(words: list[str]) -> None:
    """So that nothing has to be looked for in such a text."""
    assert not any(token.refusal for token in _read(tokens_of(" ".join(words)), True))


def test_unpronounceable_new_words_are_refused() -> None:
    with pytest.raises(InputError, match="Greek letters"):
        check_marks("we say Καλημέρα now", "we meet")
    with pytest.raises(InputError, match="has 60 letters"):
        check_marks("we say " + "q" * 60, "we meet")
    check_marks("we say Καλημέρα now", "we Καλημέρα")  # it is in the recording, whatever it is
