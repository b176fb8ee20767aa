"""Marks and capitals put into a text, and the words that stay what they are."""

from collections.abc import Sequence

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from a3t.text.punctuation.network import BESIDE, WINDOW, PunctuationNetwork, build, predict
from a3t.text.punctuation.restoring import punctuated, with_punctuation
from a3t.text.punctuation.words_and_tags import (
    CASES,
    NUMBER,
    PAUSE_LENGTHS,
    TAGS,
    Vocabulary,
    pause_length,
    pieces,
)
from a3t.text.transcript import Transcript


class ByWord(nn.Module):
    """A network that gives each word the tag and the case that a table has for it."""

    def __init__(self, **told: str) -> None:
        super().__init__()
        self.told = told

    def forward(
        self, texts: Sequence[Sequence[str]], pauses: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        T = max(map(len, texts))
        scores = torch.zeros(len(texts), T, len(TAGS)), torch.zeros(len(texts), T, len(CASES))
        for row, text in enumerate(texts):
            for k, word in enumerate(text):
                tag, _, case = self.told.get(word, "").partition(" ")
                for part, names, name in ((0, TAGS, tag or "O"), (1, CASES, case or "lower")):
                    scores[part][row, k, [*names].index(name)] = 9.0
        return scores


@pytest.mark.parametrize(
    "text, told, expected",
    [
        ("we came and saw", {}, "We came and saw."),
        ("are we there yes", {"there": "QUESTION"}, "Are we there? Yes."),
        ("well we went to kyiv", {"well": "COMMA", "kyiv": "O capital"}, "Well, we went to Kyiv."),
        ("i think i'm right", {}, "I think I'm right."),
        ("AS YOU KNOW I LEFT", {"know": "COMMA"}, "As you know, I left."),
        ("a tv is on", {"tv": "O capitals"}, "A TV is on."),
        (
            "the nhs saw ms li go",
            {"nhs": "O capitals", "ms": "O capital", "li": "O capital"},
            "The nhs saw ms Li go.",
        ),
        ("did you go", {"go": "QUESTION"}, "Did you go?"),
        ("self-made men\nare [Music] rare", {"men": "COMMA"}, "Self-made men,\nare [Music] rare."),
        ("she met Ann there", {}, "She met Ann there."),
        ("<i> hello </i> you all", {}, "<i> Hello </i> you all."),
        ("", {}, ""),
        ("[Music]", {}, "[Music]"),
    ],
)
def test_marks_and_capitals(text: str, told: dict[str, str], expected: str) -> None:
    assert punctuated(text, network=ByWord(**told)) == expected


CAPITALISED = """
25th=25th 3rd=3rd 1990s=1990s 10am=10am 4x4=4x4 7-eleven=7-eleven 20/20=20/20 ios=iOS iOS=iOS
iphone=iPhone macos=macOS mrna=mRNA youtube=YouTube iDrive=iDrive @anna=@anna
anna@x.org=anna@x.org example.com=example.com the=The élan=Élan o'clock=O'clock 'tis='Tis
“well”=“Well” e-mail=E-mail i'm=I'm a.m.=A.m. Ann=Ann
mcdonald's=McDonald's o'brien=O'Brien mcg=Mcg
"""


@pytest.mark.parametrize("first, capitalised", [each.split("=") for each in CAPITALISED.split()])
def test_capitals_of_a_sentences_first_word(first: str, capitalised: str) -> None:
    """A token that begins with a letter gets one, in all but what has its own form."""
    network = ByWord(**dict.fromkeys((NUMBER, "anna", "x", "com"), "O capital"))
    assert (
        punctuated(f"so {first} it is", network=ByWord(so="PERIOD")) == f"So. {capitalised} it is."
    )
    assert punctuated(f"{first} it is", network=network).startswith(capitalised)


@pytest.mark.parametrize(
    "text, told",
    [
        ("he said no 5 of them came today", {"no": "PERIOD"}),  # not "number five"
        ("it was may 5 when we left us", {"us": "O capitals"}),  # not "u. s."
        ("the price was 3 50 then", {NUMBER: "COMMA"}),
    ],
)
def test_words_are_said_as_before(text: str, told: dict[str, str]) -> None:
    changed = punctuated(text, network=ByWord(**told))
    assert Transcript.from_text(changed).spoken == Transcript.from_text(text).spoken


MARKS = dict(zip("so no mr st us it a.m".split(), [*TAGS, *TAGS[1:]], strict=True))
TOKENS = "so no mr st 1 5 us it i am pm may $5 3rd a.m. [x] Ann".split()


@given(st.lists(st.sampled_from(TOKENS), min_size=1, max_size=12))
def test_whatever_is_said_the_spoken_words_stay(tokens: list[str]) -> None:
    text = "we said " + " ".join(tokens)
    transcript = Transcript.from_text(text)
    found = with_punctuation(transcript, network=ByWord(**MARKS, **{NUMBER: "COMMA capital"}))
    assert found.spoken == transcript.spoken


def tiny() -> PunctuationNetwork:
    torch.manual_seed(0)
    config = {
        "encoder": {"size": 16, "layers": 1, "kernel": 3},
        "ffa": {"heads": 2, "hidden": 16, "fusion_heads": 2, "fusion_hidden": 16},
    }
    return build(config, Vocabulary(("we", "came", "and", "saw"), 16)).eval()


def test_a_long_text_is_read_in_windows_that_agree_where_they_meet() -> None:
    """Each word has one prediction; one far from its window's ends is that of the window alone."""
    network, words = tiny(), ("we came and saw the sea " * 100).split()
    tags, cases = predict(network, words, batch=3)
    assert tags.shape == (600, len(TAGS)) and cases.shape == (600, len(CASES))
    alone, _ = predict(network, words[:WINDOW])
    assert torch.allclose(tags[: WINDOW - BESIDE], alone[: WINDOW - BESIDE], atol=1e-5)
    for count in (1, 2, WINDOW - 1, WINDOW, WINDOW + 1, 2 * WINDOW):
        assert predict(network, words[:count])[0].shape == (count, len(TAGS))


def test_pauses_are_heard_where_each_word_has_one() -> None:
    network, text = tiny(), Transcript.from_text("we came and saw 25 of them there")
    words = len(text.spoken)
    lengths: list[float | None] = [0.0, 0.6, None, *[0.0] * (words - 3)]
    silent, heard = (
        predict(network, pieces(text.text), rows)[0]
        for rows in (None, [pause_length(x) for x in (0.0, 0.6, None, 0.0, 0.0, 0.0, 0.0, 0.0)])
    )
    assert not torch.allclose(silent, heard, atol=1e-4)
    assert with_punctuation(text, lengths, network).spoken == text.spoken


@pytest.mark.parametrize(
    "begins", ["", "[Music] ", "(Laughs)\n", "we paid $25 (so they said) and "]
)
def test_a_pause_decides_where_a_sentence_ends(begins: str) -> None:
    """With the shipped network, whatever stands in the text that nobody says."""
    text = Transcript.from_text(begins + "i saw him there again he was waiting")
    for word, ending in ((-5, "there. Again"), (-4, "there again. He")):
        pauses: list[float | None] = [0.0] * len(text.words)
        pauses[word] = 0.9
        assert ending in with_punctuation(text, pauses).text


def test_lengths_of_pauses_are_told_apart() -> None:
    assert pause_length(None) == 0 and pause_length(0.0) == 1 == pause_length(0.049)
    assert pause_length(0.05) == 2 and pause_length(9.0) == PAUSE_LENGTHS - 1
    lengths = [pause_length(x / 100) for x in range(100)]
    assert lengths == sorted(lengths) and set(lengths) == {*range(1, PAUSE_LENGTHS)}
