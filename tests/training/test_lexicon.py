"""The lexicon that ships is made of CMUdict and of misaki's, in CMUdict's notation."""

from importlib.util import find_spec

import pytest

from a3t.text.phones import ARPABET
from a3t.text.pronunciation import lexicon
from a3t.text.pronunciation.lexicon import lookup
from alignment.arpabet import strip_stress
from training.text.make_lexicon import cmudict_words, lexicon_lines
from training.text.misaki import misaki_lookup, misaki_words, tables, to_arpabet

needs_misaki = pytest.mark.skipif(not find_spec("misaki"), reason="needs misaki (Python < 3.13)")


@pytest.mark.parametrize(
    ("written", "phones"),
    [
        ("sˈɛɡwˌA", "S EH1 G W EY2"),
        ("əɹˈWnd", "AH0 R AW1 N D"),
        ("ʤˈɛnəɹəl", "JH EH1 N ER0 AH0 L"),
        ("bˈɜɹd", "B ER1 D"),
        ("wˈɔɾəɹ", "W AO1 T ER0"),
        ("bˈʌʔn", "B AH1 T N"),
        ("bˈɑɾᵊl", "B AA1 T AH0 L"),
        ("?", ""),
    ],
)
def test_alphabet(written: str, phones: str) -> None:
    assert " ".join(to_arpabet(written)) == phones


@needs_misaki
def test_words_are_in_the_inventory() -> None:
    words = sorted({word for table in tables() for word in table})
    assert len(words) > 150_000
    ways = [way for word in words[::20] for way in misaki_lookup(word)]
    assert {phone for way in ways for phone in way} <= set(ARPABET)


@needs_misaki
def test_it_agrees_with_cmudict() -> None:
    """Three in four of the common words agree except for stress (they differ in taste)."""
    both = sorted(set(cmudict_words()) & set(misaki_words()))[::20]

    def bare(phones: tuple[str, ...]) -> list[str]:
        return ["AH" if strip_stress(p) == "IH" else strip_stress(p) for p in phones]

    same = sum(bare(misaki_lookup(word)[0]) in map(bare, lookup(word)) for word in both)
    assert len(both) > 1000 and same > 0.75 * len(both)


@needs_misaki
def test_words_that_cmudict_lacks() -> None:
    assert not {"kombucha", "sriracha", "vlog", "fintech"} & set(cmudict_words())
    assert lookup("kombucha") == misaki_lookup("kombucha") != []


@needs_misaki
@pytest.mark.slow
def test_what_ships_is_made_of_them() -> None:
    assert lexicon_lines() == lexicon._lines()
