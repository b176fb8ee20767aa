"""a3t say-as: lines in, their readings out, in order."""

import io
import json
from pathlib import Path

import pytest

from a3t.commands.say_as import main
from a3t.text.phones import ARPABET


def objects(capsys: pytest.CaptureFixture[str]) -> list[dict]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--json", "It cost $5 (laughs).", "", "Привет", "ibrahimovic"]) == 0
    first, empty, foreign, guessed = objects(capsys)
    assert first["spoken"] == "it cost five dollars"
    assert first["skipped"] == ["(laughs)"] and first["guessed"] == []
    assert len(first["phones"]) == 4 and first["phones"][2] == "F AY1 V"
    assert set(" ".join(first["phones"]).split()) <= set(ARPABET)
    assert list(empty) == ["error"] and "empty" in empty["error"]
    assert "Cyrillic" in foreign["error"]
    assert guessed["guessed"] == ["ibrahimovic"]


def test_what_was_chosen_by_the_words_beside_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["--json", "We sold 1984 copies on 4/5.", "Orwell wrote 1984 in 3/4 of a year."]) == 0
    )
    counted, year = objects(capsys)
    assert counted["chosen"] == ["1984 as a number", "4/5 as a date"]
    assert counted["spoken"].endswith("eighty four copies on april fifth") and not year["chosen"]


def test_other_ways_to_say_a_guessed_word_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--json", "Ibrahimovic met Nakatomi"]) == 0
    (reading,) = objects(capsys)
    assert set(reading["offered"]) <= set(reading["guessed"]) == {"ibrahimovic", "nakatomi"}
    said = dict(zip(reading["spoken"].split(), reading["phones"], strict=True))
    for word, ways in reading["offered"].items():
        assert 1 <= len(ways) <= 2 and said[word] not in ways
    assert any(way.startswith("IH2 B") for way in reading["offered"]["ibrahimovic"])


def test_standard_input_and_files(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines = b"one 1\r\n\xff\xfe bad bytes\nlast"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines)))
    assert main(["--json"]) == 0
    assert [x.get("spoken") for x in objects(capsys)] == ["one one", "bad bytes", "last"]
    path = tmp_path / "two lines.txt"  # a name with a space
    path.write_text("Polish\nto polish\n", encoding="utf-8")
    assert main(["--json", f"@{path}"]) == 0
    assert [x["phones"][-1] for x in objects(capsys)] == ["P OW1 L IH0 SH", "P AA1 L IH0 SH"]


def test_bytes_that_are_no_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes("café".encode("latin-1"))
    assert main(["--json", f"@{path}"]) == 0
    found = capsys.readouterr()
    assert '"cafe"' in found.out and "Windows-1252" in found.err


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["@nothing.txt"]) == 1
    message = capsys.readouterr().err
    assert message.count("\n") == 1 and "nothing.txt can't be read" in message


def test_what_is_heard_replaces_no_other_recording(
    talk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.wav"
    other.write_bytes(talk.read_bytes())
    assert main(["Kyiv", "--hear", str(other), "--prompt-wav", str(talk)]) == 1
    assert "a3t did not make it" in capsys.readouterr().err
    assert other.read_bytes() == talk.read_bytes()


def test_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["We met Xqzanov. [Music]"]) == 0
    words, phones, guessed, others, unspoken = capsys.readouterr().out.splitlines()
    assert words == "we met xqzanov*" and phones.count("|") == 2
    assert "guessed" in guessed and "xqzanov may also be" in others and "[Music]" in unspoken


def test_whose_network_guesses(capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for network in ("a3t", "g2p-en"):
        assert main(["--json", "--g2p", network, "ibrahimovic"]) == 0
        said += objects(capsys)
    assert said[0]["phones"] != said[1]["phones"]
