"""A corpus is fetched from what stands for its server: resumed, checked, unpacked once."""

import hashlib
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[2] / "recipes" / "shared"


@pytest.fixture
def published(tmp_path: Path) -> Path:
    (tmp_path / "readme.txt").write_text("hello")
    archive = tmp_path / "corpus.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(tmp_path / "readme.txt", "corpus/readme.txt")
    return archive


def download(published: Path, digest: str = "") -> subprocess.CompletedProcess[str]:
    listed = published.with_name("archives.tsv")
    row = ("ours", "0.1", "CC0", "sha256", digest or sha256(published), f"file://{published}")
    listed.write_text("\t".join(row) + "\n")
    command = [SHARED / "download.sh", "ours", published.with_name("here")]
    environment = os.environ | {"A3T_ARCHIVES": str(listed)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_what_has_arrived_is_resumed_and_unpacked_once(published: Path) -> None:
    here = published.with_name("here")
    here.mkdir()
    (here / "corpus.tar.gz.part").write_bytes(published.read_bytes()[:50])
    assert download(published).returncode == 0
    unpacked = here / "corpus" / "readme.txt"
    assert unpacked.read_text() == "hello"
    unpacked.unlink()
    assert download(published).returncode == 0 and not unpacked.exists()


def test_a_damaged_file_is_not_kept_and_a_missing_one_is_named(published: Path) -> None:
    done = download(published, "0" * 64)
    assert done.returncode == 1 and "sha256 differs" in done.stderr
    assert not list(published.with_name("here").iterdir())
    digest = sha256(published)
    published.unlink()
    done = download(published, digest)
    assert done.returncode == 1 and "run the command again to resume" in done.stderr


def test_every_archive_has_a_whole_checksum() -> None:
    for line in (SHARED / "archives.tsv").read_text().splitlines():
        _, _, _, algorithm, digest, url = line.split("\t")
        assert len(digest) == {"md5": 32, "sha256": 64}[algorithm] and url.startswith("https://")
