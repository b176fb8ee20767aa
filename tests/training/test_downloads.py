"""Downloads from a server of our own: resumed, checked, unpacked once."""

import hashlib
import io
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from a3t.errors import InputError
from training.corpora.download import CORPORA, Archive, fetch, unpack


def content() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        info = tarfile.TarInfo("corpus/readme.txt")
        info.size = 5
        tar.addfile(info, io.BytesIO(b"hello"))
    return packed.getvalue() + bytes(1000)


CONTENT = content()


class Handler(BaseHTTPRequestHandler):
    asked: list[str | None] = []  # noqa: RUF012
    most = len(CONTENT)  # bytes after which the line drops
    ranges = True  # or all of it comes each time

    def do_GET(self) -> None:
        wanted = self.headers.get("Range", "bytes=0-")
        self.asked.append(wanted)
        first = int(wanted.removeprefix("bytes=").rstrip("-")) if self.ranges else 0
        part = CONTENT[first:]
        self.send_response(200 if not self.ranges else 206 if part else 416)
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part[: self.most])

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(Handler, "asked", [])
    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}/corpus.tar.gz"
        http.shutdown()


def archive(url: str, digest: str | None = None) -> Archive:
    return Archive(url, "sha256", digest or hashlib.sha256(CONTENT).hexdigest(), 0.1, "free")


def test_a_download_goes_on_where_it_stopped(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "corpus.tar.gz.part").write_bytes(CONTENT[:700])
    path = fetch(archive(server), tmp_path)
    assert path.read_bytes() == CONTENT
    assert Handler.asked == ["bytes=700-"]
    said = capsys.readouterr().err
    assert server in said and "0.1 GB (free)" in said
    fetch(archive(server), tmp_path)
    assert len(Handler.asked) == 1


def test_a_line_that_drops_is_taken_up_again(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Handler, "most", 500)
    assert fetch(archive(server), tmp_path).read_bytes() == CONTENT
    assert Handler.asked == [f"bytes={k}-" for k in range(0, len(CONTENT), 500)]


@pytest.mark.parametrize("ranges", [True, False])
def test_what_has_arrived_is_kept_when_no_more_comes(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ranges: bool
) -> None:
    part = tmp_path / "corpus.tar.gz.part"
    part.write_bytes(CONTENT[:700])
    monkeypatch.setattr(Handler, "ranges", ranges)
    monkeypatch.setattr(Handler, "most", 0 if ranges else 600)
    with pytest.raises(InputError, match="stopped after 700 bytes, which are kept"):
        fetch(archive(server), tmp_path)
    assert part.read_bytes() == CONTENT[:700]
    monkeypatch.setattr(Handler, "most", 5000)
    assert fetch(archive(server), tmp_path).read_bytes() == CONTENT


def test_a_login_page_costs_nothing_that_has_arrived(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = tmp_path / "corpus.tar.gz.part"
    part.write_bytes(CONTENT + b"more")
    monkeypatch.setattr(Handler, "ranges", False)
    with pytest.raises(InputError, match="login page"):
        fetch(archive(server), tmp_path)
    assert part.read_bytes() == CONTENT + b"more"


def test_a_damaged_download_is_not_kept(server: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="sha256 differs"):
        fetch(archive(server, "0" * 64), tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_unreachable_server_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be fetched"):
        fetch(archive("http://127.0.0.1:9/corpus.tar.gz"), tmp_path)


def test_unpacked_once(server: str, tmp_path: Path) -> None:
    path = fetch(archive(server), tmp_path)
    unpack(path, tmp_path)
    unpacked = tmp_path / "corpus" / "readme.txt"
    assert unpacked.read_text() == "hello"
    unpacked.unlink()
    unpack(path, tmp_path)
    assert not unpacked.exists()


@pytest.mark.parametrize("filters", [True, False])
def test_nothing_is_unpacked_outside_the_folder(
    filters: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not filters:  # as in Python before 3.11.4
        monkeypatch.delattr(tarfile, "data_filter", raising=False)
    path = tmp_path / "archive.tar"
    with tarfile.open(path, "w") as tar:
        tar.addfile(tarfile.TarInfo("../escaped"))
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="can't be trusted"):
        unpack(path, tmp_path / "folder")
    assert not (tmp_path / "escaped").exists()


def test_every_archive_has_a_whole_checksum() -> None:
    for archives in CORPORA.values():
        for each in archives:
            assert len(each.digest) == {"md5": 32, "sha256": 64}[each.algorithm]
            assert each.url.startswith("https://")
