"""A visitor's session: its history, its privacy, its expiry."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from a3t.errors import InputError
from a3t.model.saved_voices import save_voice
from a3t.plan.request import EditRequest
from alignment import Phone, Word, load_aligner
from alignment.retiming import covering
from app import limits
from app.page_request import Models, PageRequest, matching_of, models_of
from app.progress import CancelledError, Running, Watch
from app.recordings import opened, overview
from app.service import Service
from app.sessions import Session
from app.view import stage, start_at_edit
from tests.conftest import ARCTIC

TIMES = 12  # the sentence, one after the other, as a long recording
NEVER = ARCTIC.replace("always", "never")


def wish(text: str, new_text: str, suffix: str = "", **wanted: Any) -> PageRequest:
    return PageRequest(EditRequest(new_text=new_text, text=text, **wanted), suffix)


def names(session: Session) -> list[str]:
    return [path.name for path in session.downloads()]


@pytest.fixture
def session(service: Service, upload: str) -> Session:
    return service.open_session(upload)


def test_takes_differ_and_one_is_chosen(service: Service, session: Session) -> None:
    service.make(session, wish(ARCTIC, NEVER, candidates=3, suffix=".flac"), Watch())
    assert len({take.audio.read_bytes() for take in session.takes}) == 3
    assert "best" in session.takes[0].name
    session.chosen = 1
    shown = stage(session)
    assert [side["name"] for side in shown["sides"]] == ["before", "after"]
    assert shown["sides"][1]["file"] == str(session.takes[1].audio)
    length = soundfile.info(session.takes[1].audio).frames
    session.accept("slower")
    assert session.current.audio.suffix == ".flac"
    assert soundfile.info(session.current.audio).frames == length


def test_the_panel_is_obeyed(service: Service, session: Session) -> None:
    plain = service.plan(session, wish(ARCTIC, NEVER), Watch()).edits[0]
    wide = service.plan(session, wish(ARCTIC, NEVER, margin=0.1), Watch()).edits[0]
    assert wide.margin > plain.margin
    fitted = service.plan(session, wish(ARCTIC, NEVER, fit=True), Watch()).edits[0]
    assert fitted.frames == fitted.source[1] - fitted.source[0]
    bare = service.plan(session, wish(ARCTIC, NEVER, match=matching_of([])), Watch())
    assert not bare.request.match.room_tone
    with pytest.raises(InputError, match="none of"):
        matching_of(["echo"])
    long = service.plan(session, wish(ARCTIC, NEVER, duration=0.5), Watch()).edits[0]
    assert long.frames == pytest.approx(40, abs=1)
    fast = service.plan(session, wish(ARCTIC, NEVER, speed=2.0), Watch()).edits[0]
    assert fast.frames < 0.7 * plain.frames


@pytest.mark.parametrize("name", ["../small", "/etc", "other"])
def test_only_models_that_are_offered_can_be_chosen(name: str) -> None:
    assert models_of("small", "griffin-lim", "network") == Models("small", "griffin-lim")
    assert load_aligner().name == Models().aligner  # whose editor changes nothing for it
    for names in ((name, "builtin", "network"), ("small", name, "network")):
        with pytest.raises(InputError, match="choose another"):
            models_of(*names)


def test_corrected_times_are_used(service: Service, session: Session) -> None:
    service.find_words(session, ARCTIC, Watch())
    assert session.current.alignment is not None
    always = session.current.alignment.spoken[2]
    planned = service.plan(session, wish(ARCTIC, NEVER), Watch()).edits[0].source
    service.move_word(session, 2, always.start + 0.05, always.end)
    assert session.plan is None  # what was planned with the old times is void
    corrected = service.plan(session, wish(ARCTIC, NEVER), Watch()).edits[0].source
    assert corrected == (planned[0] + 4, planned[1])


def test_the_stage(service: Service, session: Session) -> None:
    (side,) = stage(session)["sides"]
    assert side["words"] == [] and side["mel"].startswith("data:image/png;base64,")
    assert max(side["peaks"]) <= 100 and min(side["peaks"]) >= -100
    service.plan(session, wish(ARCTIC, NEVER), Watch())
    (side,) = stage(session)["sides"]
    assert [word["text"] for word in side["words"] if word["edited"]] == ["always"]
    assert [mark["op"] for mark in side["marks"]] == ["replace"]
    assert json.loads(json.dumps(side)) == side


def test_an_edit_in_a_long_recording_leaves_all_words_known(
    service: Service, arctic: Path, session: Session
) -> None:
    """The editor plans a long recording's passage alone; the session still knows every word."""
    service.find_words(session, ARCTIC, Watch())
    once = session.current.alignment
    assert once is not None
    samples, rate = soundfile.read(arctic, dtype="int16")
    folder = service.folder / "uploaded"
    soundfile.write(folder / "long.wav", np.tile(samples, TIMES), rate)
    long = service.open_session(str(folder / "long.wav"))
    words = [replaced(word, k * once.duration) for k in range(TIMES) for word in once.spoken]
    text = " ".join([ARCTIC] * TIMES)
    new_text = " ".join([*[ARCTIC] * 6, NEVER, *[ARCTIC] * (TIMES - 7)])
    long.learn(text, covering(words, TIMES * once.duration, 1.0))
    service.make(long, wish(text, new_text), Watch())
    take = long.take
    assert take is not None
    spoken = [word.text for word in take.alignment.spoken]
    assert spoken == new_text.lower().replace(".", "").split()
    changed = [k for k, word in enumerate(spoken) if word == "never"]
    shift = take.alignment.duration - TIMES * once.duration
    for k, (before, after) in enumerate(zip(words, take.alignment.spoken, strict=True)):
        if k < changed[0] - 1 or k > changed[0] + 1:
            moved = shift if k > changed[0] else 0.0
            assert after.start == pytest.approx(before.start + moved, abs=0.02)
    long.start = start_at_edit(long)
    before, after = stage(long)["sides"]
    assert [word["text"] for word in before["words"] if word["edited"]] == ["always"]
    assert [word["text"] for word in after["words"] if word["edited"]] == ["never"]
    assert len(before["overview"]) > 0 and before["end"] - before["start"] == 30
    long.accept("")
    assert long.current.text == new_text


def replaced(word: Word, by: float) -> Word:
    """The word some seconds later."""
    phones = (Phone(p.symbol, p.start + by, p.end + by, p.score) for p in word.phones)
    return Word(word.text, word.start + by, word.end + by, word.score, tuple(phones))


def test_an_edit_made_again_from_its_record(
    service: Service, upload: str, session: Session
) -> None:
    """The words' corrected times, the margin and the seed come back: the same bytes."""
    service.find_words(session, ARCTIC, Watch())
    always = session.current.alignment.spoken[2]  # type: ignore[union-attr]
    service.move_word(session, 2, always.start + 0.05, always.end)
    service.make(session, wish(ARCTIC, NEVER, seed=3, speed=1.2, margin=0.05), Watch())
    audio, record = session.downloads()[:2]
    again = service.open_session(upload)
    told = service.read_words(again, str(record))
    assert told.request is not None and told.new_text is not None
    same = {name: getattr(told.request, name) for name in ("seed", "speed", "fit", "margin")}
    service.make(again, wish(told.text, told.new_text, **same), Watch())
    assert again.downloads()[0].read_bytes() == audio.read_bytes()
    for path in again.downloads():  # and nothing tells where the server keeps its files
        assert str(service.folder).encode() not in path.read_bytes()


def test_a_picture_of_hours_is_read_in_blocks(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    samples = (rng.normal(size=(400_000, 2)) * 1000).astype(np.int16)
    path = tmp_path / "noise.wav"
    soundfile.write(path, samples, 16000)
    shown = np.array(overview(opened(path))).reshape(-1, 2)
    edges = np.linspace(0, len(samples), len(shown) + 1).astype(int)
    mono = samples.mean(axis=1)
    parts = [mono[a:b] for a, b in zip(edges, edges[1:], strict=False)]
    expected = np.array([(part.min(), part.max()) for part in parts])
    assert np.allclose(shown, expected * 100 / np.abs(mono).max(), atol=0.51)


def test_a_words_file(service: Service, session: Session, tmp_path: Path) -> None:
    service.make(session, wish(ARCTIC, NEVER), Watch())
    grid, record, subtitles = (
        next(path for path in session.downloads() if path.name.endswith(ending))
        for ending in (".TextGrid", ".edit.json", ".srt")
    )
    told = service.read_words(None, str(record))
    assert (told.text, told.new_text) == (ARCTIC, NEVER)
    assert told.request is not None and told.request.speed == 1.0
    assert told.alignment == session.current.alignment
    read = service.read_words(None, str(subtitles))
    assert (read.text, read.new_text) == (NEVER, None)
    session.accept("")
    assert service.read_words(session, str(grid)).text == NEVER.lower().strip(".")
    assert session.current.alignment is not None
    for name, content in (("a.exe", "x"), ("b.json", "[1"), ("c.json", "[]"), ("d.srt", "")):
        path = session.folder / name
        path.write_text(content)
        with pytest.raises(InputError):
            service.read_words(None, str(path))
    outside = tmp_path / "words.txt"
    outside.write_text("secret")
    with pytest.raises(InputError, match="not uploaded here"):
        service.read_words(None, str(outside))


def test_cancel_changes_nothing(service: Service, session: Session) -> None:
    service.find_words(session, ARCTIC, Watch())
    steps: list[str] = []

    def show(share: float, step: str) -> None:
        steps.append(step)
        if len(steps) == 3:
            running.cancel("page")

    running = Running()
    with pytest.raises(CancelledError), running.watch("page", show) as watch:
        service.make(session, wish(ARCTIC, NEVER), watch)
    assert session.takes == () and len(steps) == 3
    with running.watch("page", show) as watch:
        running.cancel("another page")
        service.make(session, wish(ARCTIC, NEVER), watch)
    assert len(session.takes) == 1


def test_the_page_decides_which_recording_is_edited(
    service: Service, session: Session, upload: str, arctic: Path
) -> None:
    assert service.session_of(upload, session) is session
    renamed = service.folder / "uploaded" / "other name.wav"
    renamed.write_bytes(arctic.read_bytes())
    assert service.session_of(str(renamed), session) is session
    samples, rate = soundfile.read(arctic, dtype="int16")
    other = service.folder / "uploaded" / "other.wav"
    soundfile.write(other, samples[:-800], rate)
    begun = service.session_of(str(other), session)
    assert begun is not session and not session.folder.exists()
    with pytest.raises(InputError, match="not uploaded here"):
        service.session_of(str(arctic), begun)


def test_progress_never_falls_and_names_every_step() -> None:
    shown: list[float] = []
    watch = Watch(lambda share, _: shown.append(share), threading.Event())
    watch.pieces = 3
    for step in ["load", "read", "transcribe", "align", "plan", *["fill", "vocode", "splice"] * 3]:
        watch(step)
    watch("save")
    assert shown == sorted(set(shown)) and shown[0] > 0 and shown[-1] < 1


def test_an_expired_session_is_reported_as_such(service: Service, session: Session) -> None:
    session.close()
    with pytest.raises(InputError, match="expired"):
        service.plan(session, wish(ARCTIC, NEVER), Watch())


def test_errors_name_no_folder(service: Service, session: Session) -> None:
    session.current.audio.write_bytes(b"not a sound any more")
    with pytest.raises(InputError) as caught:
        service.plan(session, wish(ARCTIC, NEVER), Watch())
    assert str(service.folder) not in str(caught.value)
    assert "talk.wav" in str(caught.value)


def test_only_files_in_use_are_kept(service: Service, session: Session) -> None:
    limits.forget_old(service.folder)
    assert session.current.audio.is_file()


def test_a_voice_that_was_made_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A3T_VOICES", str(tmp_path))
    with pytest.raises(InputError, match="choose another"):
        models_of("small", "builtin", "network", "anna")
    save_voice("anna", {"name": "small", "sha256": "0"}, {}, {})
    assert models_of("small", "builtin", "network", "anna").voice == "anna"
    assert models_of("small", "builtin", "network").voice == ""
