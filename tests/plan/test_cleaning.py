"""Fillers, repetitions, noises and pauses are found, in the text and between its words."""

from dataclasses import replace
from pathlib import Path

import pytest

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.cleaning import Cleaning
from a3t.plan.findings import Findings
from a3t.plan.request import Cut, EditRequest, check_cuts
from a3t.source.records import AlignedRecording
from a3t.text.transcript import Transcript
from alignment import Alignment, Phone, Word
from alignment.result import pause
from tests.plan.test_plan import plan_of

PHONE = 0.1  # seconds


def spoken(*parts: str | tuple[str, float]) -> Alignment:
    """Words of 0.3 s; ("", S) is a pause of S seconds, ("<um>", S) a sound that no text has."""
    words, clock = [], 0.0
    for part in parts:
        if isinstance(part, tuple):
            named = part[0].startswith("<")
            score = 0.0 if named else 1.0
            words.append(pause(clock, clock + part[1], score, part[0]))
            clock += part[1]
        else:
            own = tuple(Phone("AH0", clock + k * PHONE, clock + (k + 1) * PHONE) for k in range(3))
            words.append(Word(part, clock, clock + 3 * PHONE, 1.0, own))
            clock += 3 * PHONE
    return Alignment(tuple(words), clock)


def likely_whole(aligned: Alignment, score: float) -> Alignment:
    """With how likely it is that the text lacks none of the sounds that no text has."""
    words = tuple(
        replace(word, phones=(replace(word.phones[0], score=score),)) if word.unwritten else word
        for word in aligned.words
    )
    return replace(aligned, words=words)


def found_in(arctic: Path, text: str, want: Cleaning | None = None, *parts: object) -> Findings:
    alignment = spoken(*(parts or Transcript.from_text(text).spoken))  # type: ignore[arg-type]
    return found_by(arctic, text, alignment, want)


def found_by(
    arctic: Path, text: str, alignment: Alignment, want: Cleaning | None = None
) -> Findings:
    transcript = Transcript.from_text(text)
    source = AlignedRecording(Recording.open(arctic), transcript, alignment)
    return Findings(source, transcript, want or Cleaning())


def new_text(found: Findings, only: list[str] | None = None) -> str:
    return found.request(found.chosen(only or [])).new_text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("We um meet on Monday.", "We meet on Monday."),
        ("Um, we meet, uh, on Monday.", "We meet, on Monday."),
        ("UM we meet. Er, hm.", "We meet."),
        ("We we meet on on Monday.", "We meet on Monday."),
        ("I think I think we can.", "I think we can."),
        ("We me- meet on Mon— Monday.", "We meet on Monday."),
        ("That that is is not what he had had.", "That that is not what he had had."),
        ("No. No. Very, very well, bye bye.", "No. No. Very, very well, bye bye."),
        ("He left. He left again.", "He left. He left again."),
        ("One two two.\n\nIt's  umbrella, er, time.", "One two two.\n\nIt's  umbrella, time."),
    ],
)
def test_written_fillers_and_repetitions_leave_the_text(
    text: str, clean: str, arctic: Path
) -> None:
    """Deliberate repetitions stay, and so does everything else, spaces included."""
    assert new_text(found_in(arctic, text)) == clean


def test_a_list_of_fillers_is_read_in_any_case(arctic: Path) -> None:
    want = Cleaning(fillers=("LIKE", "You Know", "…"))
    text = "It was like good, you know, um."
    assert new_text(found_in(arctic, text, want)) == "It was good, um."


def test_what_is_muted_leaves_its_time(arctic: Path) -> None:
    want = Cleaning(action="mute")
    assert new_text(found_in(arctic, "We um meet.", want)) == "We [pause 0.3] meet."


def test_sounds_between_words_are_cut_with_a_natural_pause_left(arctic: Path) -> None:
    parts = ["we", ("", 0.2), ("<um>", 0.4), ("", 0.3), "meet", ("<repeat>", 0.3), "here"]
    found = found_in(arctic, "we meet here", None, *parts)
    assert [f.kind for f in found.found] == ["filler", "repeat"]
    um, again = found.request(found.found).cuts
    assert um.start >= 0.3 and um.end <= 1.2  # of the words on both sides nothing is taken
    assert um.start <= 0.5 + 1e-9 and um.end >= 0.9 - 1e-9  # the sound goes whole
    assert (1.2 - 0.3) - (um.end - um.start) == pytest.approx(0.25)
    assert (again.start, again.end) == pytest.approx((1.5, 1.8))
    assert new_text(found) == "we meet here"


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        (("one", ("", 0.2), ("<um>", 0.08), ("", 0.2), "two"), True),  # short, and stands alone
        (("one", ("<um>", 0.3), "two"), False),  # part of a word may look like one
        (("one", ("<?um>", 0.3), "two"), True),  # unless the text lacks something
        (("one", ("<?noise>", 0.3), "two"), False),
        (("one", ("<?noise>", 0.3), ("", 0.2), "two"), True),
        (("one", ("<um>", 0.1), ("", 0.2), "two", ("", 0.2), "three"), True),  # “one, o- two”
    ],
)
def test_what_may_be_part_of_a_word_is_left_alone(
    arctic: Path, parts: tuple[object, ...], found: bool
) -> None:
    aligned = spoken(*(
        (part[0].replace("?", ""), part[1]) if isinstance(part, tuple) else part for part in parts
    ))  # fmt: skip
    lacking = any("?" in part[0] for part in parts if isinstance(part, tuple))
    text = " ".join(word.text for word in aligned.spoken)
    whole = likely_whole(aligned, 0.1 if lacking else 0.9)
    assert bool(found_by(arctic, text, whole).found) is found


def test_a_pause_is_shortened_beside_what_may_be_part_of_a_word(arctic: Path) -> None:
    aligned = likely_whole(spoken("one", ("<um>", 0.3), ("", 3.0), "two", "three"), 0.9)
    (found,) = found_by(arctic, "One two three.", aligned).found
    assert found.kind == "pause" and (found.start, found.end) == pytest.approx((0.6, 3.6))
    assert found.cut is not None and found.cut.start > 0.6 and found.cut.end < 3.6


def test_long_pauses_are_shortened_to_the_speakers_own(arctic: Path) -> None:
    parts: list[object] = [("", 3.0), "a"]
    for word in "bcdefgh":
        parts += [("", 0.5), word]
    parts += [("", 2.5), "i", ("", 4.0)]
    text = "a b c d e f g h i"
    found = found_in(arctic, text, None, *parts)
    (finding,) = found.found  # what is before the first word and after the last stays
    (cut,) = found.request(found.found).cuts
    assert finding.kind == "pause" and finding.end - finding.start == pytest.approx(2.5)
    assert 2.5 - (cut.end - cut.start) == pytest.approx(0.5)
    assert cut.start - finding.start == pytest.approx(finding.end - cut.end)
    exact = found_in(arctic, text, Cleaning(shorten_to=1.0), *parts)
    (cut,) = exact.request(exact.found).cuts
    assert 2.5 - (cut.end - cut.start) == pytest.approx(1.0)
    kept = found_in(arctic, text, Cleaning(longest=3.0), *parts)
    assert not kept.found


def test_speech_that_the_text_lacks_is_left_alone(arctic: Path) -> None:
    parts = ["we", ("<um>", 5.0), "meet", ("", 2.0), "here"]
    alignment = spoken(*parts)  # type: ignore[arg-type]
    speech = pause(alignment.words[3].start, alignment.words[3].end, 0.2)
    words = (*alignment.words[:3], speech, *alignment.words[4:])
    assert not found_by(arctic, "we meet here", Alignment(words, alignment.duration)).found


def test_findings_are_chosen_by_number_and_by_kind(arctic: Path) -> None:
    parts = ["um", "we", ("<um>", 0.3), "we", "meet", ("", 2.0), "er", "here"]
    found = found_in(arctic, "um we we meet er here", None, *parts)
    assert [f.kind for f in found.found] == ["filler", "repeat", "filler", "pause", "filler"]

    def numbers(only: list[str], excepted: list[str]) -> list[int]:
        return [found.found.index(f) + 1 for f in found.chosen(only, excepted)]

    assert numbers([], []) == [1, 2, 3, 4, 5]
    assert numbers(["Fillers"], []) == [1, 3, 5]
    assert numbers(["2-4"], ["3", "pause"]) == [2]
    for wrong in ("0", "6", "4-2", "x", "", "1-99999999"):
        with pytest.raises(InputError, match="Nothing found is called"):
            found.chosen([wrong])


@pytest.mark.parametrize(
    "fields",
    [
        {"kinds": ("um",)}, {"action": "delete"}, {"longest": 0.1}, {"longest": float("nan")},
        {"longest": 1.0, "shorten_to": 2.0}, {"shorten_to": 0.0},
    ],
)  # fmt: skip
def test_a_wrong_option_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(InputError):
        Cleaning(**fields)  # type: ignore[arg-type]


def test_cuts_go_to_json_and_back_and_must_be_in_order() -> None:
    cuts = (Cut("filler", "cut", 0.5, 1.0), Cut("noise", "mute", 1.0, 1.5))
    request = EditRequest(text="a b", new_text="a b", cuts=cuts)
    assert EditRequest.from_json(request.to_json()) == request
    check_cuts(cuts)
    with pytest.raises(InputError, match="overlap"):
        check_cuts(cuts[::-1])
    for wrong in [("word", "cut", 0, 1), ("pause", "cut", 1, 1), ("pause", "cut", 0, float("inf"))]:
        with pytest.raises(InputError, match="is no cut"):
            Cut(*wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(("word", "at"), [(0, 0.02), (1, 0.6), (1, 1.72), (2, 1.72), (3, 2.92)])
def test_a_cut_in_a_pause_leaves_the_word_beside_it_its_context(word: int, at: float) -> None:
    """Also where the cut ends within the pause."""
    words, clock = [pause(0.0, 0.4)], 0.4
    for text in ("ban", "dot", "feel", "good"):
        own = [Phone(s, clock + n * PHONE, clock + (n + 1) * PHONE) for n, s in enumerate("BBB")]
        words.append(Word(text, clock, own[-1].end, 1.0, tuple(own)))
        clock = own[-1].end
        if text in ("dot", "good"):
            words.append(pause(clock, clock + 0.8))
            clock += 0.8
    new = ["ban", "dot", "feel", "good"]
    new[word] = "moon"
    cut = Cut("noise", "cut", at, at + 0.1)
    plan = plan_of("ban dot feel good", " ".join(new), Alignment(tuple(words), clock), cuts=(cut,))
    (edit,) = [edit for edit in plan.edits if edit.is_spoken]
    (window,) = plan.windows
    first, last = edit.remade[0] - edit.overlap[0], edit.remade[1] + edit.overlap[1]
    assert window.source[0] <= max(first, 0) and min(last, plan.frames) <= window.source[1]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        # broken off, with a slip as the reason, with a remark in between, twice over
        ("We go. The cat sat on the | The cat sat on the mat.", "We go. The cat sat on the mat."),
        ("The cat sat on a hat | The cat sat on the mat.", "The cat sat on the mat."),
        (
            "It was late. We all walked home sorry let me start again | We all walked home at "
            "ten. Then we ate.",
            "It was late. We all walked home at ten. Then we ate.",
        ),
        (
            "The old man | The old man and his | The old man and his dog.",
            "The old man and his dog.",
        ),
        (
            "So. She came to my house. | She came to my house. I left.",
            "So. She came to my house. I left.",
        ),
    ],
)
def test_retakes_leave_the_last(said: str, kept: str, arctic: Path) -> None:
    """Whole sentences and their beginnings; the last is kept, and the text as it is written."""
    found = retakes_of(arctic, said)
    assert {each.kind for each in found.found} == {"retake"}
    assert new_text(found) == kept
    for each in found.found:
        assert each.again is not None and each.end < each.again[0]


@pytest.mark.parametrize(
    "said",
    [
        "He left. | He left again.",
        "No more of that. | No more of that, please.",
        "We shall fight on the beaches, | we shall fight in the fields.",
        "Row, row, row your boat gently down the stream. | Merrily we go.",
        "The cat sat on the mat and the cat sat on the bed.",  # no break
    ],
)
def test_what_is_said_alike_on_purpose_is_no_retake(said: str, arctic: Path) -> None:
    assert not retakes_of(arctic, said).found


def retakes_of(arctic: Path, said: str) -> Findings:
    """The findings among words with a pause at each bar."""
    parts: list[str | tuple[str, float]] = []
    for number, part in enumerate(said.split("|")):
        parts += [("", 0.5)] if number else []
        parts += Transcript.from_text(part).spoken
    want = Cleaning(kinds=("retake",))
    return found_in(arctic, " ".join(said.replace("|", " ").split()), want, *parts)
