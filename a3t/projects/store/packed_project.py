"""A project as one file, to be kept or taken to another machine: a zip of its folder.

    a3t-project.json       what it is
    original/talk.wav      the recording as it came
    script.json, places.json, words/…, takes/…, said/…   as in the folder (`folder`)

A file that comes back may have been made by anybody: only members of these names are read, each to
its stated length and all together to a limit, and what they hold is checked before it is kept.
Takes that don't pass are left out; the page makes them anew.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from tokenize import TokenError
from typing import IO, TYPE_CHECKING, Annotated, Any

import numpy as np
from msgspec import Meta

from a3t.audio.output.files import safe_stem
from a3t.errors import InputError
from a3t.plan.request import MAX_OTHERS, LaterFormatError
from a3t.projects.close_changes import reachable_keys
from a3t.projects.document import Document
from a3t.projects.store.folder import (
    REQUEST,
    SAID_FOLDER,
    TAKE_FILE,
    ProjectFolder,
    TakeOrder,
    words_name,
)
from a3t.projects.store.pcm_sound import channels_played, played
from a3t.projects.store.project_state import PackedSound, ProjectState, SpeakerTrack
from a3t.projects.store.pronunciations import Names, SaidWords
from a3t.projects.store.record_files import StoredRecord, write_json
from a3t.projects.store.recordings import (
    MAX_TRANSCRIPT_CHARACTERS,
    SAID_NAME,
    HeardRecording,
    Place,
    Places,
    Recordings,
)
from a3t.projects.store.words import HeardWords
from a3t.projects.take_record import KNOWN, MAX_TEXT_CHARACTERS, TakeRecord
from a3t.spans import Span
from a3t.text.normaliser.unspoken import is_name
from a3t.text.transcript import parsed
from alignment import Word
from alignment.serialisation import OMITTED

if TYPE_CHECKING:
    from a3t.projects.takes import Take

PROJECT_SUFFIX = ".a3t.zip"
ORIGINAL = re.compile(r"original/([\w.-]{1,80})")
TAKE_MEMBER = re.compile(r"takes/([0-9a-f]{16})/(\d{1,2})/(take\.json|request\.json|patch\.npy)")
WORDS_FILE = re.compile(r"words/(\d{4})\.json")
MAX_MEMBERS = 100_000
MALFORMED = (
    *(KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError),
    *(EOFError, TokenError, MemoryError),  # an array's shape may be a lie
)
MAX_JSON_BYTES = 30_000_000
MAX_PATCH_BYTES = 100_000_000  # bytes: a minute of eight channels at 192 kHz
MAX_PART_WORDS = 20_000  # of a part

NO_PROJECT_FILE = (
    "This file is not a project saved by this page: upload a recording, or a project's "
    ".a3t.zip unchanged."
)
LARGE_PROJECT = "This project is larger than this page accepts: open only its recording."

LongText = Annotated[str, Meta(max_length=MAX_TRANSCRIPT_CHARACTERS)]


@dataclass(frozen=True)
class Manifest(StoredRecord):
    """The manifest of a project's file; ``id``: the project's, or of the one that it came from."""

    stored_in = "a3t-project.json"

    id: Annotated[str, Meta(pattern=r"^[0-9a-f]{24}\Z")]
    name: str
    file: str
    parts: tuple[Span, ...]
    places: bool
    sample_rate: Annotated[int, Meta(ge=1, lt=1_000_000)]
    file_channels: Annotated[int, Meta(ge=1, lt=1000)]
    samples: Annotated[int, Meta(ge=1, lt=2**40)]
    plain: bool = False
    edits: int = 0
    text: LongText = ""
    offered: LongText | None = None
    tracks: tuple[SpeakerTrack, ...] = field(default=(), metadata=OMITTED)
    first_id: Annotated[int, Meta(ge=0, lt=2**39)] = field(default=0, metadata=OMITTED)


def pack(folder: ProjectFolder, target: Path) -> None:
    """Write the project's file; raise InputError while its recording is being opened."""
    state, sound = folder.state, folder.recording()
    manifest = Manifest(
        id=state.origin or folder.id,
        name=state.name,
        file=state.file,
        parts=state.parts,
        places=state.places,
        sample_rate=sound.sample_rate,
        file_channels=sound.channels,
        samples=sound.samples,
        plain=state.plain,
        edits=len(folder.document.changes),
        text=state.text,
        offered=state.offered,
        tracks=state.tracks,
        first_id=state.first_id,
    )
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(Manifest.stored_in, json.dumps(manifest.to_json()))
        archive.write(folder.original, f"original/{folder.original.name}", zipfile.ZIP_STORED)
        for name in dict.fromkeys(_members(folder, _keys(folder, len(state.parts)))):
            archive.write(folder.path / name, name)


def _keys(folder: ProjectFolder, parts: int) -> set[str]:
    """Return the `reachable_keys` of a project."""
    rows = [token.shown() for part in range(parts) for token in folder.heard(part).tokens]
    return reachable_keys(folder.document, rows)


def _members(folder: ProjectFolder, keys: set[str]) -> Iterator[str]:
    """Yield the names of the files that are packed; there is a file of each."""
    names = [kind.stored_in for kind in (Document, Places, SaidWords, Names)]
    names += map(words_name, range(len(folder.state.parts)))
    if folder.further:
        yield Recordings.stored_in
    for each in folder.further:
        yield f"{SAID_FOLDER}/{each.file}"
        names.append(each.heard_name)
    for key in sorted(keys):
        for take in folder.takes(key):
            at = f"takes/{key}/{take.number}"
            yield from (f"{at}/{TAKE_FILE}", f"{at}/patch.npy")
            names.append(f"{at}/{REQUEST}")
            yield from TakeOrder.read(folder.path / at / REQUEST).said
    yield from (name for name in names if (folder.path / name).is_file())


def manifest_of(path: Path) -> Manifest:
    """Return the manifest of a project's file; raise InputError if it is none.

    To be called in a process of its own.
    """
    with _opened(path) as archive:
        return _manifest(archive)


def _manifest(archive: zipfile.ZipFile) -> Manifest:
    with _malformed(NO_PROJECT_FILE):
        return Manifest.from_json(_json(archive, Manifest.stored_in))


def unpack(path: Path, stage: Path, most: int) -> ProjectState:
    """Write a project's file into the folder ``stage``, at most ``most`` bytes; return its state.

    To be called in a process of its own. Raises InputError if it is no project's file.
    """
    with _opened(path) as archive:
        if sum(member.file_size for member in archive.infolist()) > most:
            raise InputError(LARGE_PROJECT)
        with _malformed(NO_PROJECT_FILE):
            return _unpacked(archive, _manifest(archive), ProjectFolder(stage))


def _unpacked(archive: zipfile.ZipFile, told: Manifest, folder: ProjectFolder) -> ProjectState:
    names = set(archive.namelist())
    samples, seconds = told.samples, told.samples / told.sample_rate
    originals = [found for name in names if (found := ORIGINAL.fullmatch(name))]
    safe = safe_stem(told.file) == Path(told.file).stem
    if not safe or [found[1] for found in originals] != [told.file]:
        raise ValueError("original")
    _copy(archive, originals[0][0], folder.path / told.file)
    is_changed = Document.stored_in in names
    script = Document.from_json(_json(archive, Document.stored_in) if is_changed else {})
    folder.write(replace(script, revision=1, clients={}, corrections=()))
    parts = checked_spans(told.parts, samples)
    if told.places:
        packed_places = Places.from_json(_json(archive, Places.stored_in)).places
        places = tuple(checked_place(place, samples) for place in packed_places)
        if len(places) != len(parts):
            raise ValueError("places")
        folder.write(Places(places))
    ids: set[int] = set()
    for name in sorted(names):
        if found := WORDS_FILE.fullmatch(name):
            heard = checked_part(_json(archive, name), seconds)
            own = {token.id for token in heard.tokens}
            if int(found[1]) >= len(parts) or len(own) < len(heard.tokens) or own & ids:
                raise ValueError("part")
            ids |= own
            folder.write(heard, name)
    for kind in (SaidWords, Names):
        with _malformed():  # or there is none
            folder.write(kind.from_json(_json(archive, kind.stored_in)).checked())
    if Recordings.stored_in in names:
        _further(archive, folder)
    keys = _keys(folder, len(parts))
    for name in sorted(names):
        found = TAKE_MEMBER.fullmatch(name)
        if found and found[1] in keys and found[3] == TAKE_FILE:
            _take(archive, name.rpartition("/")[0], told, folder)
    return ProjectState(
        file=told.file,
        name=told.name[:120],
        text=told.text.strip(),
        offered=(told.offered or "").strip() or None,
        origin=told.id,
        plain=told.plain,
        places=told.places,
        packed=PackedSound(told.sample_rate, told.file_channels, samples, parts),
        tracks=checked_tracks(told),
        first_id=told.first_id,
    )


def checked_tracks(told: Manifest) -> tuple[SpeakerTrack, ...]:
    """Return the tracks of a file's recording; raise ValueError unless they have its channels."""
    counts = [track.channels for track in told.tracks]
    named = all(is_name(track.name) and track.level > 0 for track in told.tracks)
    if counts and not (named and min(counts) > 0 and sum(counts) == told.file_channels):
        raise ValueError("tracks")
    return tuple(replace(track, file="") for track in told.tracks)


def _further(archive: zipfile.ZipFile, folder: ProjectFolder) -> None:
    """Unpack the recordings beside the project's own.

    What can't be heard in one, whatever its file says, is listened to again.
    """
    listed = Recordings.from_json(_json(archive, Recordings.stored_in)).recordings
    if not len({each.file for each in listed}) == len(listed) <= 2 * MAX_OTHERS:
        raise ValueError("recordings")
    for each in listed:
        _copy(archive, f"{SAID_FOLDER}/{each.file}", folder.path / SAID_FOLDER / each.file)
        with _malformed():
            heard = HeardRecording.from_json(_json(archive, each.heard_name))
            text = heard.source and heard.source.transcript
            aligned = heard.source and heard.source.alignment
            if text and aligned and text.spoken == tuple(word.text for word in aligned.spoken):
                folder.write(heard, each.heard_name)
    folder.write(Recordings(listed))


def _take(archive: zipfile.ZipFile, at: str, told: Manifest, folder: ProjectFolder) -> None:
    """Unpack a take, unless something is wrong with it."""
    path = folder.path / at
    with _malformed():
        samples = io.BytesIO(_read(archive, f"{at}/patch.npy", MAX_PATCH_BYTES))
        patch = np.load(samples, allow_pickle=False)
        record = TakeRecord.from_json(_json(archive, f"{at}/{TAKE_FILE}"))
        record.check(patch, told.samples, told.file_channels)
        if int(path.name) != record.number:
            raise ValueError("a take's number")
        take = _ordered(archive, at, record)
        for name in TakeOrder.from_json(take.to_json()).said if take else ():
            if not (folder.path / name).is_file():  # one may be several takes'
                _copy(archive, name, folder.path / name)
        folder.write(record, f"{at}/{TAKE_FILE}")
        if take is not None:
            write_json(path / REQUEST, take.to_json())
        np.save(path / "patch.npy", patch, allow_pickle=False)
        channels = channels_played(told.file_channels, bool(told.tracks))
        (path / "sound.pcm").write_bytes(played(patch, channels))


def _ordered(archive: zipfile.ZipFile, at: str, record: TakeRecord) -> Take | None:
    """Return a take as it was ordered, if its file has that.

    Raises ValueError if the take says that it was made of other recordings than those that are kept
    with it: any path may stand there.
    """
    from a3t.projects.takes import Take  # which needs torch, and the server has none

    take: Take | None = None
    with _malformed():  # or there is none
        take = Take.from_json(_json(archive, f"{at}/{REQUEST}"))
    said, tracks = (take.request.others, take.request.tracks) if take else ((), ())
    known = all(SAID_NAME.fullmatch(str(o.path)) and o.transcript and o.alignment for o in said)
    edits = record.mix.edits if record.mix else ()
    origins = [speech.origin for edit in edits for speech in edit.plan.taken]
    punched = [each.punch_in for each in said] == [True]
    if tracks or not known or punched != record.punch_in or max(origins, default=0) > len(said):
        raise ValueError("a take's recording")
    return take


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError):
        raise InputError(NO_PROJECT_FILE) from None
    members = archive.infolist()
    plain = all(
        member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        and not member.flag_bits & 1
        for member in members
    )
    if not plain or len(members) > MAX_MEMBERS or len({m.filename for m in members}) < len(members):
        archive.close()
        raise InputError(NO_PROJECT_FILE)
    return archive


@contextmanager
def _malformed(sentence: str = "") -> Iterator[None]:
    """Leave out what can't be read, or refuse the file with a sentence.

    What a later version wrote is always refused.
    """
    try:
        yield
    except MALFORMED as error:
        if isinstance(error, LaterFormatError):
            raise
        if sentence:
            raise InputError(sentence) from None


def _copy(archive: zipfile.ZipFile, name: str, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("xb") as file, _member(archive, name) as sound:
        shutil.copyfileobj(sound, file)


def _json(archive: zipfile.ZipFile, name: str) -> Any:
    return json.loads(_read(archive, name, MAX_JSON_BYTES))


def _read(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Return a member of at most so many bytes; raise ValueError if it is longer."""
    size = archive.getinfo(name).file_size
    if size > most:
        raise ValueError(name)
    with _member(archive, name) as file:
        return file.read(size)


@contextmanager
def _member(archive: zipfile.ZipFile, name: str) -> Iterator[IO[bytes]]:
    """Open a member, to its stated length; ValueError if it is damaged, KeyError if missing."""
    try:
        with archive.open(name) as file:
            yield file
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
        raise ValueError(name) from error


# What came from outside, as this program would have written it; else MALFORMED.


def checked_part(data: Any, seconds: float) -> HeardWords:
    """Return a checked part: nothing is after the end."""
    heard = HeardWords.from_json(data)
    if len(heard.tokens) > MAX_PART_WORDS or len(heard.pauses) > MAX_PART_WORDS:
        raise ValueError("a part")
    for token in heard.tokens:
        forms = [each.text for each in (token, token.marked, token.unmarked) if each]
        if max(map(len, (*forms, token.speaker))) > MAX_TEXT_CHARACTERS:
            raise ValueError("a token's text")
        if token.sure is not None and not 0 <= token.sure <= 1:
            raise ValueError("a token's confidence")
    _check_words([word for token in heard.tokens for word in token.words], seconds, spoken=True)
    _check_words(heard.pauses, seconds, spoken=False)
    return heard


def _check_words(words: Sequence[Word], seconds: float, spoken: bool) -> None:
    if any(one.end > other.start + 1e-3 for one, other in pairwise(words)):
        raise ValueError("words out of order")
    for word in words:
        times = [time for phone in word.phones for time in (phone.start, phone.end)]
        scores = [word.score, *(phone.score for phone in word.phones)]
        known = bool(word.phones) and {phone.symbol for phone in word.phones} <= KNOWN
        if not known or bool(word.text) != spoken or not np.isfinite([*times, *scores]).all():
            raise ValueError("a word")
        if times != sorted(times) or not 0 <= word.start < word.end <= seconds + 1.0:
            raise ValueError("a word's times")
        if (times[0], times[-1]) != (word.start, word.end):
            raise ValueError("a word's phones")
        if max(len(word.text), len(word.unwritten)) > MAX_TEXT_CHARACTERS:
            raise ValueError("a word's text")


def checked_place(place: Place, samples: int) -> Place:
    """Return a checked place where a piece of the transcript is to be looked for."""
    checked_spans([(place.first, place.last)], samples)
    return replace(place, transcript=parsed(place.transcript.text))


def checked_spans(spans: Sequence[Span], samples: int) -> tuple[Span, ...]:
    """Return spans [first, last) of a recording, none of them empty."""
    if not all(0 <= first < last <= samples for first, last in spans):
        raise ValueError("a span")
    return tuple(spans)
