"""Shared text keeps its reading: another spelling makes no edit, another sound does."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from a3t.errors import InputError
from a3t.plan.revision import Revision
from a3t.text.comparison.respelling import american, respelled, sounds_alike, with_kept_readings
from a3t.text.transcript import Transcript


def changes(old: str, new: str) -> list[tuple[str, str]]:
    """(words that go, words that come) of each edit."""
    revision = Revision.of(Transcript.from_text(old), Transcript.from_text(new))
    a, b = revision.text.spoken, revision.new_text.spoken
    return [
        (" ".join(a[slice(*edit.old)]), " ".join(b[slice(*edit.new)])) for edit in revision.edits
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the colour of it", "the color of it"),
        ("send an e-mail now", "send an email now"),
        ("ten percent of it", "ten per cent of it"),
        ("we saw 105 people", "we saw one hundred and five people"),
        ("we saw 105 people", "we saw one hundred five people"),
        ("the US won it", "the us won it"),
        ("They went to the IT room.", "they went to the it room"),
        ("he realised it", "he realized it"),
        ("the centre travelled", "the center traveled"),
        ("a well-known co-op", "a well known coop"),
        ("it was okay", "it was OK"),
        ("their house is there", "there house is their"),
        ("grey tyres", "gray tires"),
        ("the e-mail's colour, 10 percent", "the email's color 10 per cent"),
    ],
)
def test_spelling_alone(one: str, other: str) -> None:
    assert changes(one, other) == [] and changes(other, one) == []


@pytest.mark.parametrize(
    ("old", "new", "edits"),
    [
        ("we don't know", "we do not know", [("don't", "do not")]),
        ("I read it", "I red it", [("read", "red")]),
        ("go to it", "go two it", [("to", "two")]),
        ("it costs $5 now", "it costs 5 now", [("dollars", "")]),
        ("1.5 of them", "15 of them", None),
        ("the colour is red", "the color is blue", [("red", "blue")]),
        ("email me today", "e-mail us today", [("me", "us")]),
        ("salt pepper", "salt and pepper", [("", "and")]),
        ("an hour", "an our", None),
        ("four men", "for men", None),
    ],
)
def test_what_sounds_otherwise(old: str, new: str, edits: list[tuple[str, str]] | None) -> None:
    found = changes(old, new)
    assert found == edits if edits is not None else found


def test_links_to_what_is_written_stay() -> None:
    old = Transcript.from_text("Send an e-mail, [pause 1] ten per cent *now* please.")
    new = Transcript.from_text("Send an email, [pause 1] ten percent *now* please.")
    result = respelled(old, new)
    assert result.spoken == old.spoken and result.text == new.text
    assert result.pauses == old.pauses and result.emphasis == old.emphasis
    assert result.written(0, len(result.words)) == "Send an email, ten percent now please."
    assert [word.pause_after for word in result.words] == [w.pause_after for w in old.words]
    tokens = [word.token for word in result.words]
    assert tokens == sorted(tokens) and set(tokens) == set(range(tokens[-1] + 1))


def test_american_spelling() -> None:
    british = "honour organise analysed metre dialogue travelling defence programme".split()
    expected = "honor organize analyzed meter dialog traveling defense program".split()
    assert [american(word) for word in british] == expected
    same = "our hour your wise rise four tour here there acre promise all spelling these filled "
    same = f"{same} willing polled michael rogue fence hence raise noise".split()
    assert [american(word) for word in same] == same


def test_sound() -> None:
    assert sounds_alike(["per", "cent"], ["percent"]) and sounds_alike(["sea"], ["see"])
    assert not sounds_alike(["read"], ["red"]) and not sounds_alike(["xqzt"], ["xqzt"])


pieces = st.lists(
    st.sampled_from(
        "colour color e-mail email per cent percent 105 and US us. $5 [pause] *so*".split()
    ),
    min_size=1,
    max_size=8,
)


@given(pieces, pieces)
@example("colour us. us. colour".split(), "us. color US colour".split())
def test_any_two_texts(one: list[str], other: list[str]) -> None:
    try:
        old, new = Transcript.from_text(" ".join(one)), Transcript.from_text(" ".join(other))
    except InputError:
        return
    result = respelled(old, new)
    assert Transcript.from_json(result.to_json()) == result
    tokens = [word.token for word in result.words]
    assert set(tokens) == set(range(len(set(tokens)))) and tokens == sorted(tokens)
    assert all(0 <= place <= len(result.words) for place, _ in result.pauses)
    assert respelled(old, result) == result and respelled(old, old) == old


CAPITALS = "IT HAPPENED LONG AGO IN THESE COMMONWEALTHS. WHAT DID YOU SEE AND WHO TOLD US THAT?"


SPEAKERS = "ANNA: It rained.\nBEN: I know.\nANNA: All day long."


@pytest.mark.parametrize(
    ("old", "new", "edits"),
    [
        # Whether capitals mean anything.
        (CAPITALS, CAPITALS.replace("HAPPENED", "really"), [("happened", "really")]),
        (CAPITALS, CAPITALS.replace("AGO", "ago"), []),
        (CAPITALS, CAPITALS.replace("AGO", "[pause 0.4] AGO"), [("", "")]),
        (CAPITALS, CAPITALS.replace("LONG", "so the US said, not long"), None),
        ("NASA told us.", "NASA TOLD US.", []),
        # Whether a name begins a line, or a heading.
        (SPEAKERS, SPEAKERS.replace("ANNA: It rained.\n", ""), [("it rained", "")]),
        ("NOTE: we go.", "NOTE: we go.\nNOTE: they stay.\nBEN: no.", None),
        # What stands beside the change is read anew, by its rules.
        ("It weighs 1 kg now.", "It weighs 2 kg now.", [("one kilogram", "two kilograms")]),
        ("He saw St. James there.", "He saw Baker St. there.", [("saint james", "baker street")]),
        # What stands farther away isn't.
        ("Say \"it is 6' tall' and 5' wide.", "Say 'it is 6' tall' and 5' wide.", []),
    ],
)
def test_only_what_changed_is_read_anew(
    old: str, new: str, edits: list[tuple[str, str]] | None
) -> None:
    said = Transcript.from_text(old)
    assert Revision.of(said, Transcript.from_text(new)).text.spoken == said.spoken
    found = changes(old, new)
    assert found == edits if edits is not None else len(found) == 1


def test_new_words_decide_for_themselves() -> None:
    new = Transcript.from_text(CAPITALS.replace("LONG", "so the US said, not long"))
    kept = with_kept_readings(Transcript.from_text(CAPITALS), new)
    assert " ".join(kept.spoken[2:11]) == "so the u s said not long ago in"


words = st.lists(
    st.sampled_from("COMMONWEALTHS US us IT 5 kg St. ANNA: 1998 No. (so) *so* [pause]".split()),
    min_size=1,
    max_size=9,
)


@given(words, words, words, words)
def test_words_away_from_a_change_stay(
    first: list[str], gone: list[str], come: list[str], last: list[str]
) -> None:
    beside = ["so", "then", "we", "go"]
    begin, end = [*first, *beside], [*beside, *last]
    try:
        old, new = (Transcript.from_text(" ".join([*begin, *x, *end])) for x in (gone, come))
    except InputError:
        return
    kept = with_kept_readings(old, new)
    assert kept.text == new.text and len(kept.pauses) == len(new.pauses)
    revision = Revision.of(old, kept)
    outside = len(Transcript.from_text(" ".join(begin)).words) - len(beside)
    assert all(edit.old[0] >= outside for edit in revision.edits)
