"""Words that a person writes as they sound."""

from __future__ import annotations

import pytest

from a3t.errors import InputError
from a3t.text.phones import ARPABET, strip_stress
from a3t.text.pronunciation.as_it_sounds import as_it_sounds, sounded
from a3t.text.pronunciation.lexicon import lookup
from alignment.errors import AlignmentError
from alignment.formats.dictionary import parse_entries


@pytest.mark.parametrize(
    "said, phones",
    [
        ("win", "W IH1 N"),
        ("keev", "K IY1 V"),
        ("KEE-yev", "K IY1 Y EH0 V"),
        ("kee-YEV", "K IY0 Y EH1 V"),
        ("shah-MAH-lee", "SH AA0 M AA1 L IY0"),
    ],
)
def test_letters_and_syllables(said: str, phones: str) -> None:
    assert " ".join(as_it_sounds(said)) == phones


@pytest.mark.parametrize("word", ["telephone", "banana", "understand", "onomatopoeia"])
def test_a_word_of_the_dictionary_sounds_like_itself(word: str) -> None:
    assert as_it_sounds(word) == lookup(word)[0]


@pytest.mark.parametrize("said", ["a-b-c-d", "zzyzx", "o-O-o", "brrr"])
def test_there_is_one_main_stress_and_only_arpabet(said: str) -> None:
    phones = as_it_sounds(said)
    assert set(phones) <= set(ARPABET)
    if "-" in said:
        assert sum(phone.endswith("1") for phone in phones) == 1


@pytest.mark.parametrize("said", ["", "5 5", "ü", "a" * 100, "---", "K IY1 V!", "noo gwin"])
def test_what_is_not_letters_is_refused(said: str) -> None:
    with pytest.raises(InputError):
        as_it_sounds(said)


def test_phones_on_the_command_line_stay_phones() -> None:
    entries = ["Kyiv=K IY1 V", "kyiv=KEE-yev", "Ed=eh1 d"]
    assert parse_entries(entries, as_it_sounds) == {
        "kyiv": [("K", "IY1", "V"), ("K", "IY1", "Y", "EH0", "V")],
        "ed": [("EH1", "D")],
    }
    with pytest.raises(AlignmentError, match="not an ARPAbet phone"):
        parse_entries(["Nguyen=W XX"], as_it_sounds)


def test_phones_are_written_as_they_sound() -> None:
    assert sounded(("K", "IY0", "EH1", "V")) == "kee-EHV"
    for word in ("computer", "window", "strengths", "potato"):
        said = as_it_sounds(sounded(lookup(word)[0]))
        assert [*map(strip_stress, said)] == [*map(strip_stress, lookup(word)[0])]
