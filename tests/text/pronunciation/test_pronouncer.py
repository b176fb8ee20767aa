"""Every word gets a pronunciation, without a network and the same everywhere."""

import random
import socket
import subprocess
import sys
import types
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a3t.errors import InputError
from a3t.text.phones import ARPABET, PHONES, is_vowel
from a3t.text.pronunciation import letter_to_sound, lexicon
from a3t.text.pronunciation.letter_to_sound import as_it_sounds, sounded
from a3t.text.pronunciation.lexicon import lookup
from a3t.text.pronunciation.pronouncer import (
    MAX_CANDIDATES,
    Pronouncer,
    _candidates,
    from_ending,
)
from a3t.text.transcript import Transcript
from alignment.arpabet import strip_stress
from alignment.errors import AlignmentError
from alignment.formats.dictionary import parse_entries
from training.text.make_lexicon import preferred

# Names, plurals, possessives, compounds, endings, respellings; none of them is in CMUdict.
UNKNOWN = (
    "ibrahimovic zuckerbergian kubernetes covidiots tiktok instagrammed unfriended smartwatch "
    "wolfdogs snowmobiling o'connell-less d'artagnan mcdonaldson gregson's vlogs nguyen's yeeted "
    "livestreaming cryptocurrencies y'all'd've shouldn't've rock'n'roll 'tisn't fishin' strasse "
    "supercalifragilisticexpialidocious xqzt zzz brr tsk psst gr aeiou ooo yyy q'q fo'c'sle "
    "pneumonoultramicroscopicsilicovolcanoconiosis bcdfghjklmnpqrstvwxz chatbots's"
).replace("-", "").split()  # fmt: skip


WORDS = Path(__file__).with_name("words.txt").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pronouncer() -> Pronouncer:
    return Pronouncer()


def said(pronouncer: Pronouncer, word: str) -> list[str]:
    return [" ".join(phones) for phones in pronouncer.candidates(word)]


def test_any_word_gets_phones_of_the_inventory_and_a_vowel(
    pronouncer: Pronouncer, subtests: pytest.Subtests
) -> None:
    for word in UNKNOWN:
        with subtests.test(word=word):
            candidates = pronouncer.candidates(word)
            assert 1 <= len(candidates) <= MAX_CANDIDATES == 4
            assert len(set(candidates)) == len(candidates)
            for phones in candidates:
                assert set(phones) <= set(ARPABET)
                assert any(map(is_vowel, phones))


@given(st.text("abcdefghijklmnopqrstuvwxyz'", min_size=1, max_size=24))
def test_any_string_of_letters_gets_phones(word: str) -> None:
    candidates = Pronouncer().candidates(word)
    assert bool(candidates) == any(letter.isalpha() for letter in word)
    assert all(phones and set(phones) <= set(ARPABET) for phones in candidates)
    assert len(candidates) <= 4


def test_without_a_letter_there_is_nothing_to_say(pronouncer: Pronouncer) -> None:
    assert pronouncer.candidates("") == pronouncer.candidates("'") == []
    assert pronouncer.pronounce([]) == []


def test_words_of_cmudict_have_its_pronunciations(
    pronouncer: Pronouncer, dictionary: dict[str, list[list[str]]]
) -> None:
    """Against the package's own reader, on words picked at random."""
    for word in random.Random(3).sample(sorted(dictionary), 1000):
        if any("a" <= letter <= "z" for letter in word) and word not in preferred():
            expected = list(dict.fromkeys(map(tuple, dictionary[word])))
            found = pronouncer.candidates(word)
            assert found == (expected + found[len(expected) :])[:4], word


def test_forms_of_known_words(pronouncer: Pronouncer, subtests: pytest.Subtests) -> None:
    for word, phones in [
        ("gregson's", "G R EH1 G S AH0 N Z"),
        ("vlogs", "V L AA1 G Z"),
        ("googled", "G UW1 G AH0 L D"),
        ("unfriended", "AH2 N F R EH1 N D IH0 D"),
        ("james'", "JH EY1 M Z"),
        ("o'connell's", "OW0 K AA1 N AH0 L Z"),
        ("nasa's", "N AE1 S AH0 Z"),
        ("shouldn't've", "SH UH1 D AH0 N T AH0 V"),
        ("fishin'", "F IH1 SH IH0 N"),
        ("xqz", "EH1 K S K Y UW1 Z IY1"),
        ("'tis", "T IH1 Z"),
        ("CAT", "K AE1 T"),
        ("it’s", "IH1 T S"),
    ]:
        with subtests.test(word=word, phones=phones):
            assert said(pronouncer, word)[0] == phones


def test_endings_agree_with_cmudict(subtests: pytest.Subtests) -> None:
    """The rule for an ending gives what CMUdict has for the same form, reduced vowels aside."""
    for stem, ending in [("cat", "s"), ("pig", "s"), ("box", "es"), ("walk", "ed"), ("plan", "s")]:
        with subtests.test(stem=stem, ending=ending):
            rule = [phone.replace("IH0", "AH0") for phone in from_ending(stem + ending)[0]]
            known = [phone.replace("IH0", "AH0") for phone in lexicon.lookup(stem + ending)[0]]
            assert rule == known


def test_no_network_and_no_downloads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("no network, no downloads")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(urllib.request, "urlopen", refuse)
    without_data = types.SimpleNamespace(download=refuse, data=types.SimpleNamespace(find=refuse))
    monkeypatch.setitem(sys.modules, "nltk", without_data)
    for cached in (_candidates, lexicon._lines, letter_to_sound._g2p_en_weights):
        cached.cache_clear()
    words = ["the", "kubernetes", "record", "vlogs", "xqzt"]
    assert len(Pronouncer().pronounce(words)) == len(words)


def test_the_same_in_another_process() -> None:
    """Hash seeds differ, pronunciations don't; nor are torch, nltk and g2p-en's module needed."""
    script = (
        "import sys; from a3t.text.pronunciation.pronouncer import Pronouncer; p = Pronouncer();"
        f"print([p.candidates(w) for w in {UNKNOWN!r}]);"
        "assert not {'torch', 'nltk', 'g2p_en'} & set(sys.modules)"
    )
    here = [Pronouncer().candidates(word) for word in UNKNOWN]
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONHASHSEED": "7", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == repr(here), done.stderr


def test_guessed_pronunciations_are_reported(pronouncer: Pronouncer) -> None:
    guessed = [word for word in UNKNOWN if pronouncer.is_guessed(word)]
    assert {"ibrahimovic", "zuckerbergian", "xqzt"} <= set(guessed)
    assert not {"vlogs", "gregson's", "unfriended", "tiktok", "shouldn't've"} & set(guessed)
    assert not any(map(pronouncer.is_guessed, ["the", "peloton", "segue", "'", ""]))
    assert not Pronouncer({"xqzt": [("Z",)]}).is_guessed("xqzt")


def test_homographs_are_recognised(pronouncer: Pronouncer) -> None:
    assert all(map(pronouncer.is_homograph, ["read", "Polish", "records", "live", "bass"]))
    assert not any(map(pronouncer.is_homograph, ["the", "a", "tomato", "either", "cat", "'"]))


def test_g2p_ens_network_is_a_choice() -> None:
    theirs = Pronouncer(network="g2p-en").candidates("ibrahimovic")
    assert theirs[0] == letter_to_sound.predict_by_g2p_en("ibrahimovic")
    assert theirs != Pronouncer().candidates("ibrahimovic")


def test_a_users_own_pronunciations_take_precedence() -> None:
    own = Pronouncer({"read": [("R", "AY1", "D")]})
    assert own.candidates("Read") == [("R", "AY1", "D")]
    assert own.pronounce(["they", "read"])[1] == ("R", "AY1", "D")
    assert own.candidates("said") == Pronouncer().candidates("said")


def test_many_threads_get_the_same(pronouncer: Pronouncer) -> None:
    words = [*UNKNOWN, "read", "lead", "cat"]
    alone = [pronouncer.candidates(word) for word in words]
    for cached in (_candidates, lexicon._lines, letter_to_sound._g2p_en_weights):
        cached.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(Pronouncer().candidates, words)) == alone


def test_candidates_are_the_callers_own(pronouncer: Pronouncer) -> None:
    pronouncer.candidates("read").clear()
    assert len(pronouncer.candidates("read")) == 2


@pytest.mark.slow  # importing g2p-en loads NLTK
def test_the_network_is_g2p_ens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our forward pass against the package's own `G2p.predict`, on real and made-up words."""
    import nltk

    monkeypatch.setattr(nltk.data, "find", lambda *args: None)
    monkeypatch.setattr(nltk, "download", lambda *args: None)
    from g2p_en import g2p as package

    class NoDictionary:
        def dict(self) -> dict[str, Any]:
            return {}

    monkeypatch.setattr(package, "cmudict", NoDictionary())
    reference = package.G2p()
    rng = random.Random(5)
    letters = "abcdefghijklmnopqrstuvwxyz"
    made_up = ["".join(rng.choices(letters, k=rng.randint(2, 14))) for _ in range(60)]
    real = [word for word in UNKNOWN if word.isalpha() and len(word) < 17]
    for word in [*real, *made_up]:
        expected = ["UW1" if phone == "UW" else phone for phone in reference.predict(word)]
        expected = [phone for phone in expected if phone in ARPABET]
        assert list(letter_to_sound.predict_by_g2p_en(word)) == expected, word


def test_names_of_today(subtests: pytest.Subtests) -> None:
    for written, phones in [
        ("faux", "F OW1"),
        ("quinoa", "K IY1 N W AA2"),
        ("segue", "S EH1 G W EY2"),
        ("iOS", "AY2 OW2 EH1 S"),
        ("Wi-Fi", "W AY1 F AY1"),
        ("mRNA", "EH1 M AA2 R EH2 N EY1"),
        ("Siobhan", "SH IH0 V AO1 N"),
        ("Mbappé", "EH0 M B AA1 P EY2"),
        ("YoY", "W AY1 OW1 W AY1"),
        ("FYI", "EH2 F W AY2 AY1"),
    ]:
        with subtests.test(written=written, phones=phones):
            spoken = Transcript.from_text(written).spoken
            assert " ".join(p for word in Pronouncer().pronounce(spoken) for p in word) == phones


def test_every_preferred_pronunciation_can_be_said() -> None:
    for word in preferred():
        first = lexicon.lookup(word)[0]
        assert set(first) <= set(PHONES) and sum(p.endswith("1") for p in first) == 1, word


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


def test_words_of_today(pronouncer: Pronouncer) -> None:
    """Words and acronyms as dictionaries have them, secondary stress and weak vowels aside."""

    def key(phones: str) -> str:
        return phones.replace("2", "0").replace("IH0", "AH0")

    fitted, set_aside = WORDS.split("# set aside")
    for part, share in ((fitted, 1.0), (set_aside, 0.7)):
        rows = [line.split(" | ") for line in part.splitlines() if " | " in line]
        wrong = []
        for written, *ways in rows:
            text = Transcript.from_text(f"I saw {written} there.")
            phones = pronouncer.pronounce(text.spoken, [word.written for word in text.words])
            said = " ".join(" ".join(way) for way in phones[2:-1])
            if key(said) not in map(key, ways):
                wrong.append((written, said))
        assert len(wrong) <= (1 - share) * len(rows), wrong
