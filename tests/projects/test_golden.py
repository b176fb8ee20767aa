"""Files that earlier versions wrote are read, continued and written again in today's format."""

import json
from pathlib import Path
from typing import Any

import pytest

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.request import FORMAT, EditRequest
from a3t.projects.project import History
from a3t.projects.replay import read_record, source_in
from a3t.source.records import AlignedRecording
from tests.conftest import ARCTIC, NEVER

GOLDEN = Path(__file__).parent / "golden"
VERSIONS = ("0.1.0", "1.0.0")


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def record_of(version: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((GOLDEN / f"edit-{version}.json").read_text())
    return record


def test_its_request_is_the_one_that_was_made(version: str, arctic: Path) -> None:
    record = read_record(GOLDEN / f"edit-{version}.json")
    first = History.of(record).versions[0]
    request = EditRequest.from_json(first)
    asked = {"text": ARCTIC, "new_text": NEVER, "seed": 3}
    if version == "0.1.0":  # which neither moved words nor restored punctuation
        expected = EditRequest(**asked, punctuate=False, moves=False)
    else:
        ways = (("never", (("N", "EH1", "V", "ER0"),)),)
        expected = EditRequest(**asked, pronunciations=ways)
    assert request == expected
    known = source_in(first, Recording.open(arctic))
    assert isinstance(known, AlignedRecording)
    assert [word.text for word in known.alignment.spoken] == list(known.text.spoken)


def test_it_is_continued(version: str) -> None:
    """Its own versions stay what they were beside one of today's format."""
    before = History.of(record_of(version))
    latest = EditRequest(new_text="Now.", text=ARCTIC, speed=1.25)
    entry = {**before.current, **latest.to_json(), "edits": []}
    record = {**entry, **before.with_next(entry).to_json()}
    after = History.of(json.loads(json.dumps(record)))
    assert len(after.versions) == len(before.versions) + 1
    requests = [EditRequest.from_json(each) for each in after.versions]
    assert requests == [*(EditRequest.from_json(each) for each in before.versions), latest]


@pytest.mark.parametrize("written", [FORMAT + 1, 10**30])
def test_a_later_format_is_refused(written: int, tmp_path: Path) -> None:
    path = tmp_path / "talk.edit.json"
    path.write_text(json.dumps(record_of("1.0.0") | {"format": written}))
    with pytest.raises(InputError, match=r"talk\.edit\.json .* update a3t"):
        read_record(path)


@pytest.mark.parametrize("written", [0, -1, 1.0, "2", True, [1]])
def test_what_is_no_format_is_refused(written: object) -> None:
    with pytest.raises(ValueError):
        EditRequest.from_json(record_of("1.0.0") | {"format": written})
