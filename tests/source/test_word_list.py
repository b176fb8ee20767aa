"""Names that a user lists: read with or without pronunciations, and heard where they are said."""

import json
from pathlib import Path

import pytest

from a3t.audio.reading.recording import Recording
from a3t.commands import align
from a3t.commands.transcribe import main
from a3t.source.recognised_transcript import recognised, with_names
from a3t.text.pronunciation.pronouncer import Pronouncer, listed_words
from alignment import Alignment, AlignmentError
from alignment.formats.dictionary import MAX_NAMES
from tests.conftest import ARCTIC

LIST = "# who speaks\nAnna O’Brien, Zoë\nNguyen  W IH1 N  # not as it is written\nKyiv=keev\n\n"


def words(text: str) -> dict[str, list[tuple[str, ...]]]:
    return listed_words(text, "names.txt")


def test_a_list_has_names_alone_and_with_pronunciations() -> None:
    found = words(LIST)
    assert list(found) == ["anna", "o'brien", "zoë", "nguyen", "kyiv"]
    assert found["nguyen"] == [("W", "IH1", "N")] and found["kyiv"] == [("K", "IY1", "V")]
    assert found["anna"] == Pronouncer().candidates("anna")
    with pytest.raises(AlignmentError, match="must be a word"):
        words("=keev\n")


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        ("we asked the wind about it", "we asked nguyen about it"),
        ("it is cold here", "it is cold here"),
        ("nguyen wins", "nguyen wins"),
    ],
)
def test_what_sounds_like_a_name_may_be_it(heard: str, expected: str) -> None:
    own = Pronouncer({"nguyen": [("DH", "AH0", "W", "IH1", "N")]})
    assert " ".join(with_names(heard.split(), own)) == expected


def test_a_dictionary_is_no_list_of_names() -> None:
    """Neither common words nor thousands of words are listened for as names; listed ones are."""
    made = {f"w{number}": [("W", "IH1", "N")] for number in range(MAX_NAMES)}
    for own in ({"wind": [("W", "IH1", "N")]}, {**made, "nguyen": [("W", "IH1", "N")]}):
        assert with_names(["when"], Pronouncer(own)) == ["when"]
    assert with_names(["when"], Pronouncer(own, names=["nguyen"])) == ["nguyen"]
    with pytest.raises(AlignmentError, match="more than 1,000 names"):
        words("\n".join(f"{word} W IH1 N" for word in (*made, "nguyen")))


def test_a_listed_name_is_heard_where_it_is_said(
    arctic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "names.txt").write_text("Olwase  AO1 L W EY2 Z\nPriya\n")
    whole = tmp_path / "all.dict"  # a whole dictionary beside them is only for pronunciations
    whole.write_text("".join(f"w{number} W IH1 N\n" for number in range(MAX_NAMES + 1)))
    copy = tmp_path / "talk.wav"
    copy.write_bytes(arctic.read_bytes())
    said = ARCTIC.lower().rstrip(".").replace("always", "olwase")
    command = [str(copy), "--words", str(tmp_path / "names.txt"), "--dict", str(whole)]
    assert main([*command, "--no-punctuation", "--recogniser", "network"]) == 0
    assert capsys.readouterr().out.strip() == said
    assert align.main([*command, "--json"]) == 0
    aligned = Alignment.from_json(json.loads(capsys.readouterr().out))
    assert " ".join(word.text for word in aligned.spoken) == said
    without = recognised(Recording.open(copy), Pronouncer(), None).transcript.text
    assert without == said.replace("olwase", "always")
