"""Properties of the normaliser; its refusals."""

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from a3t.errors import InputError
from a3t.text import markup
from a3t.text.normaliser import unspoken
from a3t.text.normaliser.normalise import normalise, skipped
from a3t.text.normaliser.tokens import LONGEST_TOKEN, tokens_of
from a3t.text.normaliser.vocabulary import SAID, UNITS
from a3t.text.transcript import Transcript


def words(text: str) -> list[str]:
    return [word for token in normalise(text) for word in token.words]


def test_pictures_are_named_among_what_is_left_out() -> None:
    assert skipped("Great 👍 news🎉 for ₿2 at 5° ½.") == ["👍", "🎉"]


def check(text: str) -> None:
    """The properties that hold for any text; InputError is the only refusal."""
    try:
        tokens = normalise(text)
    except InputError as error:
        message = str(error)
        assert "\n" not in message and message.endswith(".") and len(message) < 250
        return
    spoken = [word for token in tokens for word in token.words]
    assert spoken and all(token.words for token in tokens)
    for word in spoken:
        assert re.fullmatch(r"[a-z']*[a-z][a-z']*", word)
    written = " ".join(token.written for token in tokens)
    assert "".join(written.split()) == "".join(text.split())
    assert [word for token in normalise(" ".join(spoken)) for word in token.words] == spoken


FRAGMENTS = st.sampled_from(
    [
        *"abIVX0129 .,-'/:$£%°#@&+=*^()\"!?~<>–—½²μΩé",
        *"st nd pm a.m. km Mr Dr. St. May Jan No. in the 's n't http:// .com ok '90s".split(),
        *SAID["titles"],
        *SAID["after_names"],
        *SAID["also_bare"],
        *UNITS,
        *SAID["states"],
        *SAID["symbols"],
        " ",
        "  ",
        "\n",
    ]
)


@given(st.lists(FRAGMENTS, max_size=12).map("".join))
@example("Mr'(")
@example("http://μ")
@example("x²")
@example("1990s1990s")
@example("$$$ 5 --")
@example("'n'n'")
def test_scraps_of_writing(text: str) -> None:
    check(text)


@given(st.text(max_size=20))
@example("\U00017000")
def test_any_characters(text: str) -> None:
    check(text)


@given(st.integers(-(10**17), 10**17) | st.floats(-1e6, 1e6).map(lambda x: round(x, 3)))
def test_numbers_are_read_back(number: float) -> None:
    """Counting words read back to a value: what was said is the number."""
    if isinstance(number, float) and "e" in str(number):
        return
    assert value(words(f"{number:,}")) == number


UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen".split()
UNITS += "fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}


def value(spoken: list[str]) -> float:
    sign = -1 if spoken[0] == "minus" else 1
    spoken = spoken[spoken[0] == "minus" :]
    whole, decimals = spoken, ""
    if "point" in spoken:
        at = spoken.index("point")
        whole, decimals = spoken[:at], "".join(str(UNITS.index(w)) for w in spoken[at + 1 :])
    if len(whole) > 1 and all(word in UNITS[:10] for word in whole):  # figure by figure
        return sign * int("".join(str(UNITS.index(word)) for word in whole))
    total = group = 0
    for word in whole:
        if word in SCALES:
            total, group = total + group * SCALES[word], 0
        elif word == "hundred":
            group *= 100
        else:
            group += UNITS.index(word) if word in UNITS else 20 + 10 * TENS.index(word)
    return sign * float(f"{total + group}.{decimals}") if decimals else sign * (total + group)


@given(st.dates())
def test_every_date_in_three_ways(day) -> None:  # type: ignore[no-untyped-def]
    if day.year < 1000:
        return
    iso = words(day.isoformat())
    assert iso == words(f"{day:%m}/{day:%d}/{day:%Y}")
    assert iso[0] == f"{day:%B}".lower()
    if 1010 <= day.year <= 2099:
        assert iso == words(f"{day:%B} {day.day}, {day.year}")


def test_pauses() -> None:
    tokens = normalise("Well, Mr. Brown went (at 5 p.m.) to St. Ives — with 3 cats; etc. Then so…")
    assert [token.written for token in tokens if token.pause_after] == [
        "Well,", "Ives —", "cats;", "etc.", "so…",
    ]  # fmt: skip


def test_silent_signs_belong_to_a_neighbour() -> None:
    assert [token.written for token in normalise("… 😀 hello 😀 – there !")] == [
        "… 😀 hello 😀 –",
        "there !",
    ]


# --- refusals: one sentence that says what to do -------------------------------------------------


def test_empty(subtests: pytest.Subtests) -> None:
    for text in ["", " ", "\n\t "]:
        with (
            subtests.test(text=text),
            pytest.raises(InputError, match=r"The text is empty: write what to say"),
        ):
            normalise(text)


def test_nothing_to_say(subtests: pytest.Subtests) -> None:
    for text in ["...", "?!", "—", "😀😀", "''", "\u200b", "✓ •"]:
        with (
            subtests.test(text=text),
            pytest.raises(
                InputError, match=r"no words to speak: write at least one English word\."
            ),
        ):
            normalise(text)


def test_another_script_is_named(subtests: pytest.Subtests) -> None:
    for text, script in [
        ("Привет", "Cyrillic"),
        ("你好", "Chinese"),
        ("こんにちは", "Japanese"),
        ("カタカナ", "Japanese"),
        ("안녕", "Korean"),
        ("مرحبا", "Arabic"),
        ("שלום", "Hebrew"),
        ("Αθήνα", "Greek"),
        ("नमस्ते", "Devanagari"),
        ("สวัสดี", "Thai"),
    ]:
        with subtests.test(text=text, script=script):
            with pytest.raises(InputError) as refusal:
                normalise(text)
            message = str(refusal.value)
            assert script in message and text.split()[-1] in message and "Latin letters" in message
            assert message.count(". ") == 0 and "\n" not in message


def test_a_word_too_long() -> None:
    with pytest.raises(InputError, match=r"has 500 letters.*45\): correct it or put spaces"):
        normalise("a" * 500)
    assert words("pneumonoultramicroscopicsilicovolcanoconiosis")


def test_one_strange_word_does_not_end_a_text(subtests: pytest.Subtests) -> None:
    for strange in ["мир", "你好", "a" * 500, "https://x.org/" + "q" * 60]:
        with subtests.test(strange=strange):
            tokens = normalise(f"hello {strange} there")
            spoken = [word for token in tokens for word in token.words]
            assert spoken[0] == "hello" and spoken[-1] == "there"
            assert strange in " ".join(token.written for token in tokens)
            assert skipped(f"hello {strange} there") == ([] if "/" in strange else [strange])


def test_links_to_what_is_written_stay() -> None:
    text = "It cost US$76 million (laughs) on 5' 11\" of july 4, call (555) 123 4567 now."
    links = {token.written: " ".join(token.words) for token in normalise(text)}
    assert links["US$76 million (laughs)"] == "seventy six million u s dollars"
    assert links["5' 11\""] == "five foot eleven"
    assert links["(555) 123 4567"].count("five") == 4
    assert " ".join(links).split() == text.split()


# Repeated, for what must be bounded; tests/fuzz/test_scaling.py counts the work.
LONG = {
    "dots": ".", "dots apart": ". ", "nines": "9", "dashes": "-", "ones and commas": "1,",
    "points": "1.", "quotes": "'", "spaces in a bracket": "[pause ", "brackets": "[", "tags": "<i",
    "braces": "{\\", "en dashes": "1–", "pauses": "[pause] ", "groups": "12 ", "stars": "*a ",
    "letters": "a", "dotted": "a.", "at": "a@", "slashes": "a/", "sums": "1+", "labels": "AB:\n",
    "capitals": "Ab ", "cues": "00:01 --> ", "primes": "6' ", "roman": "X", "camel": "aB",
    "accents": "é", "foreign": "ж ", "money": "$1 ", "equals": "1=",
}  # fmt: skip


def test_no_rule_sees_more_than_a_bounded_piece() -> None:
    """The limit that keeps the rules linear, whatever their regular expressions do."""
    for piece in LONG.values():
        for token in tokens_of("so " + piece * 2000):
            assert len(token.core) <= LONGEST_TOKEN


def test_no_pattern_for_a_whole_text_looks_further_than_a_line() -> None:
    """Those that see more than a token have no repetition without a limit."""
    assert longest_repetition(re._parser.parse("(a+)b|c{3}")) > 400
    for module in (unspoken, markup):
        for name, pattern in vars(module).items():
            if isinstance(pattern, re.Pattern) and name not in {"_SOUND", "_BESIDE", "_SECONDS"}:
                assert longest_repetition(re._parser.parse(pattern.pattern)) <= 400, name


def longest_repetition(tree: Any) -> int:
    """The highest limit of any repetition in a parsed regular expression."""
    longest = 0
    for part in tree if isinstance(tree, re._parser.SubPattern | tuple | list) else ():
        longest = max(longest, longest_repetition(part))
        if isinstance(part, tuple) and str(part[0]).endswith("REPEAT"):
            longest = max(longest, int(part[1][1]))
    return longest


@pytest.mark.parametrize("name", ["ZAU", "MEI", "TAO"])
def test_a_short_name_in_a_text_of_capitals_is_a_word(name: str) -> None:
    said = Transcript.from_text(f"THEN {name} WENT HOME AND SAID NOTHING TO THEM").spoken
    assert said[1] == name.lower()
