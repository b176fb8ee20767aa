"""Uploads: who may, what and how much, and what is left when one is refused."""

import os
from contextlib import ExitStack
from pathlib import Path

import httpx
import numpy as np
import pytest
import soundfile

from a3t.audio.output.files import safe_stem
from a3t.errors import InputError
from app import guard, limits
from app.guard import COOKIE, Quota, RefusedError, cookie_of, held
from app.service import Service
from tests.app.conftest import PATIENCE


def sent(client: httpx.Client, url: str, size: int = 10, **headers: str) -> httpx.Response:
    files = {"files": ("a.wav", b"x" * size)}
    return client.post(f"{url}/gradio_api/upload", files=files, headers=headers)


def test_a_browser_uploads_from_the_page_alone(url: str) -> None:
    with httpx.Client(timeout=PATIENCE) as client:
        assert sent(client, url).status_code == 200  # a program
        for headers in ({"origin": url}, {"sec-fetch-site": "same-origin"}):
            answer = sent(client, url, **headers)
            assert answer.status_code == 403 and "from this page" in answer.json()["detail"]
        given = client.get(f"{url}/studio/limits").headers["set-cookie"]
        assert "HttpOnly" in given and "SameSite=strict" in given
        assert sent(client, url, origin=url).status_code == 200
        assert "set-cookie" not in client.get(f"{url}/studio/limits").headers
    with httpx.Client(cookies={COOKIE: "a" * 31}, timeout=PATIENCE) as forger:
        assert sent(forger, url, origin=url).status_code == 403


def test_cookies() -> None:
    name = "a-b_C" + "0" * 27
    assert cookie_of(f"a=b; {COOKIE}={name}; c") == name
    for other in ("", name[1:], f"{name}x", f"é{name[1:]}", f"{name[1:]}/", '"', "\0;="):
        assert cookie_of(f"{COOKIE}={other}") is None
    assert cookie_of("") is cookie_of(f"b={name}") is None


@pytest.mark.parametrize("stated", [None, "", "-1", "1e3", "²", "9" * 5000, "0x10", "1 1"])
def test_an_upload_states_its_length(tmp_path: Path, stated: str | None) -> None:
    with pytest.raises(RefusedError) as caught, Quota(tmp_path).upload("x", stated):
        pass
    assert caught.value.status == 411


def test_an_upload_without_length_is_not_begun(url: str, service: Service) -> None:
    before = held(service.folder)
    parts = (b"x" * 1000 for _ in range(1000))
    kind = {"content-type": "multipart/form-data; boundary=x"}
    answer = httpx.post(f"{url}/gradio_api/upload", content=parts, headers=kind)
    assert answer.status_code == 411 and held(service.folder) == before


def test_the_quota_of_one_and_of_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MAX_EACH", 1000)
    monkeypatch.setattr(guard, "MAX_HELD_UPLOADS", 2500)
    monkeypatch.setattr(guard, "LEFT_FREE", 0)
    uploads = Quota(tmp_path)

    def upload(visitor: str, size: int, keep: bool = True) -> int:
        try:
            with uploads.upload(visitor, str(size)):
                if keep:
                    (tmp_path / f"{len(list(tmp_path.iterdir()))}").write_bytes(b"x" * size)
                return 200
        except RefusedError as error:
            return error.status

    assert [upload("a", 600), upload("a", 600), upload("a", 400)] == [200, 429, 200]
    assert [upload("b", 1000), upload("c", 1000), upload("c", 500)] == [200, 507, 200]
    monkeypatch.setattr(limits, "KEEP_SECONDS", -1)  # an hour later
    for path in tmp_path.iterdir():
        path.unlink()
    assert upload("a", 1000) == 200
    monkeypatch.setattr(guard, "LEFT_FREE", 10**18)
    assert upload("d", 1) == 507


def test_uploads_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MAX_HELD_UPLOADS", 10_000)
    uploads = Quota(tmp_path)
    with ExitStack() as stack:
        for number in range(guard.UPLOADS_AT_ONCE):
            stack.enter_context(uploads.upload(str(number), "10"))
        with pytest.raises(RefusedError, match="Too many people"), uploads.upload("x", "10"):
            pass
    with uploads.upload("x", "9000"), pytest.raises(RefusedError), uploads.upload("y", "2000"):
        pass  # what is still arriving counts
    with uploads.upload("y", "2000"):
        pass


def test_too_large_an_upload_is_refused_unread(
    url: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_MEGABYTES", 1)
    before = held(service.folder)
    with httpx.Client(timeout=PATIENCE) as client:
        answer = sent(client, url, 2_000_000)
    assert answer.status_code == 413 and "larger than 1 MB" in answer.json()["detail"]
    assert held(service.folder) == before


@pytest.fixture
def uploads(tmp_path: Path) -> Path:
    folder = tmp_path / "uploads"
    folder.mkdir()
    return folder


def tone(path: Path, seconds: float = 0.5, rate: int = 16000) -> Path:
    soundfile.write(path, 0.1 * np.sin(np.arange(int(seconds * rate)) * 0.1), rate)
    return path


@pytest.mark.parametrize("name", ["talk.wav", "talk.mp3"])
def test_an_uploaded_recording_is_accepted(uploads: Path, name: str) -> None:
    path = tone(uploads / name)
    assert limits.check_upload(str(path), uploads) == path.resolve()


def test_too_long_and_too_large(uploads: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tone(uploads / "talk.wav", seconds=3)
    monkeypatch.setattr(limits, "MAX_SECONDS", 1)
    with pytest.raises(InputError, match="is longer than"):
        limits.check_upload(str(path), uploads)
    monkeypatch.setattr(limits, "MAX_SECONDS", 60)
    monkeypatch.setattr(limits, "MAX_MEGABYTES", 0.01)
    with pytest.raises(InputError, match="larger than"):
        limits.check_upload(str(path), uploads)


def test_text() -> None:
    assert limits.check_text(None, "transcript") == ""
    assert limits.check_text("  two words\n", "transcript") == "two words"
    with pytest.raises(InputError, match=r"^The new text is 200001 characters long"):
        limits.check_text("a" * 200001, "new text")


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("talk.wav", "talk"),
        ("../../etc/passwd", "passwd"),
        ("a b;rm -rf.wav", "a_b_rm_-rf"),
        (".wav", "wav"),
        ("..", "recording"),
        ("x" * 300 + ".wav", "x" * 60),
        ("Grüße.wav", "Grüße"),
        ("\U00020000" * 60 + ".wav", "\U00020000" * 45),
    ],
)
def test_safe_stem(name: str, stem: str) -> None:
    assert safe_stem(name) == stem


def test_old_results_are_deleted_and_new_ones_kept(tmp_path: Path) -> None:
    for name, age in (("old", limits.KEEP_SECONDS + 60), ("new", 60)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "talk.wav").write_bytes(b"x")
        os.utime(folder, (1e9 - age, 1e9 - age))
    limits.forget_old(tmp_path, now=1e9)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    limits.forget_old(tmp_path / "missing")
