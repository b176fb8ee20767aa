"""Shared text keeps its old reading; new text gets its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a3t.errors import InputError
from a3t.plan.revision import Revision
from a3t.text.kept_readings import with_kept_readings
from a3t.text.transcript import Transcript

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
    revision = Revision.of(Transcript.from_text(old), Transcript.from_text(new))
    a, b = revision.text.spoken, revision.new_text.spoken
    assert a == Transcript.from_text(old).spoken
    found = [(" ".join(a[slice(*x.old)]), " ".join(b[slice(*x.new)])) for x in revision.edits]
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
