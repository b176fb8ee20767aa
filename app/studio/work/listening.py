"""A recording opened and listened to part by part, in the worker's process.

What the page plays and draws of it, what it says, and where.

The server itself never decodes what a visitor sent: it reads the samples and peaks written here.
The page shows and edits the words of one part while the next is being listened to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from a3t.audio.output.muxing import picture_lead
from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.request import OtherRecording, Pronunciations
from a3t.plan.track_activity import TrackActivity
from a3t.projects.store.pcm_sound import PcmSound, channels_played, peaks_of, played
from a3t.projects.store.project_state import OpenedSound
from a3t.projects.store.recordings import HeardRecording, Place, Places, TrackSound
from a3t.projects.store.words import HeardWords, Marks, Token, tokens_of
from a3t.source.alignments import punctuated
from a3t.source.diarisation import numbered, speakers_by_sound
from a3t.source.recognised_transcript import parts_of, recognised_part
from a3t.source.records import LONG, AlignedRecording
from a3t.source.transcripts import find_transcript
from a3t.spans import Span
from a3t.text.phones import ARPABET
from a3t.text.pronunciation.letter_to_sound import as_it_sounds
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.punctuation.restoring import with_punctuation
from a3t.text.transcript import Transcript, parsed
from alignment.aligner import InMemory
from alignment.confidence.doubts import with_confidences
from alignment.long.pieces import SEARCH_FRAME_S, find_anchors, pieces
from alignment.recognition import whisper_model
from alignment.recognition.whisper import load_whisper
from alignment.result import shift_word, spread_evenly
from app import limits, texts

if TYPE_CHECKING:
    from a3t.editor import Editor

FIRST_PART = (5.0, 9.0)  # seconds of the shortest and the longest: the first words soon


def ingest(
    editor: Editor,
    original: Path,
    folder: Path,
    most: float = limits.MAX_SECONDS,
    tracks: Sequence[int] = (),
) -> tuple[OpenedSound, tuple[Span, ...]]:
    """Write sound.pcm (16 bits, the recording's own rate) and peaks.bin.

    They have at most two channels, unless the recording consists of ``tracks``, of so many channels
    each, which have peaks of their own as well.
    Returns the recording's description, and its parts. Raises InputError as `Recording.open`, and
    for a recording of more than `most` seconds, before anything of it is written.
    """
    editor_step(editor, "read")
    recording = Recording.open(original)
    if recording.seconds > most:
        raise InputError(texts.too_long(most))
    channels = channels_played(recording.channels, bool(tracks))
    path = folder / "sound.pcm"
    with path.open("wb") as file:
        for block in recording.blocks():
            file.write(played(to_float(block), channels))
    sound = PcmSound(path, recording.sample_rate, channels, recording.samples)
    (folder / "peaks.bin").write_bytes(peaks_of(sound))
    for number, last in enumerate(accumulate(tracks)):
        own = replace(sound, heard=(last - tracks[number], last))
        (folder / f"peaks-{number}.bin").write_bytes(peaks_of(own))
    opened = OpenedSound(
        recording.sample_rate,
        channels,
        recording.samples,
        recording.seconds,
        recording.channels,
        recording.subtype,
        recording.container,
        recording.track,
        picture_lead(recording),
    )
    return opened, tuple(parts_of(sound, FIRST_PART))


def phones_said(editor: Editor, said: str) -> tuple[str, ...]:
    """Return the phones of a pronunciation, given as phones or as it sounds; else InputError."""
    phones = tuple(said.upper().split())
    return phones if phones and set(phones) <= set(ARPABET) else as_it_sounds(said)


def hear_source(editor: Editor, path: Path, text: str, own: Pronunciations = ()) -> HeardRecording:
    """Return what another recording says, unless its ``text`` is given, and when.

    Raises InputError for one that can't be used, or doesn't match.
    """
    editor_step(editor, "read")
    recording = Recording.open(path)
    if recording.seconds > limits.MAX_SECONDS:
        raise InputError(texts.too_long(limits.MAX_SECONDS))
    editor_step(editor, "transcribe")
    pronouncer, given = Pronouncer(dict(own)), parsed(text or None)
    found = find_transcript(recording, given, None, pronouncer)
    editor_step(editor, "align")
    aligned = editor.alignments.whole(recording, found, pronouncer)
    said = punctuated(found.transcript, (aligned, [(0, len(found.transcript.words))]))
    return HeardRecording(source=OtherRecording.of(AlignedRecording(recording, said, aligned)))


def measure_track(editor: Editor, path: Path) -> HeardRecording:
    """Return the sha256 of a track, and where somebody is heard on it.

    Raises InputError for one that can't be used.
    """
    editor_step(editor, "read")
    track = Recording.open(path)
    if track.seconds > limits.MAX_SECONDS:
        raise InputError(texts.too_long(limits.MAX_SECONDS))
    return HeardRecording(track=TrackSound(track.sha256, TrackActivity.of(track).written()))


def recognise_part(
    editor: Editor,
    sound: PcmSound | InMemory,
    first_id: int,
    first: int,
    last: int,
    own: Pronunciations = (),
    recogniser: str = "auto",
) -> HeardWords:
    """Recognise samples [first, last), and listen for the project's ``own`` words.

    There is nothing where no word is.
    """
    samples = sound.mono(first, last)
    editor_step(editor, "transcribe")
    model = whisper_model(recogniser)
    if model is not None:
        load_whisper(model)
    try:
        found = recognised_part(samples, sound.sample_rate, Pronouncer(dict(own)), model)
    except ValueError:
        return HeardWords()
    text, sure = found.transcript, found.confidences
    heard = align_tokens(editor, sound, first_id, first, last, text, sure, own)
    tokens = heard.tokens if text.is_punctuated else punctuated_tokens(heard.tokens, first_id)
    if model is not None and any(word.score for token in tokens for word in token.words):
        rest = iter(sure)
        tokens = tuple(
            replace(token, sure=round(min(next(rest) for _ in token.words), 3)) for token in tokens
        )
    return replace(heard, tokens=tokens)


def punctuated_tokens(tokens: tuple[Token, ...], first_id: int) -> tuple[Token, ...]:
    """Add marks and capitals to recognised tokens where a network for them is shipped."""
    words = [word for token in tokens for word in token.words]
    plain = Transcript.of_spoken([word.text for word in words])
    gaps = [after.start - word.end for word, after in pairwise(words)]
    try:
        marked = with_punctuation(plain, [*gaps, None])
    except InputError:  # none is shipped
        return tokens
    same = marked.spoken == tuple(word.text for word in words)
    found = tokens_of(marked, words, first_id) if same else tokens
    if len(found) != len(tokens):
        return found
    return tuple(
        replace(token, unmarked=Marks(before.text, before.pause))
        if token.text != before.text
        else token
        for token, before in zip(found, tokens, strict=True)
    )


def editor_step(editor: Editor, name: str) -> None:
    """Report a step, and end here if nobody wants the result any more."""
    if editor.progress is not None:
        editor.progress(name)


def align_tokens(
    editor: Editor,
    sound: PcmSound | InMemory,
    first_id: int,
    first: int,
    last: int,
    transcript: Transcript,
    confidences: Sequence[float] = (),
    own: Pronunciations = (),
) -> HeardWords:
    """Align the transcript's tokens in samples [first, last); return them and the pauses.

    Where they are not heard their words are spread evenly, with scores of 0. `confidences`: of the
    words, where they were recognised. `own`: the project's pronunciations.
    """
    editor_step(editor, "align")
    pronouncer, begin = Pronouncer(dict(own)), first / sound.sample_rate
    choices = pronouncer.choices(transcript.spoken)
    try:
        found = editor.alignments.aligner.align(
            sound.mono(first, last), sound.sample_rate, transcript.spoken, choices
        )
        found = with_confidences(found, confidences)
        words = [shift_word(word, begin) for word in found.spoken]
        silent = tuple(shift_word(word, begin) for word in found.words if word.is_pause)
    except ValueError:
        phones = [choices[word][0] for word in transcript.spoken]
        words = spread_evenly(transcript.spoken, phones, begin, last / sound.sample_rate)
        silent = ()
    return HeardWords(tokens_of(transcript, words, first_id), silent)


def read_text(editor: Editor, text: str) -> Places:
    """Return a given text as one piece, in no place yet; InputError if it has no words."""
    transcript = parsed(text)
    return Places((_place(transcript, 0, 0, 0, len(transcript.words)),))


def find_places(
    editor: Editor, sound: PcmSound, transcript: Transcript, own: Pronunciations = ()
) -> Places:
    """Find roughly where a given text is spoken, in pieces that can be aligned one by one.

    Together they hold the whole text.
    """
    count = len(transcript.words)
    if sound.samples <= LONG * sound.sample_rate:
        return Places((_place(transcript, 0, sound.samples, 0, count),))
    editor_step(editor, "align")
    choices = Pronouncer(dict(own)).choices(transcript.spoken)
    phones = [choices[word][0] for word in transcript.spoken]
    frame = SEARCH_FRAME_S * sound.sample_rate
    result: list[Place] = []
    done = 0
    for piece in pieces(find_anchors(sound, phones), count):
        end = piece.end
        while 0 < end < count and transcript.words[end].token == transcript.words[end - 1].token:
            end += 1  # a written word stays whole
        if end > done:  # otherwise: sound that the text doesn't have
            first, last = round(piece.start * frame), round(piece.stop * frame)
            result.append(_place(transcript, first, min(last, sound.samples), done, end))
            done = end
    return Places(tuple(result))


def _place(transcript: Transcript, first: int, last: int, begin: int, end: int) -> Place:
    part = transcript.of_words([(begin, end)])
    part = replace(part, text=part.written(0, len(part.words)))
    return Place(first, last, part)


def align_place(
    editor: Editor, sound: PcmSound, first_id: int, place: Place, own: Pronunciations = ()
) -> HeardWords:
    """Align the words of one piece of `find_places`."""
    first, last = place.first, place.last
    return align_tokens(editor, sound, first_id, first, last, place.transcript, own=own)


def tell_speakers(
    editor: Editor, recording: Recording, heard: HeardWords, count: int | None
) -> dict[int, str]:
    """Tell the speaker of each token by the voices, by its id; `count` speakers, if known."""
    editor_step(editor, "speakers")
    source = heard.aligned(recording)
    names = numbered(speakers_by_sound(recording, source.alignment, source.text, count or None))
    owners = [token.id for token in heard.tokens for _ in token.words]
    return dict(zip(reversed(owners), reversed(names), strict=True))  # by its first word


def correct_tokens(
    editor: Editor, sound: PcmSound, first: int, last: int, text: str, own: Pronunciations = ()
) -> HeardWords:
    """Align `text` with samples [first, last) instead; AlignmentError if it isn't heard."""
    transcript = parsed(text)
    return align_tokens(editor, sound, 0, first, last, transcript, own=own)
