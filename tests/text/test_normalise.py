"""What is written and what a narrator says for it; properties of the normaliser; its refusals."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from a3t.errors import InputError
from a3t.text import vocabulary
from a3t.text.normalise import MAX_WORDS, normalise

# written | spoken; blank lines and lines with # part the groups.
TABLE = """
# numbers
I have 3 cats and 21 dogs. | i have three cats and twenty one dogs
There were 105 people. | there were one hundred five people
1,234,567 people | one million two hundred thirty four thousand five hundred sixty seven people
The number 0 is even | the number zero is even
agent 007 | agent zero zero seven
3400 soldiers | three thousand four hundred soldiers
1 000 000 stars | one million stars
１２３ | one hundred twenty three
a 5-year-old boy | a five year old boy
1-2-3 | one two three
# decimals and signs
3.14 is pi | three point one four is pi
12.50 | twelve point five zero
.5 of it | point five of it
0.05 | zero point zero five
-5 degrees | minus five degrees
−5 °C | minus five degrees celsius
+5 | plus five
±5 | plus or minus five
version 3.11.7 | version three point eleven point seven
# ordinals
the 1st, 2nd, 3rd and 4th | the first second third and fourth
the 21st century | the twenty first century
the 100th day | the one hundredth day
the 1,000th visitor | the one thousandth visitor
the 19th-century house | the nineteenth century house
# years and decades
He was born in 1998. | he was born in nineteen ninety eight
In 1905 it began. | in nineteen oh five it began
In 2000 and 2007 and 2024 | in two thousand and two thousand seven and twenty twenty four
the year 1066 | the year ten sixty six
in 1800 | in eighteen hundred
the 1980s | the nineteen eighties
the '90s | the nineties
the mid-1990s | the mid nineteen nineties
class of '05 | class of oh five
1914–1918 | nineteen fourteen to nineteen eighteen
the 1914–18 war | the nineteen fourteen to eighteen war
79 AD | seventy nine a d
# dates
May 6, 2020 | may sixth twenty twenty
on May 6th | on may sixth
6 May 2020 | the sixth of may twenty twenty
the 6 May | the sixth of may
3rd March | the third of march
Jan. 5, 2020 | january fifth twenty twenty
Sept. 11 | september eleventh
Dec 25 | december twenty fifth
March 3–5 | march third to fifth
2024-05-06 | may sixth twenty twenty four
5/6/2020 | may sixth twenty twenty
13/06/2020 | june thirteenth twenty twenty
9/11 | nine eleven
May 2020 | may twenty twenty
Mon-Fri | monday to friday
Mon–Fri | monday to friday
# times
at 3:45 | at three forty five
at 3:05 a.m. | at three oh five a m
at 3:00 | at three o'clock
at 3:00 pm | at three p m
7pm | seven p m
7-9pm | seven to nine p m
9am-5pm | nine a m to five p m
15:30 | fifteen thirty
5.30pm | five thirty p m
at 9 o’clock | at nine o'clock
I am here at 5 AM | i am here at five a m
24/7 | twenty four seven
# telephone numbers
call 555-1234 | call five five five one two three four
(555) 123-4567 | five five five one two three four five six seven
+1 555 123 4567 | plus one five five five one two three four five six seven
1-800-555-0199 | one eight hundred five five five zero one nine nine
020 7946 0958 | zero two zero seven nine four six zero nine five eight
call 911 | call nine one one
# money
$5 | five dollars
$1 | one dollar
$0.99 | ninety nine cents
$5.20 | five dollars and twenty cents
$1,250.75 | one thousand two hundred fifty dollars and seventy five cents
$3 million | three million dollars
$3.5m | three point five million dollars
$20k | twenty thousand dollars
a $5 bill | a five dollar bill
-$5 | minus five dollars
$5–$10 | five to ten dollars
$20/hr | twenty dollars per hour
£3.50 | three pounds and fifty pence
£0.01 | one penny
€20 | twenty euros
20 € | twenty euros
5.50€ | five euros and fifty cents
¥500 | five hundred yen
₹100 | one hundred rupees
C$50 | fifty canadian dollars
100 USD | one hundred u s dollars
50¢ | fifty cents
# percent, units, symbols
50% | fifty percent
5-10% | five to ten percent
10 km | ten kilometers
1 km | one kilometer
5kg | five kilograms
an 8 km walk | an eight kilometer walk
60 mph | sixty miles per hour
60 km/h | sixty kilometers per hour
9.8 m/s² | nine point eight meters per second squared
100 m² | one hundred square meters
5 sq ft | five square feet
98.6°F | ninety eight point six degrees fahrenheit
2.4 GHz | two point four gigahertz
16GB | sixteen gigabytes
6 ft. 2 in. | six feet two inches
6'2" tall | six foot two tall
5 Ω | five ohms
5G | five g
3x4 | three by four
x² | x squared
3 + 4 = 7 | three plus four equals seven
7 - 3 = 4 | seven minus three equals four
2 - 3 people | two to three people
x > 5 | x greater than five
~5 | about five
§5 | section five
#1 | number one
rock & roll | rock and roll
w/o milk | without milk
H₂O | h two o
# fractions
1/2 | one half
3/4 | three quarters
2 1/2 cups | two and a half cups
2½ cups | two and a half cups
½ an hour | half an hour
5/8 inch | five eighths inch
120/80 | one hundred twenty over eighty
50/50 | fifty fifty
# names with numerals
Henry VIII | henry the eighth
Elizabeth II's | elizabeth the second's
World War II | world war two
World War I | world war one
Chapter IV | chapter four
Super Bowl LII | super bowl fifty two
Malcolm X | malcolm x
Plan I | plan i
Boeing 747 | boeing seven forty seven
Room 101 | room one oh one
221B Baker Street | two twenty one b baker street
# abbreviations
Dr. Smith lives on Elm Dr. near St. Paul's. | doctor smith lives on elm drive near saint paul's
Mr Jones and Mrs Brown met Ms Green. | mister jones and missus brown met miz green
12 Main St. is old | twelve main street is old
He lives on Main St. Yesterday he left. | he lives on main street yesterday he left
St Paul's | saint paul's
Mt. Everest | mount everest
Lt. Col. Smith | lieutenant colonel smith
Martin Luther King, Jr., spoke. | martin luther king junior spoke
Marks & Co. | marks and company
Roe v. Wade | roe versus wade
cats, dogs, etc. | cats dogs et cetera
e.g. this | for example this
i.e. that | that is that
No. 5 | number five
No. I will not. | no i will not
No.5 | number five
pp. 5-10 | pages five to ten
Vol. 2, ch. 3 | volume two chapter three
Washington, D.C. | washington dc
Portland, OR | portland oregon
100 N. Main St. | one hundred north main street
S. Korea | south korea
Ph.D. | p h d
J. K. Rowling | j k rowling
T.S. Eliot | t s eliot
# initials
the FBI and NASA | the fbi and nasa
the U.S. is | the u s is
the US is | the u s is
give it to us | give it to us
CEOs | ceo's
AT&T | a t and t
R&D | r and d
AC/DC | ac dc
COVID-19 | covid nineteen
MP3 | m p three
THIS IS THE US | this is the us
I AM HAPPY. | i am happy
JSON | jason
# addresses
john@example.com | john at example dot com
john.smith@example.co.uk | john dot smith at example dot co dot u k
www.example.com | w w w dot example dot com
https://github.com/user/repo | github dot com slash user slash repo
google.com. | google dot com
file.txt | file dot t x t
@john | at john
#MeToo | hashtag me too
C++ and C# | c plus plus and c sharp
# hyphens, apostrophes, quotes
a well-known mother-in-law | a well known mother in law
A–Z | a to z
'Tis the season | 'tis the season
’Twas the night | 'twas the night
rock 'n' roll | rock 'n roll
get 'em | get 'em
goin' fishin' | goin' fishin'
He's in 'the bin' | he's in the bin
the boys' toys | the boys toys
O'Brien’s | o'brien's
shouldn't've | shouldn't've
“Yes,” she said — 'no' | yes she said no
«French» | french
# accents and other letters
café | cafe
naïve résumé | naive resume
Dvořák in Łódź | dvorak in lodz
São Paulo | sao paulo
ﬁne Œuvre | fine oeuvre
α-helix | alpha helix
# dashes, dots, emoji, what is silent
yes—no | yes no
yes--no | yes no
yes – no | yes no
wait...what | wait what
hello,world | hello world
end.Next | end next
Mr.Smith | mister smith
hello 👍🏽 there 😀 | hello there
I ❤️ you | i you
* item | item
# Heading | heading
_it_ is **bold** | it is bold
helloWorld | hello world
"""
CASES = [
    tuple(part.strip() for part in line.rsplit("|", 1))
    for line in TABLE.splitlines()
    if "|" in line
]


def words(text: str) -> list[str]:
    return [word for token in normalise(text, max_words=None) for word in token.words]


def test_the_table_is_as_long_as_it_should_be() -> None:
    assert len(CASES) >= 150 and len({written for written, _ in CASES}) == len(CASES)


@pytest.mark.parametrize(("written", "spoken"), CASES, ids=[case[0] for case in CASES])
def test_what_is_said(written: str, spoken: str) -> None:
    assert " ".join(words(written)) == spoken


@pytest.mark.parametrize("spoken", [case[1] for case in CASES])
def test_spoken_words_stay_as_they_are(spoken: str) -> None:
    assert " ".join(words(spoken)) == spoken


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
    assert [word for token in normalise(" ".join(spoken), None) for word in token.words] == spoken


FRAGMENTS = st.sampled_from(
    [
        *"abIVX0129 .,-'/:$£%°#@&+=*^()\"!?~<>–—½²μΩé",
        *"st nd pm a.m. km Mr Dr. St. May Jan No. in the 's n't http:// .com ok '90s".split(),
        *vocabulary.TITLES,
        *vocabulary.AFTER_NAMES,
        *vocabulary.ALSO_BARE,
        *vocabulary.UNITS,
        *vocabulary.STATES,
        *vocabulary.SYMBOLS,
        " ",
        "  ",
        "\n",
    ]
)


@settings(max_examples=250, deadline=None)
@given(st.lists(FRAGMENTS, max_size=12).map("".join))
@example("Mr'(")
@example("http://μ")
@example("x²")
@example("1990s1990s")
@example("$$$ 5 --")
@example("'n'n'")
def test_scraps_of_writing(text: str) -> None:
    check(text)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=20))
@example("\U00017000")
def test_any_characters(text: str) -> None:
    check(text)


@settings(max_examples=150, deadline=None)
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


@settings(max_examples=60, deadline=None)
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


@pytest.mark.parametrize("text", ["", " ", "\n\t "])
def test_empty(text: str) -> None:
    with pytest.raises(InputError, match=r"The text is empty: write the words"):
        normalise(text)


@pytest.mark.parametrize("text", ["...", "?!", "—", "😀😀", "''", "\u200b", "✓ •"])
def test_nothing_to_say(text: str) -> None:
    with pytest.raises(InputError, match=r"no words to speak: write at least one English word\."):
        normalise(text)


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Привет", "Cyrillic"),
        ("hello мир", "Cyrillic"),
        ("你好", "Chinese"),
        ("こんにちは", "Japanese"),
        ("カタカナ", "Japanese"),
        ("안녕", "Korean"),
        ("مرحبا", "Arabic"),
        ("שלום", "Hebrew"),
        ("Αθήνα", "Greek"),
        ("नमस्ते", "Devanagari"),
        ("สวัสดี", "Thai"),
    ],
)
def test_another_script_is_named(text: str, script: str) -> None:
    with pytest.raises(InputError) as refusal:
        normalise(text)
    message = str(refusal.value)
    assert script in message and text.split()[-1] in message and "Latin letters" in message
    assert message.count(". ") == 0 and "\n" not in message


def test_a_word_too_long() -> None:
    with pytest.raises(InputError, match=r"has 500 letters.*\(45\): correct it or put spaces"):
        normalise("a" * 500)
    assert words("pneumonoultramicroscopicsilicovolcanoconiosis")


def test_too_many_words() -> None:
    with pytest.raises(InputError, match=rf"has 2000 words, more than the {MAX_WORDS}"):
        normalise("word " * 2000)
    with pytest.raises(InputError, match=r"has \d+ words"):  # few tokens, many spoken words
        normalise("1234567 " * 1000)
    assert len(words("word " * 2000)) == 2000
    assert len(normalise("word " * MAX_WORDS)) == MAX_WORDS
